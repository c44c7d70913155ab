// The coarse grid of a snapshot, by which a reader finds the particles of a region without reading all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/part.hpp"
#include "tacit/solvers/sph/particle_values.hpp"

namespace tacit::sph {

/// A grid of cells over the box; cell (i, j, k) has the number (i * n_y + j) * n_z + k.
struct TopGrid {
  std::array<std::size_t, 3> n{1, 1, 1};  ///< cells along each axis, 1 to 16
  base::Vec3 width;                       ///< of one cell [length]
  [[nodiscard]] std::size_t size() const noexcept { return n[0] * n[1] * n[2]; }
};

/// Cells of near-cubic shape with about 1000 particles each.
///
/// @param particles  how many the box holds
/// @param box        > 0 [length]
/// @param dimension  of the space; one layer of cells along the axes beyond it
[[nodiscard]] TopGrid make_top_grid(std::size_t particles, const base::Vec3& box, int dimension = 3);

/// @return shape (cells, 3) [length]
[[nodiscard]] std::vector<double> centres_of(const TopGrid& grid);

/// Particles of one type sorted into a grid.
struct TopCells {
  std::vector<std::int64_t> counts;     ///< shape (cells): particles in each
  std::vector<std::int64_t> offsets;    ///< shape (cells): where each begins in `order`
  std::vector<std::uint32_t> order;     ///< shape (N): particles sorted by cell, within a cell as they came
  std::vector<double> lowest, highest;  ///< shape (cells, 3): bounds of the particles; of an empty cell its centre
};

/// Particles that one rank has side by side. Of all ranks together, blocks are ordered by their keys.
struct ParticleBlock {
  std::uint64_t key = 0;
  std::uint64_t count = 0;
};

/// Where the particles of this rank come in an array of all ranks.
struct SharedCells {
  std::uint64_t particles = 0;  ///< of all ranks
  std::vector<io::Part> mine;   ///< of an array of one axis, in the order of TopCells::order
};
/// Turns what this rank has in each cell into what all have; within a cell the particles come by the keys of their
/// blocks, so that their order does not depend on which rank has which block. All ranks call it.
/// @param blocks  of this rank's particles, by key; no other rank has one of these keys
/// @return        where the particles of this rank come
/// Cost: two messages between any two ranks; memory for each pair of a block and a cell that have particles in common,
/// 24 bytes on this rank and as many on the one that orders the cell.
[[nodiscard]] SharedCells share(const TopGrid& grid, TopCells& cells, std::span<const ParticleBlock> blocks,
                                comm::Communicator& ranks);

/// Calls body(i) for each i below `count`, in any order, by as many threads as there are.
using Loop = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;
inline void loop_in_turn(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

/// A particle outside the box (open domains) belongs to the cell nearest to it.
///
/// @param positions  3 finite numbers of each of `particles` [length]
/// Cost: O(N + cells), stable counting sort; 6 bytes per particle, of which 4 stay.
[[nodiscard]] TopCells sort_into(const TopGrid& grid, std::size_t particles, const ParticleValues& positions,
                                 const Loop& loop = loop_in_turn);

}  // namespace tacit::sph
