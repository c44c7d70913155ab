// The leaves of an octree divided among ranks: ranges along the curve, alike by number or by cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/rank.hpp"
#include "tacit/mesh/octree.hpp"

namespace tacit::mesh {

/// Leaves along the curve: begin <= number < end.
struct LeafRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] constexpr bool contains(std::size_t leaf) const noexcept { return begin <= leaf && leaf < end; }
  friend constexpr bool operator==(const LeafRange&, const LeafRange&) = default;
};

/// Which rank has which leaves: ranges along the curve, in the order of the ranks.
class LeafDivision {
 public:
  /// Ranges whose lengths differ by one at most: so it follows from both numbers alone. @pre 0 < ranks
  LeafDivision(std::size_t leaves, std::size_t ranks);
  /// @param begins  shape (ranks + 1): where the range of each rank begins, from 0; the last is the number of leaves
  /// @pre begins do not fall
  explicit LeafDivision(std::vector<std::size_t> begins);

  [[nodiscard]] std::size_t ranks() const noexcept { return begins_.size() - 1; }
  [[nodiscard]] std::size_t leaves() const noexcept { return begins_.back(); }
  [[nodiscard]] LeafRange of(comm::RankId rank) const noexcept {
    const std::size_t place = number(rank);
    return {begins_[place], begins_[place + 1]};
  }
  /// @pre leaf < leaves
  [[nodiscard]] comm::RankId owner(std::size_t leaf) const noexcept;
  /// Whether some rank has no leaf.
  [[nodiscard]] bool has_idle_ranks() const noexcept;
  friend bool operator==(const LeafDivision&, const LeafDivision&) = default;

 private:
  std::vector<std::size_t> begins_;
};

/// No rank gets more than this many times the mean of the leaves, whatever they cost: they take memory.
inline constexpr double most_leaves_of_rank = 2.0;

/// Such that the rank with most to do has as little as can be; none is without a leaf.
/// @param costs  shape (leaves), in any unit
/// @pre 0 < ranks <= leaves
[[nodiscard]] LeafDivision divided_by_cost(std::span<const std::uint64_t> costs, std::size_t ranks);

/// What the rank with most to do has. @param costs  shape (leaves)
[[nodiscard]] std::uint64_t largest_cost(const LeafDivision& division, std::span<const std::uint64_t> costs);

/// The division of another tree in which cells stay on their ranks: leaves of `to` where those of `from` are that they
/// lie in, or the first of those that they consist of.
[[nodiscard]] LeafDivision carried_over(const LeafDivision& division, const Octree& from, const Octree& to);

/// What the leaves of another tree cost: as much as those that they lie in, or as the mean of those that they consist
/// of, as all have as many cells.
/// @param costs  shape (leaves of `from`)
/// @pre no leaf of `to` is more than one level coarser than those of `from` in its place
[[nodiscard]] std::vector<std::uint64_t> carried_over(std::span<const std::uint64_t> costs, const Octree& from,
                                                      const Octree& to);

/// Another division is taken where the rank with most to do has more than so many times what it would have then: what
/// is measured varies, and leaves that change their rank take time.
inline constexpr double least_gain_of_division = 1.05;

/// The division by cost where that is better by `least_gain_of_division`, or where some rank is idle or has more leaves
/// than it may; else the present one. It follows from the arguments alone.
/// @param costs  shape (leaves)   @pre present.ranks() <= leaves
[[nodiscard]] LeafDivision better_division(const LeafDivision& present, std::span<const std::uint64_t> costs);

}  // namespace tacit::mesh
