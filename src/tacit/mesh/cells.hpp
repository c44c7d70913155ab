// Loops over the cells of a rank, and fields that are made cell by cell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/base/pack_memory.hpp"
#include "tacit/mesh/block_grid.hpp"

namespace tacit::mesh {

/// Of the whole grid, along x, y and z; 0 along axes that the grid does not have.
using Cell = std::array<Index, 3>;
/// Memory of a field, ghost cells included, as the grid lays it out.
using Field = base::PackVector<double>;

/// Calls visit(place in a field, point of the whole grid) for the points of a box of this rank, x fastest.
/// @param box  in local coordinates
template <class Visit>
void for_points(const BlockGrid& grid, const Box& box, const Visit& visit) {
  Point first{};
  for (std::size_t axis = 0; axis < max_dimensions; ++axis) first[axis] = grid.range(axis).begin;
  Point at = box.begin;
  for (at[3] = box.begin[3]; at[3] < box.end[3]; ++at[3]) {
    for (at[2] = box.begin[2]; at[2] < box.end[2]; ++at[2]) {
      for (at[1] = box.begin[1]; at[1] < box.end[1]; ++at[1]) {
        at[0] = box.begin[0];
        std::size_t place = grid.layout().index(at);
        for (; at[0] < box.end[0]; ++at[0]) {
          visit(place++, Point{first[0] + at[0], first[1] + at[1], first[2] + at[2], first[3] + at[3]});
        }
      }
    }
  }
}

/// The same of a grid of at most three axes: visit(place in a field, cell of the whole grid).
template <class Visit>
void for_cells(const BlockGrid& grid, const Box& box, const Visit& visit) {
  for_points(grid, box, [&](std::size_t place, const Point& at) { visit(place, Cell{at[0], at[1], at[2]}); });
}

/// A field whose cells in a box of this rank are what `number_of(cell)` says, and 0 elsewhere.
/// @param box  in local coordinates; with ghosts, cells may be beyond the whole grid
template <class NumberOf>
[[nodiscard]] Field field_of(const BlockGrid& grid, const Box& box, const NumberOf& number_of) {
  Field field;
  field.resize(grid.layout().size());
  for_cells(grid, box, [&](std::size_t place, const Cell& cell) { field[place] = number_of(cell); });
  return field;
}

/// Of numbers that are made for a file, a function that gives those of this rank in the order of files: of the planes
/// from z = first on, as many numbers as `out` takes.
/// @param number_of  (place in a field, cell of the whole grid)   @param grid  outlives it
template <class NumberOf>
[[nodiscard]] auto planes_of(const BlockGrid& grid, NumberOf number_of) {
  return [&grid, number_of](std::uint64_t first, std::span<double> out) {
    const Box& block = grid.block();
    const auto begin = static_cast<Index>(first);
    const Index planes = static_cast<Index>(out.size()) / (block.extent(0) * block.extent(1));
    double* to = out.data();
    for_cells(grid, block.with(2, begin, begin + planes),
              [&](std::size_t place, const Cell& cell) { *to++ = number_of(place, cell); });
  };
}

}  // namespace tacit::mesh
