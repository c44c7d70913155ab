# Compiles files of a folder together, a few at a time: most of the time of a small file goes into the headers and
# templates that it shares with its neighbours.
# SPDX-License-Identifier: Apache-2.0
#
# A file keeps helpers in an anonymous namespace under names that no other file of its folder has. A configuration
# without this (TACIT_UNITY=OFF) compiles one file at a time, and finds includes that only a neighbour brings.

option(TACIT_UNITY "Compile the files of a folder together, a few at a time" ON)

# More would save little, and would keep one processor busy when all others have finished.
set(TACIT_UNITY_FILES 8)

# tacit_unite(<target> [APART files]): for the C++ files that the target has so far. Files of two folders are never
# united: who links a static library then gets what one folder holds, not what stands beside it in a list. Files APART
# have macros or names that are not for others.
function(tacit_unite target)
  if(NOT TACIT_UNITY)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "APART" ${ARGN})
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cpp$")
  set(folders "")
  foreach(file IN LISTS files)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE place)
    if(NOT place IN_LIST ARG_APART)
      cmake_path(GET place PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      list(APPEND folders ${folder})
      list(APPEND files_of_${folder} "${file}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH files_of_${folder} count)
    math(EXPR groups "(${count} + ${TACIT_UNITY_FILES} - 1) / ${TACIT_UNITY_FILES}")
    set(number 0)
    foreach(file IN LISTS files_of_${folder})
      math(EXPR group "${number} * ${groups} / ${count}")  # of equal sizes
      set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${folder}_${group}")
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
