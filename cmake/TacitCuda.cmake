# Compiles what runs on devices of NVIDIA, if TACIT_CUDA asks for it: the files *.cu.
# SPDX-License-Identifier: Apache-2.0
#
# NAME_none.cpp is what a program without CUDA has in place of NAME.cu. A build without TACIT_CUDA looks at no *.cu and
# needs no nvcc.

if(TACIT_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Kinds of devices: 80 is A100, 90 is H100 and H200")
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has it from 12 on
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # which looks for the driver when the program runs
  find_package(CUDAToolkit REQUIRED)
endif()

# tacit_cuda_sources(<layer> <sources> <out>): takes what is there in place of *.cu out of the sources, and lists these.
function(tacit_cuda_sources layer sources out)
  set(${out} "" PARENT_SCOPE)
  if(NOT TACIT_CUDA)
    return()
  endif()
  file(GLOB_RECURSE on_devices CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tacit/${layer}/*.cu")
  set(kept ${${sources}})
  foreach(file IN LISTS on_devices)
    string(REGEX REPLACE "\\.cu$" "_none.cpp" none "${file}")
    list(REMOVE_ITEM kept "${none}")
  endforeach()
  set(${sources} ${kept} PARENT_SCOPE)
  set(${out} ${on_devices} PARENT_SCOPE)
endfunction()

# tacit_compile_for_devices(<target> <files>...): adds them. Formulas keep the bits of the processor: nothing is
# contracted, division and roots are those of IEEE.
function(tacit_compile_for_devices target)
  add_library(${target}_on_devices OBJECT ${ARGN})
  target_include_directories(${target}_on_devices PRIVATE "${PROJECT_SOURCE_DIR}/src")
  set(options --fmad=false --prec-div=true --prec-sqrt=true --ftz=false)
  if(TACIT_WERROR)
    list(APPEND options --Werror=all-warnings)
  endif()
  # In place of those of all others, which are for compilers of processors.
  set_target_properties(${target}_on_devices PROPERTIES COMPILE_OPTIONS "${options}")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_on_devices>)
  target_link_libraries(${target} PUBLIC CUDA::cudart_static)
endfunction()
