// A build without MPI has no bootstrap of a launcher.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/started.hpp"

namespace tacit::comm {

std::unique_ptr<Bootstrap> bootstrap_started(const std::optional<Launch>& /*launch*/) { return nullptr; }
std::string describe_mpi() { return "this program, which was built without MPI,"; }

}  // namespace tacit::comm
