# The layer comm, with MPI's files where there is MPI.
# SPDX-License-Identifier: Apache-2.0

set(TACIT_HAS_MPI OFF)
if(TACIT_MPI)  # AUTO counts as true
  tacit_dependency_row(MPI)
  find_package(MPI ${version} QUIET COMPONENTS CXX)
  set(TACIT_HAS_MPI ${MPI_CXX_FOUND})
  if(NOT TACIT_HAS_MPI AND NOT TACIT_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "TACIT_MPI=${TACIT_MPI}, but no MPI ${version} or newer was found (mpicxx, mpi.h)")
  endif()
endif()

file(GLOB_RECURSE comm_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tacit/comm/*.cpp")
if(TACIT_HAS_MPI)
  list(FILTER comm_sources EXCLUDE REGEX "/started_none\\.cpp$")
else()
  list(FILTER comm_sources EXCLUDE REGEX "/providers/mpi/|/c/shim/|/(bootstrap|c)/mpi\\.cpp$")
endif()
tacit_layer(comm SOURCES ${comm_sources} PUBLIC Threads::Threads PRIVATE fmt::fmt)
if(TACIT_HAS_MPI)
  # C++ bindings, which MPI has dropped, would bring warnings and a library of their own.
  add_library(tacit_mpi INTERFACE)
  target_compile_definitions(tacit_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(tacit_mpi SYSTEM INTERFACE ${MPI_CXX_INCLUDE_DIRS})
  target_link_libraries(tacit_mpi INTERFACE MPI::MPI_CXX)
  target_link_libraries(tacit_comm PUBLIC tacit_mpi)
  target_compile_definitions(tacit_comm PUBLIC TACIT_HAS_MPI)
endif()
