// Lists the peers.
// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

namespace tacit::bench {

std::vector<RuntimeEntry> peers() {
  std::vector<RuntimeEntry> found;
  for (auto& peer : {onetbb(), onetbb_light(), openmp(), taskflow()}) {
    if (peer) found.push_back(*peer);
  }
  return found;
}

}  // namespace tacit::bench
