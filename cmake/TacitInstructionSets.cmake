# Compiles files once per instruction set of the processor family; the program chooses among them at run time.
# SPDX-License-Identifier: Apache-2.0

# Single features and never -march: the compiler may then use exactly what base/cpu_features.cpp asks the processor for.
set(TACIT_FLAGS_scalar "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(TACIT_INSTRUCTION_SETS scalar v2 v3 v4)
  if(TACIT_SANITIZE)
    # All sets are compiled from one source: the narrow ones show a sanitizer what it can find, in half of the time.
    set(TACIT_INSTRUCTION_SETS scalar v2)
    add_compile_definitions(TACIT_NARROW_SETS_ONLY)
  endif()
  set(TACIT_FLAGS_v2 -msse4.2 -mpopcnt)
  set(TACIT_FLAGS_v3 ${TACIT_FLAGS_v2} -mavx2 -mfma -mbmi -mbmi2)
  set(TACIT_FLAGS_v4 ${TACIT_FLAGS_v3} -mavx512f -mavx512bw -mavx512dq -mavx512vl)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Its own AVX-512 headers make g++ 12 warn of registers that are left undefined on purpose.
    list(APPEND TACIT_FLAGS_v4 -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TACIT_INSTRUCTION_SETS scalar neon64)
  set(TACIT_FLAGS_neon64 "")
else()
  set(TACIT_INSTRUCTION_SETS scalar)
endif()

# tacit_per_instruction_set(<target> <files>...): adds each file to the target once per instruction set, with TACIT_ISA
# naming it.
function(tacit_per_instruction_set target)
  get_target_property(includes ${target} INCLUDE_DIRECTORIES)
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(set IN LISTS TACIT_INSTRUCTION_SETS)
    add_library(${target}_${set} OBJECT ${ARGN})
    if(includes)
      target_include_directories(${target}_${set} PRIVATE ${includes})
    endif()
    target_link_libraries(${target}_${set} PRIVATE ${links})
    target_compile_definitions(${target}_${set} PRIVATE TACIT_ISA=${set})
    # Optimised in every build type: packs that are not inlined are slower than no packs.
    target_compile_options(${target}_${set} PRIVATE ${TACIT_FLAGS_${set}} $<$<NOT:$<CONFIG:Release>>:-O2>)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${set}>)
    set_property(GLOBAL APPEND PROPERTY TACIT_ISA_OBJECTS "$<TARGET_OBJECTS:${target}_${set}>")
  endforeach()
endfunction()

# tacit_write_isa_objects(<file>): lists the objects of all calls so far, one per line, for the test that no function of
# theirs is shared with anybody else.
function(tacit_write_isa_objects file)
  get_property(objects GLOBAL PROPERTY TACIT_ISA_OBJECTS)
  list(JOIN objects ";" objects)
  file(GENERATE OUTPUT "${file}" CONTENT "$<JOIN:${objects},\n>\n")
endfunction()
