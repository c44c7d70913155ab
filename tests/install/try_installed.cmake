# Builds programs outside of the tree with the installed layer comm.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.24)

include("${CMAKE_CURRENT_LIST_DIR}/installed.cmake")
try("${SOURCE}/tests/install/outside" outside "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}")
run("${FOLDER}/outside/in_c")
run("${FOLDER}/outside/in_cpp")
run("${FOLDER}/outside/every_header")

# The example of the C interface is a project of C alone.
if(HAS_MPI AND NOT SANITIZE)
  try("${SOURCE}/examples/comm/halo3d" halo3d)
  run("${FOLDER}/halo3d/halo3d_mpi" 20)
  string(REGEX MATCH "checksum [0-9a-f]+" before "${output}")
  # as_before(<program>): prints the checksum that the program of MPI alone does.
  macro(as_before program)
    run("${program}" 20)
    string(REGEX MATCH "checksum [0-9a-f]+" after "${output}")
    if(NOT before OR NOT before STREQUAL after)
      message(FATAL_ERROR "${program}: '${before}' with MPI, '${after}' with Tacit")
    endif()
  endmacro()
  as_before("${FOLDER}/halo3d/halo3d_tacit")
  as_before("${FOLDER}/halo3d/halo3d_shim")
endif()

# The module for Fortran, where there is a compiler, comes as a source.
if(HAS_MPI AND NOT SANITIZE AND FORTRAN_COMPILER)
  try("${SOURCE}/examples/comm/pencils" pencils "-DCMAKE_Fortran_COMPILER=${FORTRAN_COMPILER}"
      "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
  run("${FOLDER}/pencils/pencils_mpi" 12 3)
  string(REGEX MATCH "checksum [0-9A-F]+" before "${output}")
  run("${FOLDER}/pencils/pencils_tacit" 12 3)
  string(REGEX MATCH "checksum [0-9A-F]+" after "${output}")
  if(NOT before OR NOT before STREQUAL after)
    message(FATAL_ERROR "pencils: '${before}' with MPI, '${after}' with Tacit")
  endif()
endif()

# One-sided access and work pools come with it.
if(HAS_MPI AND NOT SANITIZE)
  try("${SOURCE}/examples/comm/matrix_product" matrix_product "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
  run("${FOLDER}/matrix_product/matrix_product" pool 300 2)
  if(NOT output MATCHES "checksum 47b66e0af41e1db2, C = A B")
    message(FATAL_ERROR "matrix_product: ${output}")
  endif()
endif()

# By pkg-config, where it is.
if(PKG_CONFIG)
  file(GLOB_RECURSE pc "${FOLDER}/installed/*/tacit_comm.pc")
  get_filename_component(pc "${pc}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} "${pc}")
  run("${PKG_CONFIG}" --cflags --libs tacit_comm)
  separate_arguments(words UNIX_COMMAND "${output}")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run("${C_COMPILER}" -std=c11 ${flags} "${SOURCE}/tests/install/outside/in_c.c" -o "${FOLDER}/by_pkg_config" ${words})
  run("${FOLDER}/by_pkg_config")
  run("${CXX_COMPILER}" -std=c++20 ${flags} "${SOURCE}/tests/install/outside/in_cpp.cpp" -o "${FOLDER}/by_pkg_config"
      ${words})
  run("${FOLDER}/by_pkg_config")
  if(HAS_MPI AND NOT SANITIZE)
    set(halo3d "${SOURCE}/examples/comm/halo3d")
    run("${C_COMPILER}" -std=c11 "${halo3d}/main.c" "${halo3d}/heat.c" "${halo3d}/halo_shim.c"
        -o "${FOLDER}/by_pkg_config" ${words})
    as_before("${FOLDER}/by_pkg_config")
  endif()
endif()
