// The order of commuting tasks by their keys, for results that do not depend on the number of threads.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "tacit/tasks/detail/dag.hpp"
#include "tacit/tasks/detail/replay.hpp"

namespace tacit::tasks::detail {

namespace {

using Members = std::vector<std::uint32_t>;  // nodes

/// The members of each commuting run by rank; those of other runs are left out.
std::vector<Members> sorted_members(const Replay& replay, std::span<const std::uint32_t> rank) {
  std::vector<Members> sorted(replay.runs().size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (replay.runs()[i].mode != AccessMode::commute) continue;
    replay.for_members(replay.runs()[i], [&](std::uint32_t node) { sorted[i].push_back(node); });
    std::sort(sorted[i].begin(), sorted[i].end(), [&](auto a, auto b) { return rank[a] < rank[b]; });
  }
  return sorted;
}

/// Adds an edge wherever the merged sequence of two runs goes from one to the other; within a run is done already.
void add_meeting(const Members& a, const Members& b, std::span<const std::uint32_t> rank, std::vector<Edge>& edges) {
  struct Member {
    std::uint32_t node;
    bool in_a;
  };
  std::vector<Member> merged;
  for (const std::uint32_t node : a) merged.push_back({node, true});
  for (const std::uint32_t node : b) merged.push_back({node, false});
  std::sort(merged.begin(), merged.end(), [&](auto x, auto y) { return rank[x.node] < rank[y.node]; });
  for (std::size_t i = 1; i < merged.size(); ++i) {
    if (merged[i - 1].in_a != merged[i].in_a) edges.push_back({merged[i - 1].node, merged[i].node});
  }
}

/// Edges from each commuting task to the next by rank.
std::vector<Edge> edges_by_rank(const Replay& replay, std::span<const std::uint32_t> rank) {
  const std::vector<Members> runs = sorted_members(replay, rank);
  std::vector<Edge> edges;
  for (const Members& run : runs) {
    for (std::size_t i = 1; i < run.size(); ++i) edges.push_back({run[i - 1], run[i]});
  }
  for (const auto& [a, b] : replay.meetings()) add_meeting(runs[a], runs[b], rank, edges);
  return edges;
}

std::vector<Edge> demanded_edges(const Replay& replay) {
  std::vector<Edge> edges;
  edges.reserve(replay.edges());
  for (std::uint32_t node = 0; node < replay.nodes(); ++node) {
    for (const std::uint32_t before : replay.predecessors(node)) edges.push_back({before, node});
  }
  return edges;
}

}  // namespace

std::vector<std::uint32_t> commuting_sequence(const Replay& replay, std::span<const std::uint32_t> rank) {
  const std::uint32_t nodes = replay.nodes();
  std::vector<std::uint32_t> node_rank(nodes, 0);  // joins come as soon as they can
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (replay.task_of(node) != none) node_rank[node] = rank[replay.task_of(node)];
  }
  const std::vector<Edge> demanded = demanded_edges(replay);
  std::vector<Edge> by_rank = edges_by_rank(replay, node_rank);

  std::vector<Edge> edges = demanded;
  edges.insert(edges.end(), by_rank.begin(), by_rank.end());
  const Dag wished(nodes, edges);
  std::vector<std::uint32_t> order = topological_order(wished, node_rank);
  if (order.size() < nodes) {
    const std::vector<bool> core = cyclic_core(wished, edges);
    edges = demanded;
    std::copy_if(by_rank.begin(), by_rank.end(), std::back_inserter(edges),
                 [&](const Edge& edge) { return !(core[edge.from] && core[edge.to]); });
    order = topological_order(Dag(nodes, edges), node_rank);
  }
  std::vector<std::uint32_t> sequence;
  for (const std::uint32_t node : order) {
    if (replay.task_of(node) != none) sequence.push_back(replay.task_of(node));
  }
  return sequence;
}

}  // namespace tacit::tasks::detail
