// No MPI to compare with in this build.
// SPDX-License-Identifier: Apache-2.0
#include "comm/pingpong.hpp"

namespace tacit::bench {

std::unique_ptr<PingPong> mpi_ping_pong(comm::Communicator& /*world*/, MpiRequests /*requests*/, std::size_t /*bytes*/,
                                        Source /*source*/) {
  return nullptr;
}
std::unique_ptr<PingPong> mpi_stream(comm::Communicator& /*world*/, std::size_t /*bytes*/) { return nullptr; }
std::string mpi_version() { return {}; }

}  // namespace tacit::bench
