# The layer comm and the two beside it, one-sided access and the C interface, with the files of MPI, PMIx and libfabric
# where there are these.
# SPDX-License-Identifier: Apache-2.0

file(GLOB_RECURSE comm_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tacit/comm/*.cpp")
file(GLOB_RECURSE c_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tacit/comm/c/*.cpp")
list(FILTER comm_sources EXCLUDE REGEX "/comm/(one_sided|c)/")
if(TACIT_HAS_PMIX)
  list(FILTER comm_sources EXCLUDE REGEX "/bootstrap/pmix_none\\.cpp$")
else()
  list(FILTER comm_sources EXCLUDE REGEX "/bootstrap/pmix\\.cpp$")
endif()
if(TACIT_HAS_MPI)
  list(FILTER comm_sources EXCLUDE REGEX "/bootstrap/mpi_none\\.cpp$")
else()
  list(FILTER comm_sources EXCLUDE REGEX "/providers/mpi/|/bootstrap/mpi\\.cpp$")
  list(FILTER c_sources EXCLUDE REGEX "/c/shim/|/c/mpi\\.cpp$")
endif()
if(NOT TACIT_HAS_OFI)
  list(FILTER comm_sources EXCLUDE REGEX "/providers/ofi/")
endif()
# A test of launchers has files of its own in place of these.
set(bootstrap src/tacit/comm/bootstrap)
tacit_layer(comm SOURCES ${comm_sources} PUBLIC Threads::Threads PRIVATE fmt::fmt
            APART ${bootstrap}/mpi.cpp ${bootstrap}/mpi_none.cpp ${bootstrap}/pmix.cpp ${bootstrap}/pmix_none.cpp)
tacit_layer(comm/one_sided PRIVATE fmt::fmt)
tacit_layer(comm/c SOURCES ${c_sources} PRIVATE fmt::fmt)
if(TACIT_HAS_MPI)
  # C++ bindings, which MPI has dropped, would bring warnings and a library of their own.
  add_library(tacit_mpi INTERFACE)
  target_compile_definitions(tacit_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(tacit_mpi SYSTEM INTERFACE ${MPI_CXX_INCLUDE_DIRS})
  target_link_libraries(tacit_mpi INTERFACE MPI::MPI_CXX)
  target_link_libraries(tacit_comm PUBLIC tacit_mpi)
  target_compile_definitions(tacit_comm PUBLIC TACIT_HAS_MPI)
endif()
if(TACIT_HAS_PMIX)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/tacit/comm/bootstrap/pmix.cpp" PROPERTIES
                              COMPILE_OPTIONS "-isystem;${TACIT_PMIX_INCLUDE}")
  target_link_libraries(tacit_comm PRIVATE "${TACIT_PMIX_LIBRARY}")
endif()
if(TACIT_HAS_OFI)
  # Loaded by name when it is wanted (providers/ofi/library.cpp), not linked.
  target_include_directories(tacit_comm SYSTEM PRIVATE "${TACIT_LIBFABRIC_INCLUDE}")
  get_filename_component(libfabric_file "${TACIT_LIBFABRIC_LIBRARY}" DIRECTORY)
  string(APPEND libfabric_file "/libfabric.so.1")  # the name that updates keep
  if(NOT EXISTS "${libfabric_file}")
    set(libfabric_file "${TACIT_LIBFABRIC_LIBRARY}")
  endif()
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/tacit/comm/providers/ofi/library.cpp" PROPERTIES
                              COMPILE_DEFINITIONS "TACIT_LIBFABRIC=\"${libfabric_file}\"")
  target_link_libraries(tacit_comm PRIVATE ${CMAKE_DL_LIBS})
  target_compile_definitions(tacit_comm PUBLIC TACIT_HAS_OFI)
endif()

# FFTW for MPI, for the benchmarks: it is made for one MPI, on Debian for Open MPI.
if(TACIT_BENCH AND TACIT_HAS_MPI)
  tacit_find_fftw_mpi()
  if(FFTWMPI_FOUND AND TACIT_MPI_IS_OPEN_MPI)
    add_library(tacit_fftw_mpi INTERFACE)
    target_include_directories(tacit_fftw_mpi SYSTEM INTERFACE "${TACIT_FFTW_MPI_INCLUDE}")
    target_link_libraries(tacit_fftw_mpi INTERFACE "${TACIT_FFTW_MPI}" tacit::fftw tacit_mpi)
  endif()
  # heFFTe, likewise, with its FFTW backend; the user names its folder in CMAKE_PREFIX_PATH.
  if(TACIT_MPI_IS_OPEN_MPI)
    find_package(Heffte QUIET COMPONENTS FFTW)
  endif()
  # The parallel HDF5 library of Debian's libhdf5-openmpi-dev, never the serial one, which is ours: the benchmark of
  # writes has it in a program of its own. The launcher does not install it: pkg-config would then name it first.
  if(TACIT_MPI_IS_OPEN_MPI)
    find_path(TACIT_HDF5_MPI_INCLUDE hdf5/openmpi/hdf5.h)
    find_library(TACIT_HDF5_MPI hdf5_openmpi)
    if(TACIT_HDF5_MPI_INCLUDE AND TACIT_HDF5_MPI)
      add_library(tacit_hdf5_mpi INTERFACE)
      target_include_directories(tacit_hdf5_mpi SYSTEM INTERFACE "${TACIT_HDF5_MPI_INCLUDE}/hdf5/openmpi")
      target_link_libraries(tacit_hdf5_mpi INTERFACE "${TACIT_HDF5_MPI}" tacit_mpi)
    endif()
  endif()
endif()
