// Directed graphs of small integers: edges, successor lists, topological order.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/dag.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace tacit::tasks::detail {

Dag::Dag(std::size_t nodes, std::vector<Edge> edges) : first(nodes + 1, 0), waits(nodes, 0) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  successors.reserve(edges.size());
  for (const Edge& edge : edges) {
    ++first[edge.from + 1];
    ++waits[edge.to];
    successors.push_back(edge.to);
  }
  for (std::size_t i = 0; i < nodes; ++i) first[i + 1] += first[i];
}

std::vector<std::uint32_t> topological_order(const Dag& dag, std::span<const std::uint32_t> rank) {
  using Ranked = std::pair<std::uint32_t, std::uint32_t>;  // rank, node
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> ready;
  std::vector<std::uint32_t> waits = dag.waits;
  for (std::uint32_t node = 0; node < dag.nodes(); ++node) {
    if (waits[node] == 0) ready.emplace(rank[node], node);
  }
  std::vector<std::uint32_t> order;
  order.reserve(dag.nodes());
  while (!ready.empty()) {
    const std::uint32_t node = ready.top().second;
    ready.pop();
    order.push_back(node);
    for (const std::uint32_t next : dag.after(node)) {
      if (--waits[next] == 0) ready.emplace(rank[next], next);
    }
  }
  return order;
}

namespace {

/// Marks the nodes that neither lie on a cycle nor behind one.
void mark_peeled(const Dag& dag, std::vector<bool>& peeled) {
  const std::vector<std::uint32_t> no_rank(dag.nodes(), 0);
  for (const std::uint32_t node : topological_order(dag, no_rank)) peeled[node] = true;
}

}  // namespace

std::vector<bool> cyclic_core(const Dag& dag, std::span<const Edge> edges) {
  std::vector<bool> peeled(dag.nodes(), false);
  mark_peeled(dag, peeled);
  std::vector<Edge> reversed;
  reversed.reserve(edges.size());
  for (const Edge& edge : edges) reversed.push_back({edge.to, edge.from});
  mark_peeled(Dag(dag.nodes(), std::move(reversed)), peeled);
  peeled.flip();
  return peeled;
}

}  // namespace tacit::tasks::detail
