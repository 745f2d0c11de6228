# SPDX-License-Identifier: Apache-2.0
# Helpers for tests, benchmarks and examples: common flags, and one source built for both backends.

# Warnings on, nothing a user would not have. The feature cxx_std_20 says nothing to nvcc, whose default is C++17, and CMake
# before 3.26 knows no flag for C++20 there.
add_library(tenon_flags INTERFACE)
target_link_libraries(tenon_flags INTERFACE tenon::tenon)
target_compile_options(tenon_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>" "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Xcompiler=-Wall>")
if(TENON_WARNINGS_AS_ERRORS)
  target_compile_options(tenon_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()

# Of everything that is run.
add_library(tenon_run_flags INTERFACE)
target_link_libraries(tenon_run_flags INTERFACE tenon_flags)
target_compile_options(tenon_run_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-O2>" "$<$<COMPILE_LANGUAGE:CUDA>:-O3>")

# tenon_compile_only(<target>): a CUDA program that this machine cannot run. The compilers see all of it, and no device code is
# made (what ptxas makes of kernels is the business of tests/kernels): two thirds of the seconds of PTX without optimization.
function(tenon_compile_only target)
  target_link_libraries(${target} PRIVATE tenon_flags)
  target_compile_definitions(${target} PRIVATE TENON_COMPILE_ONLY)
  list(GET CMAKE_CUDA_ARCHITECTURES 0 architecture)
  string(REGEX MATCH "^[0-9]+" architecture "${architecture}")
  if(architecture)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architecture}-virtual")
  endif()
  if(TENON_HAS_SYNTAX_ONLY)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-fdevice-syntax-only>")
  endif()
endfunction()

# tenon_write_wrapper(<file> <content>): written only when it changes, so that nothing is compiled again for nothing.
function(tenon_write_wrapper file content)
  set(previous "")
  if(EXISTS "${file}")
    file(READ "${file}" previous)
  endif()
  if(NOT content STREQUAL previous)
    file(WRITE "${file}" "${content}")
  endif()
endfunction()

# tenon_wrap_source(<variable> <source> <extension>): a file of the build folder that only includes <source>.
# CMake allows one language per source and folder; the wrapper lets g++ and nvcc both have it.
function(tenon_wrap_source result source extension)
  file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${source}")
  set(wrapper "${PROJECT_BINARY_DIR}/wrapped/${relative}.${extension}")
  tenon_write_wrapper("${wrapper}" "#include \"${source}\"\n")
  set(${result} "${wrapper}" PARENT_SCOPE)
endfunction()

# tenon_has_mark(<variable> <source> <mark>): whether a line of comment of the source ends with `tenon-test: <mark>`.
function(tenon_has_mark result source mark)
  file(STRINGS "${source}" lines REGEX "^// (.* )?tenon-test: ${mark}$" LIMIT_COUNT 1)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  set(${result} OFF PARENT_SCOPE)
  if(lines)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
