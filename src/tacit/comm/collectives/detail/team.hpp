// The ranks of a communicator as a collective sees them: by nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/collectives/options.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm::detail {

/// Nodes, each with its ranks in order. A node is a group of ranks that share memory; in the flat pattern, each rank.
struct Team {
  std::vector<std::vector<RankId>> nodes;
  std::vector<std::uint32_t> node_of;   ///< by rank
  std::vector<std::uint32_t> index_of;  ///< by rank: its place on its node
  std::uint32_t node = 0;               ///< ours
  std::uint32_t index = 0;              ///< our place on it
  std::uint32_t leaders = 1;

  [[nodiscard]] const std::vector<RankId>& members() const noexcept { return nodes[node]; }
  /// The place of the rank of `node` through which it exchanges messages with node `other`.
  [[nodiscard]] std::uint32_t gateway(std::uint32_t of_node, std::uint32_t other) const noexcept;
};

/// @throws base::Error if there are no leaders
[[nodiscard]] Team make_team(std::span<const RankInfo> ranks, RankId own, const CollectiveOptions& options);

}  // namespace tacit::comm::detail
