// Says by which transports the ranks of a run reach each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tacit::comm {
class Communicator;
}

namespace tacit::engine {

/// "shm", "shm within nodes, mpi between them", or, where that is not all and there are at most 64 ranks, the pairs of
/// each: "shm 0-1; mpi 0-2, 1-2". All ranks call it, and hear the same.
/// @throws comm::ProviderError if a rank cannot be reached by what was asked for; comm::PeerError on the others
[[nodiscard]] std::string describe_transports(comm::Communicator& ranks);

}  // namespace tacit::engine
