// An octree of sub-grids on a box of root blocks: its leaves along a space-filling curve, and who is beside whom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacit/mesh/block_grid.hpp"

namespace tacit::mesh {

/// A place for a sub-grid: of level l there are 2^l times as many along each axis as there are roots.
struct Node {
  std::uint32_t level = 0;
  std::array<std::int64_t, 3> at{};  ///< among the nodes of its level, along x, y and z
  friend constexpr auto operator<=>(const Node&, const Node&) = default;
};

struct OctreeSpec {
  std::size_t dimensions = 3;  ///< axes that are divided; along the others all levels have one node
  std::array<std::int64_t, 3> roots{1, 1, 1};
  std::array<Boundary, 3> boundaries{};
};

/// What lies beyond a face of a leaf.
struct Beside {
  enum class Relation : std::uint8_t { outside, alike, coarser, finer };
  Relation relation = Relation::outside;
  std::size_t count = 0;
  std::array<std::size_t, 4> leaves{};  ///< one; of finer ones those at the face, the lower axis across it fastest
};

/// A leaf that touches another one, as that sees it.
struct Touching {
  std::size_t leaf = 0;
  /// Where: -1, 0 or 1 along each axis; not all 0.
  std::array<std::int64_t, 3> offset{};
  /// How often the domain is to be moved by its length along each axis for the two to be beside each other.
  std::array<std::int64_t, 3> turns{};
};

/// Leaves are numbered along the Morton curve (z order) through the finest cells, so that a range of numbers is a
/// compact part of the domain, whatever the levels. Those that touch, be it in a corner, differ by one level at most.
class Octree {
 public:
  /// All leaves are of one level. @throws base::Error if there are more than the curve can number
  Octree(const OctreeSpec& spec, std::uint32_t level);
  /// The coarsest tree in which these nodes are divided, and those which the difference of levels asks for.
  /// @throws base::PreconditionError if one is outside of the box
  Octree(const OctreeSpec& spec, std::span<const Node> divided);

  [[nodiscard]] const OctreeSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] std::size_t size() const noexcept { return leaves_.size(); }
  [[nodiscard]] const Node& leaf(std::size_t number) const { return leaves_[number]; }
  [[nodiscard]] std::span<const Node> leaves() const noexcept { return leaves_; }
  /// Of any leaf.
  [[nodiscard]] std::uint32_t finest() const noexcept { return finest_; }
  [[nodiscard]] std::uint32_t coarsest() const noexcept { return coarsest_; }

  /// Nodes of a level along an axis.
  [[nodiscard]] std::int64_t nodes(std::size_t axis, std::uint32_t level) const noexcept {
    return axis < spec_.dimensions ? spec_.roots[axis] << level : 1;
  }
  /// The leaf which is that node, or which it is a part of; nothing if the node is divided.
  /// @pre the node is inside the box   Cost: a binary search.
  [[nodiscard]] std::optional<std::size_t> covering(const Node& node) const;
  /// The node of the same level so many places away, around the box where that is periodic; nothing beyond a side.
  [[nodiscard]] std::optional<Node> shifted(const Node& node, const std::array<std::int64_t, 3>& by) const;
  [[nodiscard]] Beside beside(std::size_t leaf, std::size_t axis, Side side) const;
  /// What touches a leaf, offset by offset: finer leaves all that do so there. Around a periodic box a leaf may be
  /// there several times, and itself.
  [[nodiscard]] std::vector<Touching> around(std::size_t leaf) const;
  /// The leaves that touch one, in a face, an edge or a corner, itself not among them; each once, in their order.
  [[nodiscard]] std::vector<std::size_t> touching(std::size_t leaf) const;

  /// The node that is divided into this one and others. @pre node.level > 0
  [[nodiscard]] Node parent(const Node& node) const;
  /// Into which a node is divided: x fastest.
  [[nodiscard]] std::vector<Node> children(const Node& node) const;

  /// How many leaves a tree of one level has; as a double, since it may be beyond all integers.
  [[nodiscard]] static double leaves_of_level(const OctreeSpec& spec, std::uint32_t level);
  /// The finest level that the curve can number.
  [[nodiscard]] static std::uint32_t deepest_level(const OctreeSpec& spec);

 private:
  /// Along the curve, of the lowest cell of a node.
  [[nodiscard]] std::uint64_t place(const Node& node) const;
  void number();

  OctreeSpec spec_;
  std::uint32_t deepest_ = 0;
  std::uint32_t finest_ = 0;
  std::uint32_t coarsest_ = 0;
  std::vector<Node> leaves_;
  std::vector<std::uint64_t> places_;  // of the leaves, rising
};

}  // namespace tacit::mesh
