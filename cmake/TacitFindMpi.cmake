# Finds MPI: the one that is asked for where there are several, with its compilers and its launcher.
# SPDX-License-Identifier: Apache-2.0
#
# One is asked for as CMake's FindMPI knows it: by a compiler (-DMPI_CXX_COMPILER=mpicxx.mpich, or its path), by a
# folder (-DMPI_HOME=/opt/mpich) or by what its programs' names end in (-DMPI_EXECUTABLE_SUFFIX=.mpich). FindMPI alone
# never looks again in a build folder that has an MPI, and may take C compiler and mpiexec from another than was named.
include(CheckCXXSymbolExists)

set(tacit_mpi_choices MPI_HOME MPI_EXECUTABLE_SUFFIX MPI_CXX_COMPILER MPIEXEC_EXECUTABLE)

# Forgets what an earlier configuration found, if the user has chosen another MPI since.
function(tacit_forget_other_mpi)
  set(chosen "")
  foreach(name IN LISTS tacit_mpi_choices)
    if(DEFINED CACHE{TACIT_FOUND_${name}} AND NOT "${${name}}" STREQUAL "${TACIT_FOUND_${name}}")
      list(APPEND chosen ${name})
    endif()
  endforeach()
  if(NOT chosen)
    return()
  endif()
  get_cmake_property(found CACHE_VARIABLES)
  list(FILTER found INCLUDE REGEX "^(MPI_|MPIEXEC_|TACIT_MPI_IS_OPEN_MPI$)")
  list(REMOVE_ITEM found ${chosen})
  foreach(name IN LISTS found)
    unset(${name} CACHE)
  endforeach()
endfunction()

# Where a compiler is named, the other programs are those beside it whose names end alike: sets MPI_HOME and
# MPI_EXECUTABLE_SUFFIX in the caller.
function(tacit_follow_mpi_compiler)
  if(NOT MPI_CXX_COMPILER OR MPI_CXX_COMPILER STREQUAL CMAKE_CXX_COMPILER)
    return()
  endif()
  unset(path)  # a caller's would keep find_program from looking
  find_program(path NAMES "${MPI_CXX_COMPILER}" NO_CACHE)
  if(NOT path)
    message(FATAL_ERROR "MPI_CXX_COMPILER=${MPI_CXX_COMPILER}: there is no such compiler. Install that MPI (Debian: "
                        "libmpich-dev, libopenmpi-dev) or name another one")
  endif()
  get_filename_component(folder "${path}" DIRECTORY)
  get_filename_component(name "${path}" NAME)
  if(NOT MPI_HOME)
    get_filename_component(home "${folder}" DIRECTORY)
    set(MPI_HOME "${home}" PARENT_SCOPE)
  endif()
  if(NOT MPI_EXECUTABLE_SUFFIX AND name MATCHES "^mpi[A-Za-z+]+([.-].+)$")
    set(MPI_EXECUTABLE_SUFFIX "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

# tacit_find_mpi(<version>): as find_package(MPI) of C++, and of C where there is that. Further sets
#   TACIT_MPI_IS_OPEN_MPI
#   TACIT_MPI_LAUNCH       the words before the number of ranks, also for more ranks than there are processors
macro(tacit_find_mpi version)
  tacit_forget_other_mpi()
  set(tacit_mpi_asked "")
  foreach(name IN ITEMS MPI_HOME MPI_EXECUTABLE_SUFFIX MPI_CXX_COMPILER)
    # What an earlier configuration found is in the cache too, and is no wish of the user's.
    if(${name} AND NOT (DEFINED CACHE{TACIT_FOUND_${name}} AND "${${name}}" STREQUAL "${TACIT_FOUND_${name}}"))
      string(APPEND tacit_mpi_asked " ${name}=${${name}}")
    endif()
  endforeach()
  tacit_follow_mpi_compiler()
  find_package(MPI ${version} QUIET COMPONENTS CXX OPTIONAL_COMPONENTS C)
  if(tacit_mpi_asked AND NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "No MPI ${version} or newer was found for${tacit_mpi_asked}. Install it (Debian: libmpich-dev, "
                        "libopenmpi-dev), or configure without (-U 'MPI_*')")
  endif()
  foreach(name IN LISTS tacit_mpi_choices)
    set(TACIT_FOUND_${name} "$CACHE{${name}}" CACHE INTERNAL "What was found with the MPI in use")
  endforeach()
  if(MPI_CXX_FOUND)
    set(CMAKE_REQUIRED_INCLUDES ${MPI_CXX_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_DEFINITIONS -DOMPI_SKIP_MPICXX)
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_symbol_exists(OPEN_MPI mpi.h TACIT_MPI_IS_OPEN_MPI)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_DEFINITIONS)
    unset(CMAKE_REQUIRED_QUIET)
    set(TACIT_MPI_LAUNCH "${MPIEXEC_EXECUTABLE}")
    if(TACIT_MPI_IS_OPEN_MPI)
      list(APPEND TACIT_MPI_LAUNCH --oversubscribe)  # others start any number
    endif()
    list(APPEND TACIT_MPI_LAUNCH ${MPIEXEC_NUMPROC_FLAG})
  endif()
endmacro()
