// The coarse grid of a snapshot, by which a reader finds the particles of a region without reading all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"

namespace tacit::sph {

/// A grid of cells over the box; cell (i, j, k) has the number (i * n_y + j) * n_z + k.
struct TopCells {
  std::array<std::size_t, 3> n{1, 1, 1};  ///< cells along each axis
  base::Vec3 width;                       ///< of one cell [length]
  std::vector<std::int64_t> counts;       ///< shape (cells): particles in each
  std::vector<std::int64_t> offsets;      ///< shape (cells): where each begins in `order`
  std::vector<std::size_t> order;         ///< shape (N): particles sorted by cell, within a cell as they came
  std::vector<double> centres;            ///< shape (cells, 3) [length]
  std::vector<double> lowest, highest;    ///< shape (cells, 3): bounds of the particles; of an empty cell its centre
  [[nodiscard]] std::size_t size() const noexcept { return n[0] * n[1] * n[2]; }
};

/// Sorts particles into cells of about 1000 and near-cubic shape, 1 to 16 along each axis.
///
/// A particle outside the box (open domains) belongs to the cell nearest to it.
///
/// @param positions  3 arrays of shape (N), finite [length]
/// @param box        > 0 [length]
/// @param dimension  of the space; one layer of cells along the axes beyond it
/// Cost: O(N + cells), stable counting sort.
[[nodiscard]] TopCells make_top_cells(std::span<const std::span<const double>> positions, const base::Vec3& box,
                                      int dimension = 3);

}  // namespace tacit::sph
