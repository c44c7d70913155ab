# Chooses another MPI in a folder that has one: by compiler, by the names' ends, and one that is not there.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.24)

# configure(<options...>): sets `code` and `output`.
macro(configure)
  execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}/tests/launch/choose_mpi" -B "${FOLDER}"
                          ${ARGN}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
endmacro()
# finds(<what follows "found: "> <options...>)
macro(finds words)
  configure(${ARGN})
  string(REGEX MATCH "found: [^\n]*" found "${output}")
  if(NOT code EQUAL 0 OR NOT found STREQUAL "found: ${words}")
    message(FATAL_ERROR "${ARGN}: ${code}, '${found}' instead of '${words}'\n${output}")
  endif()
endmacro()

set(mpich "MPICH, mpicxx.mpich, mpicc.mpich, mpiexec.mpich -n")
set(open_mpi "Open MPI, mpicxx.openmpi, mpicc.openmpi, mpiexec.openmpi --oversubscribe -n")
file(REMOVE_RECURSE "${FOLDER}")
finds("${open_mpi}" -DMPI_CXX_COMPILER=mpicxx.openmpi)
finds("${mpich}" -DMPI_CXX_COMPILER=mpicxx.mpich)
finds("${mpich}")
finds("${open_mpi}" -DMPI_EXECUTABLE_SUFFIX=.openmpi)
configure(-DMPI_CXX_COMPILER=mpicxx.none)
if(code EQUAL 0 OR NOT output MATCHES "MPI_CXX_COMPILER=mpicxx.none: there is no such compiler")
  message(FATAL_ERROR "a compiler that is not there: ${code}\n${output}")
endif()
