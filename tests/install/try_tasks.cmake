# Builds a program outside of the tree with the installed layer tasks.
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/installed.cmake")
try("${SOURCE}/tests/install/tasks" tasks "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}")
run("${FOLDER}/tasks/in_tasks")
if(PKG_CONFIG)
  file(GLOB_RECURSE pc "${FOLDER}/installed/*/tacit_tasks.pc")
  get_filename_component(pc "${pc}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} "${pc}")
  run("${PKG_CONFIG}" --cflags --libs tacit_tasks)
  separate_arguments(words UNIX_COMMAND "${output}")
  run("${CXX_COMPILER}" -std=c++20 ${flags} "${SOURCE}/tests/install/tasks/in_tasks.cpp" -o "${FOLDER}/by_pkg_config"
      ${words})
  run("${FOLDER}/by_pkg_config")
endif()
file(GLOB_RECURSE comm "${FOLDER}/installed/*tacit_comm*")
if(comm)
  message(FATAL_ERROR "tasks alone brings ${comm}")
endif()
