// The aggregates of a lattice, fine or coarse: boxes of sites, each a site of the next coarser lattice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd::multigrid {

/// Sites of the coarse lattice, of one group, at an end of a rank's part where another rank's begins; and how many of
/// that group are beyond it. Both in the order of the other three coordinates, which is the same at both ends.
struct CoarseFace {
  std::size_t axis = 0;
  bool is_high = false;
  std::size_t group = 0;
  std::vector<std::uint32_t> sites;
  std::size_t ghosts = 0;       ///< sites beyond it
  std::size_t first_ghost = 0;  ///< the number of the first
};

/// Divides what a rank has of a lattice into boxes. Those of the fine lattice are of even extents, made of blocks of
/// 2^4 sites; those of a coarse one are made of its sites, which are called blocks then, with one lane. Sums over an
/// aggregate are those of its blocks, in the order of the whole lattice: they depend neither on the folding nor on
/// ranks.
///
/// Where the coarse lattice is a chessboard, its even sites are group 0 and come first, its odd ones are group 1; else
/// all are of one group.
class Aggregates {
 public:
  /// @pre extents of an aggregate divide those of the part, and where it begins
  Aggregates(const Lattice& lattice, const Coordinates& extents);
  /// Of the lattice whose sites are the aggregates of a finer one. @pre the same
  Aggregates(const Aggregates& finer, const Coordinates& extents);

  /// The coarse lattice, of all ranks.
  [[nodiscard]] const Extents& coarse() const noexcept { return part_.whole; }
  /// What this rank has of it.
  [[nodiscard]] const LatticePart& part() const noexcept { return part_; }
  /// Of this rank.
  [[nodiscard]] std::size_t count() const noexcept { return numbers_.size(); }
  /// Which site of the coarse lattice each of them is, x fastest.
  [[nodiscard]] std::span<const std::uint32_t> numbers() const noexcept { return numbers_; }

  /// One or two.
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  /// Those of a group are [first(group), first(group + 1)).
  [[nodiscard]] std::size_t first(std::size_t group) const noexcept {
    return group == 0 ? 0 : group == groups_ ? count() : even_;
  }
  static constexpr std::uint32_t ghost = 0x80000000U;  ///< the neighbour is a ghost, of the number in the other bits
  static constexpr std::uint32_t none = 0x7fffffffU;   ///< it is the aggregate itself
  /// Eight of each of them: forward and backward along x, y, z, t.
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::size_t aggregate) const noexcept {
    return std::span(neighbours_).subspan(8 * aggregate, 8);
  }
  /// Of this rank's part: none on one rank alone, nor those without sites and ghosts.
  [[nodiscard]] const std::vector<CoarseFace>& faces() const noexcept { return faces_; }

  /// Folded blocks of 2^4 sites of this rank, and their lanes; or sites of the finer coarse lattice.
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_; }
  /// Blocks of an aggregate: block * lanes() + lane.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t aggregate) const noexcept {
    return std::span(members_).subspan(aggregate * blocks_of_each_, blocks_of_each_);
  }
  /// In bit `axis` whether the next block along an axis is in another aggregate.
  [[nodiscard]] std::uint32_t leaves(std::size_t block_and_lane) const noexcept { return leaves_[block_and_lane]; }
  /// 0 or 1, as on a chessboard, of a block of 2^4 sites of the fine lattice.
  [[nodiscard]] std::uint32_t colour(std::size_t block_and_lane) const noexcept { return colours_[block_and_lane]; }

 private:
  void number();
  void find_neighbours();
  void find_blocks(const Lattice& lattice);
  void find_sites(const Aggregates& finer);

  Coordinates extents_;
  LatticePart part_;
  std::size_t blocks_;
  std::size_t lanes_;
  std::size_t blocks_of_each_;
  std::size_t groups_ = 1;
  std::size_t even_ = 0;  // of this rank, where there are two groups
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> places_;  // which aggregate each site of this rank's part is, x fastest
  std::vector<std::uint32_t> neighbours_;
  std::vector<CoarseFace> faces_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> leaves_;
  std::vector<std::uint32_t> colours_;
};

}  // namespace tacit::qcd::multigrid
