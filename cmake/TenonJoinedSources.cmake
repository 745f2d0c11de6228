# SPDX-License-Identifier: Apache-2.0
# Test sources -> files of the build folder that include four of them each (TENON_JOIN_TESTS).
#
# Most seconds of a source are spent on what all of them include and instantiate: four together take two thirds of the seconds
# of four alone by nvcc and 0.85 of them by g++. After a change of one source the others are compiled again, too.
set(TENON_JOIN_TESTS "$ENV{TENON_JOIN_TESTS}" CACHE BOOL
    "Compile four test sources as one: for who builds all of them once; the environment's when empty")

# tenon_is_joinable(<variable> <source>): a namespace will be around it, so it must not add to the library's own; nor may it have
# flags or settings of its own.
function(tenon_is_joinable result source)
  file(STRINGS "${source}" hindrance REGEX "^(#define TENON_|namespace tenon( |::)|// (.* )?tenon-test: optimized$)" LIMIT_COUNT 1)
  set(${result} ON PARENT_SCOPE)
  if(hindrance)
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# tenon_join_sources(<variable> <name> <extension> <sources...>): neighbours, which are often alike in length, lie apart.
# A namespace around each source keeps its helpers from those of the others.
# @pre an include stands at the beginning of its line: the headers come before the namespaces
function(tenon_join_sources result name extension)
  list(LENGTH ARGN count)
  math(EXPR files "(${count} + 3) / 4")
  set(position 0)
  foreach(source IN LISTS ARGN)
    math(EXPR k "${position} % ${files}")
    math(EXPR position "${position} + 1")
    file(STRINGS "${source}" includes REGEX "^#include")
    list(APPEND includes_${k} ${includes})
    get_filename_component(namespace "${source}" NAME_WE)
    string(APPEND bodies_${k} "namespace ${namespace} {\n#include \"${source}\"\n}\n")
  endforeach()
  set(joined "")
  math(EXPR last "${files} - 1")
  foreach(k RANGE ${last})
    list(REMOVE_DUPLICATES includes_${k})
    list(JOIN includes_${k} "\n" includes)
    set(file "${PROJECT_BINARY_DIR}/wrapped/${name}_${k}.${extension}")
    tenon_write_wrapper("${file}" "${includes}\n${bodies_${k}}")
    list(APPEND joined "${file}")
  endforeach()
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()
