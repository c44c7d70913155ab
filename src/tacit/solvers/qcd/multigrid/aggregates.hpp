// The aggregates of a lattice: boxes of sites, each a site of the coarse lattice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd::multigrid {

/// Divides what a rank has of a lattice into boxes of even extents, made of blocks of 2^4 sites. Sums over an aggregate
/// are those of its blocks, in the order of the whole lattice: they depend neither on the folding nor on ranks.
class Aggregates {
 public:
  /// @pre extents of an aggregate divide those of the part, and where it begins
  Aggregates(const Lattice& lattice, const Coordinates& extents);

  /// Of the whole lattice.
  [[nodiscard]] const Extents& coarse() const noexcept { return coarse_; }
  /// Of this rank.
  [[nodiscard]] std::size_t count() const noexcept { return numbers_.size(); }
  /// Which site of the coarse lattice each of them is, x fastest.
  [[nodiscard]] std::span<const std::uint32_t> numbers() const noexcept { return numbers_; }
  /// Eight sites of the coarse lattice for each of them: forward and backward along x, y, z, t.
  [[nodiscard]] std::span<const std::uint32_t> neighbours() const noexcept { return neighbours_; }

  /// Folded blocks of 2^4 sites of this rank, and their lanes.
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_; }
  /// Blocks of an aggregate: block * lanes() + lane.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t aggregate) const noexcept {
    return std::span(members_).subspan(aggregate * blocks_of_each_, blocks_of_each_);
  }
  /// In bit d whether the neighbour in direction d, as above, of a block is in another aggregate.
  [[nodiscard]] std::uint32_t leaves(std::size_t block_and_lane) const noexcept { return leaves_[block_and_lane]; }
  /// 0 or 1, as on a chessboard, of a block of 2^4 sites.
  [[nodiscard]] std::uint32_t colour(std::size_t block_and_lane) const noexcept { return colours_[block_and_lane]; }

 private:
  Extents coarse_;
  std::size_t blocks_;
  std::size_t lanes_;
  std::size_t blocks_of_each_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> leaves_;
  std::vector<std::uint32_t> colours_;
};

}  // namespace tacit::qcd::multigrid
