// What a placed job sends through the cuts that halve it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tacit/placement/network/job.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement {

/// One cut through the routers of a job, into halves of its extent.
struct CutLoad {
  std::string name;
  double bytes = 0.0;      ///< from one half to the other, the larger of both ways, all exchanges of the job together
  double bandwidth = 0.0;  ///< of all links through it, each way [byte/s]
  [[nodiscard]] double seconds() const noexcept { return bandwidth > 0.0 ? bytes / bandwidth : 0.0; }
};

/// The cuts of a torus normal to x, y, z (dimensions in which the job has more than one router), the groups of a
/// dragonfly, the leaf switches of a fat tree; of a graph none.
///
/// @param placement  shape (ranks); nodes of the network
/// Cost: O(ranks) for each cut; of halos and messages, O(messages).
[[nodiscard]] std::vector<CutLoad> cut_loads(const network::Network& network, const network::Job& job,
                                             const network::Placement& placement);

}  // namespace tacit::placement
