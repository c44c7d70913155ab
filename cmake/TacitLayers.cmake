# Makes one library per layer of src/tacit and links it to exactly the layers that cmake/layers.txt allows.
# SPDX-License-Identifier: Apache-2.0

set(TACIT_LAYER_TABLE "${CMAKE_CURRENT_LIST_DIR}/layers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TACIT_LAYER_TABLE}")

# tacit_layer_links(<layer> <out>): the layers that <layer> may include, from the table.
function(tacit_layer_links layer out)
  file(STRINGS "${TACIT_LAYER_TABLE}" lines REGEX "^${layer} *:")
  list(LENGTH lines count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "cmake/layers.txt: expected one line for layer '${layer}', found ${count}")
  endif()
  string(REGEX REPLACE "^[^:]*:" "" allowed "${lines}")
  separate_arguments(allowed UNIX_COMMAND "${allowed}")
  set(${out} "${allowed}" PARENT_SCOPE)
endfunction()

# tacit_layer(<layer> [SOURCES files] [PRIVATE libs] [APART files] [KEPT files]): the library tacit_<layer> (slashes
# become underscores) of all .cpp files below src/tacit/<layer>, linked to its allowed layers and to its own external
# libraries. Files named *.isa.cpp are compiled once per instruction set. Files APART are never compiled together with
# others. Files KEPT are compiled even where TACIT_SOLVERS leaves out the solvers of the layer.
function(tacit_layer layer)
  cmake_parse_arguments(ARG "" "" "SOURCES;APART;PRIVATE;PUBLIC;KEPT" ${ARGN})
  string(REPLACE "/" "_" target "tacit_${layer}")
  if(NOT ARG_SOURCES)
    file(GLOB_RECURSE ARG_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tacit/${layer}/*.cpp")
  endif()
  if(NOT ARG_SOURCES)
    return()  # a folder appears when it has content
  endif()
  tacit_leave_out_solver("${layer}" "${ARG_KEPT}" ARG_SOURCES is_left_out)
  set(on_devices "")
  if(NOT is_left_out)
    tacit_cuda_sources("${layer}" ARG_SOURCES on_devices)
  endif()
  set(per_instruction_set ${ARG_SOURCES})
  list(FILTER per_instruction_set INCLUDE REGEX "\\.isa\\.cpp$")
  list(FILTER ARG_SOURCES EXCLUDE REGEX "\\.isa\\.cpp$")
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE tacit_warnings ${ARG_PRIVATE})
  tacit_layer_links("${layer}" allowed)
  if(is_left_out)  # nor are the layers compiled that only its solvers need; files that are KEPT use these
    list(FILTER allowed INCLUDE REGEX "^(base|config|comm|engine|mesh)$")
  endif()
  foreach(other IN LISTS allowed)
    string(REPLACE "/" "_" other "tacit_${other}")
    if(TARGET ${other})
      target_link_libraries(${target} PUBLIC ${other})
    endif()
  endforeach()
  tacit_use_precompiled(${target})
  tacit_unite(${target} APART ${ARG_APART})
  if(per_instruction_set)
    tacit_per_instruction_set(${target} ${per_instruction_set})
  endif()
  if(on_devices)
    tacit_compile_for_devices(${target} ${on_devices})
  endif()
endfunction()
