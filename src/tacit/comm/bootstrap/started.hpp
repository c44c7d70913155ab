// The bootstrap that a parallel launcher brings, if this build can use it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

namespace tacit::comm {

/// MPI's, where it runs already or a launcher is seen; null otherwise, and in a build without MPI.
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_started(const std::optional<Launch>& launch);

/// "Open MPI v4.1.4, which this program was built with", "this program, which was built without MPI".
[[nodiscard]] std::string describe_mpi();

}  // namespace tacit::comm
