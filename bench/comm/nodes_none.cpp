// Without MPI nothing starts ranks on emulated nodes.
// SPDX-License-Identifier: Apache-2.0
#include "comm/nodes.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

void serve_nodes(std::span<const std::string_view> /*words*/, std::ostream& /*out*/) {
  throw base::Error("the benchmark 'nodes' needs MPI, which this build has not");
}

}  // namespace tacit::bench
