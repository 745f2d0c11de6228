# SPDX-License-Identifier: Apache-2.0
# What tenon::tenon needs of the system -> target tenon_dependencies. Used by the build and by the installed package.
#
# Boost.Hana is required (headers only). OpenMP is optional: without it the CPU backend runs on one thread.
# The CUDA runtime is not linked here: nvcc links it, and a second copy would be a second runtime in the same program.

# @post TENON_HANA_SYSTEM_DIR is empty when the compiler finds Hana by itself.
find_path(TENON_HANA_INCLUDE_DIR boost/hana/tuple.hpp
          HINTS ${Boost_INCLUDE_DIRS} ENV BOOST_ROOT PATH_SUFFIXES include
          DOC "The folder that holds boost/hana/tuple.hpp")
if(NOT TENON_HANA_INCLUDE_DIR AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/../.deps/boost/boost/hana/tuple.hpp")
  get_filename_component(TENON_HANA_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../.deps/boost" ABSOLUTE)
endif()
if(NOT TENON_HANA_INCLUDE_DIR)
  set(tenon_hana_message
      "tenon: Boost.Hana: boost/hana/tuple.hpp not found; install it (Debian: libboost-dev), "
      "or run scripts/setup.sh, or set TENON_HANA_INCLUDE_DIR to the folder that holds boost/")
  list(JOIN tenon_hana_message "" tenon_hana_message)
  message(FATAL_ERROR "${tenon_hana_message}")
endif()
set(TENON_HANA_SYSTEM_DIR "${TENON_HANA_INCLUDE_DIR}")
if(TENON_HANA_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  set(TENON_HANA_SYSTEM_DIR "")
endif()

find_package(OpenMP QUIET COMPONENTS CXX)

if(NOT TARGET tenon_dependencies)
  add_library(tenon_dependencies INTERFACE IMPORTED GLOBAL)
  if(TENON_HANA_SYSTEM_DIR)
    target_include_directories(tenon_dependencies SYSTEM INTERFACE "${TENON_HANA_SYSTEM_DIR}")
  endif()
  if(OpenMP_CXX_FOUND)
    # FindOpenMP knows no CUDA language before CMake 3.31: pass the flag on to the host compiler.
    target_compile_options(tenon_dependencies INTERFACE
                           "$<$<COMPILE_LANGUAGE:CXX>:${OpenMP_CXX_FLAGS}>"
                           "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>")
    target_link_libraries(tenon_dependencies INTERFACE ${OpenMP_CXX_LIBRARIES})
  endif()
endif()
