// No collectives and no halo of MPI in this build.
// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi_peers.hpp"

namespace tacit::bench {

std::unique_ptr<PingPong> mpi_all_to_all(MpiCalls /*calls*/, std::size_t /*bytes*/) { return nullptr; }
std::unique_ptr<PingPong> mpi_all_reduce(std::size_t /*count*/) { return nullptr; }
std::unique_ptr<PingPong> mpi_barrier() { return nullptr; }
std::unique_ptr<PingPong> mpi_broadcasts(comm::Communicator& /*world*/, std::size_t /*bytes*/) { return nullptr; }
std::unique_ptr<PingPong> mpi_all_gather(std::size_t /*bytes*/) { return nullptr; }
std::unique_ptr<PingPong> mpi_halo(comm::Communicator& /*world*/, MpiRequests /*requests*/, const HaloSpec& /*spec*/) {
  return nullptr;
}

}  // namespace tacit::bench
