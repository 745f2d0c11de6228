# SPDX-License-Identifier: Apache-2.0
# Configures, builds and runs the consumer ${WAY} from nothing; for find_package the library is installed first.

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

set(options "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DTENON_HANA_INCLUDE_DIR=${HANA_INCLUDE_DIR}")
if(WAY STREQUAL "find_package")
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${TENON_BINARY_DIR}" --prefix "${WORK_DIR}/prefix"
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND options "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix")
elseif(WAY STREQUAL "fetch_content")
  list(APPEND options "-DFETCHCONTENT_SOURCE_DIR_TENON=${TENON_SOURCE_DIR}")
else()
  list(APPEND options "-DTENON_SOURCE_DIR=${TENON_SOURCE_DIR}")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/${WAY}" -B "${WORK_DIR}/build"
                        -G "${GENERATOR}" ${options}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK_DIR}/build/consumer" COMMAND_ERROR_IS_FATAL ANY)
