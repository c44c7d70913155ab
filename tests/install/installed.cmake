# Installs one LAYER into a folder of its own and moves that; for scripts that build something with it.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.24)

# run(<words...>): a command that must succeed; its output is in `output`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT code EQUAL 0)
    string(REPLACE ";" " " words "${ARGN}")
    message(FATAL_ERROR "${words}: ${code}\n${output}${errors}")
  endif()
endmacro()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
file(REMOVE_RECURSE "${FOLDER}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --component "${LAYER}" --prefix "${FOLDER}/first")
file(RENAME "${FOLDER}/first" "${FOLDER}/installed")

set(mpi "")
if(HAS_MPI AND MPI_C_COMPILER)  # where several are installed, projects that find one themselves must take the same
  list(APPEND mpi "-DMPI_C_COMPILER=${MPI_C_COMPILER}" "-DMPI_CXX_COMPILER=${MPI_CXX_COMPILER}")
endif()
# try(<source> <folder> <options...>): configures and builds a project that knows the installed folder only.
macro(try source folder)
  run("${CMAKE_COMMAND}" -S "${source}" -B "${FOLDER}/${folder}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_PREFIX_PATH=${FOLDER}/installed" "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_C_FLAGS=${flags}" ${mpi}
      ${ARGN})
  run("${CMAKE_COMMAND}" --build "${FOLDER}/${folder}")
endmacro()
