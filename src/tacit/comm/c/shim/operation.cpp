// Messages of declared channels that go through MPI.
// SPDX-License-Identifier: Apache-2.0
//
// Requests are waited for by other functions than those that start them, which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
#include "tacit/comm/c/shim/operation.hpp"

#include "tacit/comm/bootstrap/mpi.hpp"

namespace tacit::comm::shim {

void send_by_mpi(Request& request, int peer, int tag, MPI_Comm ranks) {
  const Buffer& buffer = request.buffer;
  check_mpi(MPI_Isend(buffer.data, buffer.count, buffer.type, peer, tag, ranks, &request.mpi), "MPI_Isend");
}

void receive_by_mpi(Request& request, int peer, int tag, MPI_Comm ranks) {
  const Buffer& buffer = request.buffer;
  check_mpi(MPI_Irecv(buffer.data, buffer.count, buffer.type, peer, tag, ranks, &request.mpi), "MPI_Irecv");
}

}  // namespace tacit::comm::shim
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
