// Ranks of a launcher that offers PMIx, without MPI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm {

/// The ranks that `srun --mpi=pmix` or Open MPI's mpirun started, whether or not this build has MPI. Collective.
///
///     comm::Communicator world(comm::bootstrap_pmix());
///
/// @throws LaunchError if this build has no PMIx, no launcher of this kind started the process, or it does not answer
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_pmix();

}  // namespace tacit::comm
