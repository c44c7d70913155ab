// The tree of blocks of cells that gravity is computed with, and who acts on whom in it: all from the octree alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tacit/mesh/leaf_division.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// Cubes, each of which is divided into eight: from one around all root blocks down to blocks of 4^3 cells. The eight
/// parts of a cube are a group; that of a cube of 8^3 cells, the unit, are blocks of cells, others are cubes again or,
/// beyond root blocks, not there.
///
/// Cubes of one size act by expansions where their centres are 1 / angle times their side apart, or more, but nearer
/// ones of which they are parts are not; of two sizes, likewise with the mean of the sides. Blocks that are nearer act
/// cell by cell. So every pair of cells is covered once, whatever the levels. Lengths below are in sides of the largest
/// cube.
class GravityTree {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  struct Group {
    std::uint32_t depth = 0;  ///< of the cube that is divided; that around all has 0
    std::array<std::int64_t, 3> at{};
    std::uint32_t parent = none;  ///< the group that the cube is in; the first one has none
    std::uint32_t lane = 0;       ///< and its place there, x fastest
    std::array<std::uint32_t, 8> children{none, none, none, none, none, none, none, none};
    std::uint32_t unit = none;  ///< its number, if the parts are blocks
    bool is_wanted = false;     ///< whether an own leaf is in it

    [[nodiscard]] bool has(std::size_t part) const noexcept { return unit != none || children[part] != none; }
    /// Of the centre of a part.
    [[nodiscard]] std::array<double, 3> centre(std::size_t part) const noexcept;
  };
  /// A group near another one, and how many sides of the divided cubes away: a place in `offsets`.
  struct Near {
    std::uint32_t offset = 0;
    std::uint32_t group = 0;
  };
  /// A part that acts on one of another size.
  struct Pair {
    std::uint32_t sink = 0;  ///< group
    std::uint32_t sink_lane = 0;
    std::uint32_t source = 0;  ///< group
    std::uint32_t source_lane = 0;
  };
  /// Lists of each group, one behind the other.
  template <class Item>
  struct Lists {
    std::vector<std::uint32_t> begins;
    std::vector<Item> items;
    [[nodiscard]] const Item* begin_of(std::size_t group) const noexcept { return items.data() + begins[group]; }
    [[nodiscard]] const Item* end_of(std::size_t group) const noexcept { return items.data() + begins[group + 1]; }
  };

  /// @param own    the leaves whose cells are sinks
  /// @param angle  1/3 to 1/2
  GravityTree(const Domain& domain, const mesh::Octree& tree, const mesh::LeafRange& own, double angle);

  /// Whether cubes so many of their sides apart are too near for expansions.
  [[nodiscard]] static bool is_near(double x, double y, double z, double angle);

  /// All that are near, x fastest.
  [[nodiscard]] static std::vector<std::array<int, 3>> offsets_of(double angle);

  /// Rising with depth.
  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  /// Where the groups of each depth begin, and the end of the last.
  [[nodiscard]] const std::vector<std::size_t>& depths() const noexcept { return depths_; }
  /// Groups of units: those of a leaf behind those of the one before it.
  [[nodiscard]] const std::vector<std::uint32_t>& units() const noexcept { return units_; }
  [[nodiscard]] std::size_t units_of_leaf() const noexcept { return units_of_leaf_; }
  /// Side of the largest cube [length].
  [[nodiscard]] double side() const noexcept { return side_; }
  /// Between cubes that are near each other, in their sides: offsets_of(angle).
  [[nodiscard]] const std::vector<std::array<int, 3>>& offsets() const noexcept { return offsets_; }
  /// How many blocks away the nearest expansions are, less one: along an axis.
  [[nodiscard]] int reach() const noexcept { return reach_; }
  /// Of wanted groups: those near them, themselves among them.
  [[nodiscard]] const Lists<Near>& near() const noexcept { return near_; }
  [[nodiscard]] const Lists<Pair>& expanded() const noexcept { return expanded_; }  ///< by expansions
  [[nodiscard]] const Lists<Pair>& summed() const noexcept { return summed_; }      ///< cell by cell

 private:
  void add_units(const Domain& domain, const mesh::Octree& tree, const mesh::LeafRange& own);
  void order();
  void find_near();
  void find_pairs(std::uint32_t block, std::uint32_t lane, std::uint32_t group);
  [[nodiscard]] bool are_near(std::uint32_t a, std::uint32_t part_of_a, std::uint32_t b, std::uint32_t part_of_b) const;
  [[nodiscard]] std::uint32_t group_at(std::uint32_t depth, const std::array<std::int64_t, 3>& at) const;
  std::uint32_t add(std::uint32_t depth, const std::array<std::int64_t, 3>& at);

  double angle_;
  double side_ = 0.0;
  std::uint32_t root_depth_ = 0;
  std::size_t units_of_leaf_ = 1;
  int reach_ = 1;
  std::vector<std::array<int, 3>> offsets_;
  std::vector<Group> groups_;
  std::vector<std::size_t> depths_;
  std::vector<std::uint32_t> units_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // groups by place
  Lists<Near> near_;
  Lists<Pair> expanded_;
  Lists<Pair> summed_;
};

}  // namespace tacit::amr
