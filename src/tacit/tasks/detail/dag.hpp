// Directed graphs of small integers: edges, successor lists, topological order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::tasks::detail {

struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend constexpr auto operator<=>(const Edge&, const Edge&) = default;
};

/// Successors of each node as CSR, ascending and each once, and the number of predecessors.
struct Dag {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> successors;
  std::vector<std::uint32_t> waits;

  /// @param edges  in any order, duplicates allowed; no edge from a node to itself
  Dag(std::size_t nodes, std::vector<Edge> edges);

  [[nodiscard]] std::size_t nodes() const noexcept { return waits.size(); }
  [[nodiscard]] std::span<const std::uint32_t> after(std::uint32_t node) const {
    return std::span(successors).subspan(first[node], first[node + 1] - first[node]);
  }
};

/// The nodes, each after its predecessors; among those that could come next, the one of lowest rank.
///
/// @param rank  shape (nodes)
/// @return      shape (nodes); shorter if there are cycles: nodes on cycles and all behind them are missing
/// Cost: O((nodes + edges) log nodes).
[[nodiscard]] std::vector<std::uint32_t> topological_order(const Dag& dag, std::span<const std::uint32_t> rank);

/// Marks all nodes on cycles, and those on paths from cycle to cycle.
///
/// @param edges  those `dag` was made from
/// @return       shape (nodes); all false if there are no cycles
[[nodiscard]] std::vector<bool> cyclic_core(const Dag& dag, std::span<const Edge> edges);

}  // namespace tacit::tasks::detail
