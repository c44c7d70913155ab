// Chooses the clock of the tasks of sub-grids, and hands out what these took.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/leaf_costs.hpp"

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::amr {

LeafCosts::LeafCosts(const AmrParameters& parameters, const engine::Resources& resources)
    : clock_(parameters.rebalance == Rebalance::cost && resources.ranks.size() > 1
                 ? engine::cost_clock(resources.ranks, resources.scheduler.workers())
                 : nullptr) {}

std::vector<std::uint64_t> LeafCosts::take(const mesh::LeafRange& own, std::size_t leaves) {
  TACIT_EXPECT(clock_ != nullptr && own.size() == costs_.size());
  std::vector<std::uint64_t> costs(leaves, 0);
  for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) {
    // A clock that jumps back, as another processor's counter may, is no negative cost.
    const std::int64_t taken = std::exchange(costs_[leaf - own.begin], 0);
    costs[leaf] = static_cast<std::uint64_t>(std::max<std::int64_t>(taken, 0));
  }
  return costs;
}

}  // namespace tacit::amr
