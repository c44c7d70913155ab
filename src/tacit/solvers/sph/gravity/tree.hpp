// The tree over all cells that gravity walks: the trees of the cells, and one over their roots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/particles/cell_tree.hpp"

namespace tacit::sph {

/// A node: a cell, or a box of nodes.
struct GravityNode {
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t parent = none;    ///< none: the root
  std::uint32_t first_child = 0;  ///< children have this number and those that follow
  std::uint32_t children = 0;     ///< none: a cell
  std::uint32_t leaf = none;      ///< of the forest: the cell's
  [[nodiscard]] bool is_cell() const noexcept { return children == 0; }
};

/// One tree over all leaves of a forest. Above the forest's roots the grid of them is halved along each axis that is
/// longer than one of them, again and again, so that nodes are as compact as the grid allows. Follows from the cells
/// alone; parents come before their children.
class GravityTree {
 public:
  explicit GravityTree(const particles::CellTree& cells);

  [[nodiscard]] std::span<const GravityNode> nodes() const noexcept { return nodes_; }
  /// The node that is a leaf of the forest.
  [[nodiscard]] std::size_t node_of_leaf(std::size_t leaf) const { return node_of_leaf_[leaf]; }

 private:
  /// Roots [first, end) along each axis.
  struct Box {
    std::array<int, 3> first{}, end{};
  };
  void grow(const particles::Forest& forest, std::size_t node, const Box& roots);
  void attach(const particles::Forest& forest, std::size_t node, std::size_t of_forest);
  [[nodiscard]] std::size_t add_children(std::size_t node, std::size_t count);

  std::vector<GravityNode> nodes_;
  std::vector<std::uint32_t> node_of_leaf_;
};

}  // namespace tacit::sph
