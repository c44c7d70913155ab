// A build without MPI.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/launcher.hpp"

namespace tacit::comm {

std::unique_ptr<Bootstrap> started_by_mpi(const std::optional<Launch>& /*launch*/) { return nullptr; }
std::string describe_mpi() { return ""; }

}  // namespace tacit::comm
