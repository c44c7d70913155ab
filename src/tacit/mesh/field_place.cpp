// Turns the axes of a grid, x first, into those of files, x last.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/field_place.hpp"

#include <cstdint>

#include "tacit/base/error.hpp"

namespace tacit::mesh {

base::FieldPlace field_place(const BlockGrid& grid, std::size_t axes) {
  TACIT_EXPECT(axes >= grid.dimensions() && axes <= max_dimensions);
  base::FieldPlace place{.origin = grid.layout().index(grid.block().begin)};
  for (std::size_t axis = axes; axis-- > 0;) {
    const Range own = grid.range(axis);
    place.shape.push_back(static_cast<std::uint64_t>(grid.points(axis)));
    place.first.push_back(static_cast<std::uint64_t>(own.begin));
    place.count.push_back(static_cast<std::uint64_t>(own.size()));
    place.strides.push_back(grid.layout().stride(axis));
  }
  return place;
}

}  // namespace tacit::mesh
