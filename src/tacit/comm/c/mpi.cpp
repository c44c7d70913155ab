// The C interface: the ranks of an MPI communicator.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/mpi.hpp"

#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/c/tacit_comm_mpi.h"

tacit_status tacit_comm_create_mpi(MPI_Comm ranks, const tacit_options* options, tacit_comm** comm) {
  namespace c = tacit::comm::c;
  return c::make(comm, [&] {
    return std::unique_ptr<tacit_comm>(new tacit_comm{
        .communicator = tacit::comm::Communicator(tacit::comm::bootstrap_mpi(ranks), c::options_of(options))});
  });
}

tacit_status tacit_comm_create_mpi_fortran(MPI_Fint ranks, const tacit_options* options, tacit_comm** comm) {
  return tacit_comm_create_mpi(MPI_Comm_f2c(ranks), options, comm);
}
