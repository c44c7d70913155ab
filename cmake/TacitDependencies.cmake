# Finds the external libraries; each is linked by one layer only (tools/check_layers.py holds that).
# SPDX-License-Identifier: Apache-2.0

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
if(NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 INTERFACE IMPORTED)
  target_include_directories(hdf5::hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(hdf5::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  target_compile_definitions(hdf5::hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
endif()

find_path(TACIT_XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(tacit_xxhash INTERFACE)
target_include_directories(tacit_xxhash SYSTEM INTERFACE "${TACIT_XXHASH_INCLUDE}")
target_compile_definitions(tacit_xxhash INTERFACE XXH_INLINE_ALL)
add_library(tacit::xxhash ALIAS tacit_xxhash)
