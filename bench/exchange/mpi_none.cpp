// No MPI in this build.
// SPDX-License-Identifier: Apache-2.0
#include "exchange/rank.hpp"

namespace tacit::bench {

std::unique_ptr<PingPong> mpi_rim(comm::Communicator& /*world*/, std::size_t /*bytes*/) { return nullptr; }
std::unique_ptr<PingPong> mpi_cells(comm::Communicator& /*world*/, std::size_t /*count*/) { return nullptr; }

}  // namespace tacit::bench
