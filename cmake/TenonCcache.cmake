# SPDX-License-Identifier: Apache-2.0
# Compile through ccache when it is there and no other launcher was asked for.
#
# nvcc -E, which ccache 4.7 looks at, shows the pass for the device: headers that only the host sees, as those of runtime/, could
# change unnoticed. The dependencies that nvcc writes while it compiles name them all.

find_program(TENON_CCACHE ccache)
mark_as_advanced(TENON_CCACHE)
foreach(language CXX CUDA)
  if(TENON_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${TENON_CCACHE}")
    if(language STREQUAL "CUDA")
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1 "${TENON_CCACHE}")
    endif()
  endif()
endforeach()
