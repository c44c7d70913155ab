// Writes rank files as text.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/rank_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace tacit::placement {

using network::NodeId;
using network::Placement;

std::vector<NodeId> used_nodes(const Placement& placement, std::span<const NodeId> listed) {
  std::unordered_map<NodeId, std::size_t> ranks_on;
  for (const NodeId node : placement) ++ranks_on[node];
  std::vector<NodeId> nodes;
  std::size_t most = 0;
  for (const NodeId node : listed) {
    const auto found = ranks_on.find(node);
    if (found == ranks_on.end()) continue;
    nodes.push_back(node);
    most = std::max(most, found->second);
  }
  std::ranges::stable_partition(nodes, [&](NodeId node) { return ranks_on.at(node) == most; });
  return nodes;
}

std::string mpich_rank_order(const Placement& placement, std::span<const NodeId> nodes) {
  std::unordered_map<NodeId, std::vector<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) ranks[placement[rank]].push_back(rank);
  std::string text;
  for (const NodeId node : nodes) fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(ranks[node], ","));
  return text;
}

std::string openmpi_rankfile(const network::Network& network, const Placement& placement,
                             const std::optional<NodeShape>& node) {
  std::unordered_map<NodeId, std::size_t> ranks_on;
  for (const NodeId place : placement) ++ranks_on[place];
  std::unordered_map<NodeId, std::size_t> next;
  std::string text;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    const std::size_t slot = next[placement[rank]]++;
    const std::string name = network::name_of(network, placement[rank]);
    const std::size_t ranks = ranks_on[placement[rank]];
    if (!node || ranks > node->cores.size()) {
      fmt::format_to(std::back_inserter(text), "rank {}={} slot={}\n", rank, name, slot);
      continue;
    }
    // Fewer ranks than cores: spread evenly, so that all NUMA domains are used.
    const NodeShape::Core& core = node->cores[slot * node->cores.size() / ranks];
    fmt::format_to(std::back_inserter(text), "rank {}={} slot={}:{}\n", rank, name, core.package, core.place);
  }
  return text;
}

std::string slurm_hostfile(const network::Network& network, const Placement& placement) {
  std::string text;
  for (const NodeId node : placement) text += network::name_of(network, node) + '\n';
  return text;
}

std::string node_list(const network::Network& network, std::span<const NodeId> nodes) {
  std::string text;
  for (const NodeId node : nodes) text += network::name_of(network, node) + '\n';
  return text;
}

}  // namespace tacit::placement
