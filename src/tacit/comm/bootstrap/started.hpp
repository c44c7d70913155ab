// The bootstrap that a parallel launcher brings, if this build can use it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

namespace tacit::comm {

/// MPI's, where this build has it and it runs already or a launcher is seen; else that of PMIx, where this build has no
/// MPI and the launcher offers it; else rank 0 of 1.
/// @throws LaunchError if the launcher started several ranks and each of them would be alone
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_of_launcher();

// What builds with and without MPI and PMIx differ in; each has a file for both.

/// MPI's, where it runs already or a launcher is seen; null otherwise, and in a build without MPI.
[[nodiscard]] std::unique_ptr<Bootstrap> started_by_mpi(const std::optional<Launch>& launch);
/// PMIx's, if its server left its variables; null otherwise, and in a build without PMIx.
[[nodiscard]] std::unique_ptr<Bootstrap> started_by_pmix();
/// "Open MPI v4.1.4"; empty without MPI.
[[nodiscard]] std::string describe_mpi();
/// "OpenPMIx 4.2.2"; empty without PMIx.
[[nodiscard]] std::string describe_pmix();

}  // namespace tacit::comm
