// The cells of a rank in memory: x runs fastest, and a layer of ghost cells lies around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "tacit/comm/rank.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {

struct Block {
  Cell first{0, 0, 0};                   ///< of the whole grid
  Cell cells{1, 1, 1};                   ///< of this rank
  std::array<std::ptrdiff_t, 3> next{};  ///< to the next cell along each axis; 0 along one that the grid does not have
  std::size_t size = 0;                  ///< numbers of a field
  std::ptrdiff_t origin = 0;             ///< of the first cell
  /// The rank beyond the low and the high side of each axis; nothing at walls, and where the axis is not divided.
  std::array<std::array<std::optional<comm::RankId>, 2>, 3> neighbours{};

  [[nodiscard]] std::ptrdiff_t offset(const Cell& cell) const {
    std::ptrdiff_t at = origin;
    for (std::size_t axis = 0; axis < 3; ++axis) at += static_cast<std::ptrdiff_t>(cell[axis]) * next[axis];
    return at;
  }
};

/// Calls visit(place in a field, cell of the whole grid) for the cells of the block, x fastest.
template <class Visit>
void for_each_cell(const Block& block, const Visit& visit) {
  Cell at{};
  for (at[2] = 0; at[2] < block.cells[2]; ++at[2]) {
    for (at[1] = 0; at[1] < block.cells[1]; ++at[1]) {
      at[0] = 0;
      const auto row = static_cast<std::size_t>(block.offset(at));
      for (; at[0] < block.cells[0]; ++at[0]) {
        visit(row + at[0], Cell{block.first[0] + at[0], block.first[1] + at[1], block.first[2] + at[2]});
      }
    }
  }
}

[[nodiscard]] Block make_block(const Domain& domain, std::size_t ranks, std::size_t rank);

}  // namespace tacit::heat
