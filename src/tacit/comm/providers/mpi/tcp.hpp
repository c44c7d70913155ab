// What Open MPI sends over TCP without asking the receiver first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tacit::comm::mpi {

/// Where MPI is not Open MPI, or has a better network than TCP, `eager` is 0.
struct TcpWay {
  std::size_t eager = 0;      ///< bytes of the longest message that goes without asking
  bool within_nodes = false;  ///< whether ranks of one node have nothing better, too
};

/// Asks MPI's own variables (MPI_T). @pre MPI is initialised, and this thread may call it
/// Cost: some milliseconds, 0.2 s where libfabric was not loaded before.
[[nodiscard]] TcpWay find_tcp_way();

}  // namespace tacit::comm::mpi
