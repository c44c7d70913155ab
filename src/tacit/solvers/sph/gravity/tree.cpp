// Grows the tree over the roots, and takes those of the cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity/tree.hpp"

#include <utility>

namespace tacit::sph {

GravityTree::GravityTree(const particles::CellTree& cells) {
  node_of_leaf_.resize(cells.leaves());
  nodes_.emplace_back();
  grow(cells.forest(), 0, {{}, cells.shape()});
}

/// @return the first of them
std::size_t GravityTree::add_children(std::size_t node, std::size_t count) {
  const std::size_t first = nodes_.size();
  nodes_[node].first_child = static_cast<std::uint32_t>(first);
  nodes_[node].children = static_cast<std::uint32_t>(count);
  GravityNode child;
  child.parent = static_cast<std::uint32_t>(node);
  nodes_.insert(nodes_.end(), count, child);
  return first;
}

void GravityTree::grow(const particles::Forest& forest, std::size_t node, const Box& roots) {
  std::vector<Box> parts{roots};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (roots.end[axis] - roots.first[axis] < 2) continue;
    const int middle = (roots.first[axis] + roots.end[axis]) / 2;
    std::vector<Box> halves;
    for (const Box& part : parts) {
      halves.insert(halves.end(), 2, part);
      halves[halves.size() - 2].end[axis] = middle;
      halves.back().first[axis] = middle;
    }
    parts = std::move(halves);
  }
  if (parts.size() == 1) return attach(forest, node, forest.root_at(roots.first));
  const std::size_t first = add_children(node, parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) grow(forest, first + k, parts[k]);
}

void GravityTree::attach(const particles::Forest& forest, std::size_t node, std::size_t of_forest) {
  if (forest.is_leaf(of_forest)) {
    const std::size_t leaf = forest.leaf_of(of_forest);
    nodes_[node].leaf = static_cast<std::uint32_t>(leaf);
    node_of_leaf_[leaf] = static_cast<std::uint32_t>(node);
    return;
  }
  const std::size_t first = add_children(node, forest.children());
  for (std::size_t k = 0; k < forest.children(); ++k) attach(forest, first + k, forest.first_child(of_forest) + k);
}

}  // namespace tacit::sph
