# Finds the external libraries; each is linked by one layer only (tools/check_layers.py holds that).
# SPDX-License-Identifier: Apache-2.0
include(FetchContent)
include(TacitFindFftw)
include(TacitFindLibfabric)
include(TacitFindXsimd)
include(TacitFindXxhash)

set(TACIT_DEPENDENCY_TABLE "${CMAKE_CURRENT_LIST_DIR}/dependencies.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TACIT_DEPENDENCY_TABLE}")

# tacit_dependency_row(<package>): sets version, url and sha256 in the caller, from the table.
function(tacit_dependency_row package)
  file(STRINGS "${TACIT_DEPENDENCY_TABLE}" row REGEX "^[a-z]+ +${package} ")
  separate_arguments(row UNIX_COMMAND "${row}")
  list(LENGTH row columns)
  if(NOT columns EQUAL 6)
    message(FATAL_ERROR "cmake/dependencies.txt: expected one row of six columns for '${package}'")
  endif()
  list(GET row 2 version)
  list(GET row 4 url)
  list(GET row 5 sha256)
  set(version "${version}" PARENT_SCOPE)
  set(url "${url}" PARENT_SCOPE)
  set(sha256 "${sha256}" PARENT_SCOPE)
endfunction()

# tacit_find(<package> <target>): the installed package, or with TACIT_FETCH its pinned source where none is installed.
macro(tacit_find package target)
  tacit_dependency_row(${package})
  if(TACIT_FETCH)
    FetchContent_Declare(${package} URL "${url}" URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP ON
                         FIND_PACKAGE_ARGS ${version})
    FetchContent_MakeAvailable(${package})
    tacit_silence_headers(${target})
  else()
    find_package(${package} ${version} REQUIRED)
  endif()
endmacro()

# tacit_silence_headers(<target>): warnings of our flags are for our code, not for downloaded headers. An installed
# library of an older version may lack the target.
function(tacit_silence_headers target)
  if(NOT TARGET ${target})
    return()
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    get_target_property(directories ${aliased} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(${aliased} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
tacit_find(fmt fmt::fmt)
tacit_find(tomlplusplus tomlplusplus::tomlplusplus)
set(YAML_CPP_BUILD_TOOLS OFF)
tacit_find(yaml-cpp yaml-cpp::yaml-cpp)
if(NOT TARGET yaml-cpp::yaml-cpp)  # before version 0.8
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
tacit_find(pugixml pugixml::pugixml)
tacit_find(nlohmann_json nlohmann_json::nlohmann_json)
tacit_find(CLI11 CLI11::CLI11)

tacit_dependency_row(HDF5)
find_package(HDF5 ${version} REQUIRED COMPONENTS C)
if(NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 INTERFACE IMPORTED)
  target_include_directories(hdf5::hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(hdf5::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  target_compile_definitions(hdf5::hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
endif()

tacit_dependency_row(FFTW)
tacit_find_fftw()
if(NOT FFTW_FOUND)
  message(FATAL_ERROR "FFTW ${version} or newer is needed in double and single precision (fftw3.h, libfftw3, "
                      "libfftw3f); found: ${FFTW_VERSION}")
endif()
add_library(tacit_fftw INTERFACE)
target_include_directories(tacit_fftw SYSTEM INTERFACE "${TACIT_FFTW_INCLUDE}")
target_link_libraries(tacit_fftw INTERFACE "${TACIT_FFTW_DOUBLE}" "${TACIT_FFTW_SINGLE}")
add_library(tacit::fftw ALIAS tacit_fftw)

# xxHash is used as a header only, and brings no CMake package of its own on most systems.
tacit_dependency_row(xxhash)
tacit_find_xxhash(${version})
if(NOT xxhash_FOUND AND TACIT_FETCH)
  FetchContent_Declare(xxhash URL "${url}" URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP ON)
  FetchContent_MakeAvailable(xxhash)
  set(TACIT_XXHASH_INCLUDE "${xxhash_SOURCE_DIR}" CACHE PATH "Folder of xxhash.h" FORCE)
elseif(NOT xxhash_FOUND)
  message(FATAL_ERROR "xxHash ${version} or newer is needed (xxhash.h); found: ${xxhash_VERSION}")
endif()
add_library(tacit_xxhash INTERFACE)
target_include_directories(tacit_xxhash SYSTEM INTERFACE "${TACIT_XXHASH_INCLUDE}")
target_compile_definitions(tacit_xxhash INTERFACE XXH_INLINE_ALL)
add_library(tacit::xxhash ALIAS tacit_xxhash)

# xsimd too is used as headers only.
tacit_dependency_row(xsimd)
tacit_find_xsimd(${version})
if(NOT xsimd_FOUND AND TACIT_FETCH)
  FetchContent_Declare(xsimd URL "${url}" URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP ON)
  FetchContent_MakeAvailable(xsimd)
  set(TACIT_XSIMD_INCLUDE "${xsimd_SOURCE_DIR}/include" CACHE PATH "Folder of xsimd/xsimd.hpp" FORCE)
elseif(NOT xsimd_FOUND)
  message(FATAL_ERROR "xsimd ${version} or newer is needed (xsimd/xsimd.hpp); found: ${xsimd_VERSION}")
endif()
add_library(tacit_xsimd INTERFACE)
target_include_directories(tacit_xsimd SYSTEM INTERFACE "${TACIT_XSIMD_INCLUDE}")
add_library(tacit::xsimd ALIAS tacit_xsimd)

# Peers of the benchmarks: those that are not there are left out.
if(TACIT_BENCH)
  tacit_dependency_row(TBB)
  find_package(TBB ${version} QUIET)
  find_package(OpenMP QUIET COMPONENTS CXX)
  find_library(TACIT_FFTW_THREADS fftw3_threads)  # a part of FFTW's package
  if(TACIT_FFTW_THREADS)
    add_library(tacit_fftw_threads INTERFACE)
    target_link_libraries(tacit_fftw_threads INTERFACE "${TACIT_FFTW_THREADS}" tacit::fftw)
  endif()
  find_package(Taskflow QUIET)  # 3.7 or newer; its version file accepts no other minor version than the one asked for
endif()

# BLAS, for the matrix product of examples/comm; plain loops where there is none.
if(TACIT_TESTS OR TACIT_BENCH)
  tacit_dependency_row(CBLAS)
  find_package(CBLAS ${version} QUIET)
endif()
