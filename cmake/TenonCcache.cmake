# SPDX-License-Identifier: Apache-2.0
# Compile through ccache when it is there and no other launcher was asked for.

find_program(TENON_CCACHE ccache)
mark_as_advanced(TENON_CCACHE)
foreach(language CXX CUDA)
  if(TENON_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${TENON_CCACHE}")
  endif()
endforeach()
