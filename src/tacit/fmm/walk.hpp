// The walk through a tree of cells that finds which of them act on each other, and how.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

namespace tacit::fmm {

/// A tree of cells as the walk sees it. Cells are numbers, or whatever is as cheap to copy.
///
///     struct Tree {
///       bool is_leaf(std::size_t cell) const;
///       double radius(std::size_t cell) const;                  // the larger one of a pair is opened
///       std::span<const std::size_t> children(std::size_t cell) const;   // any range
///     };
template <class Tree, class Cell>
concept CellTree = requires(const Tree& tree, Cell cell) {
  { tree.is_leaf(cell) } -> std::convertible_to<bool>;
  { tree.radius(cell) } -> std::convertible_to<double>;
  tree.children(cell);
};

/// What is done with the pairs that the walk ends at.
///
///     struct Interactions {
///       bool accepts(std::size_t a, std::size_t b);  // whether expansions will do, both ways
///       void expand(std::size_t a, std::size_t b);   // M2L both ways, or an entry in two lists
///       void sum(std::size_t a, std::size_t b);      // P2P of two leaves, both ways
///       void sum(std::size_t leaf);                  // P2P of a leaf with itself
///     };
template <class T, class Cell>
concept InteractionVisitor = requires(T& visitor, Cell a, Cell b) {
  { visitor.accepts(a, b) } -> std::convertible_to<bool>;
  visitor.expand(a, b);
  visitor.sum(a, b);
  visitor.sum(a);
};

/// The dual walk of two cells without a common body: where they are not accepted, the larger one of them that is no
/// leaf is opened. Every pair of leaves below is covered once, by `expand` of it or of cells above it, or by `sum`.
///
/// @see Dehnen (2002), J. Comput. Phys. 179, 27, section 3
/// Cost: O(pairs that are visited). The order of visits follows from the tree alone.
template <class Cell, CellTree<Cell> Tree, InteractionVisitor<Cell> Visitor>
void walk_pair(const Tree& tree, Cell a, Cell b, Visitor& visitor) {
  if (visitor.accepts(a, b)) return visitor.expand(a, b);
  const bool is_leaf_a = tree.is_leaf(a);
  const bool is_leaf_b = tree.is_leaf(b);
  if (is_leaf_a && is_leaf_b) return visitor.sum(a, b);
  if (is_leaf_b || (!is_leaf_a && tree.radius(a) >= tree.radius(b))) {
    for (const Cell child : tree.children(a)) walk_pair(tree, child, b, visitor);
  } else {
    for (const Cell child : tree.children(b)) walk_pair(tree, a, child, visitor);
  }
}

/// The dual walk of a cell with itself: all pairs below it, each once.
template <class Cell, CellTree<Cell> Tree, InteractionVisitor<Cell> Visitor>
void walk(const Tree& tree, Cell cell, Visitor& visitor) {
  if (tree.is_leaf(cell)) return visitor.sum(cell);
  const auto& children = tree.children(cell);
  for (auto a = children.begin(); a != children.end(); ++a) {
    walk<Cell>(tree, *a, visitor);
    for (auto b = a + 1; b != children.end(); ++b) walk_pair<Cell>(tree, *a, *b, visitor);
  }
}

}  // namespace tacit::fmm
