// Sorts ranks by nodes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/team.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::comm::detail {

std::uint32_t Team::gateway(std::uint32_t of_node, std::uint32_t other) const noexcept {
  return other % std::min(leaders, static_cast<std::uint32_t>(nodes[of_node].size()));
}

Team make_team(std::span<const RankInfo> ranks, RankId own, const CollectiveOptions& options) {
  if (options.leaders == 0) throw base::Error("a collective needs at least one leader per node");
  Team team;
  team.leaders = options.leaders;
  for (const RankInfo& rank : ranks) {
    const std::uint32_t node = options.pattern == Pattern::flat ? number(rank.rank) : rank.domain;
    if (node == team.nodes.size()) team.nodes.emplace_back();
    team.node_of.push_back(node);
    team.index_of.push_back(static_cast<std::uint32_t>(team.nodes[node].size()));
    team.nodes[node].push_back(rank.rank);
  }
  team.node = team.node_of[number(own)];
  team.index = team.index_of[number(own)];
  return team;
}

}  // namespace tacit::comm::detail
