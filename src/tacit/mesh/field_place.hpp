// Where the fields of a grid in blocks stand, in memory and in files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/field.hpp"
#include "tacit/mesh/block_grid.hpp"

namespace tacit::mesh {

/// The block of this rank in arrays of shape (z, y, x), without ghost points.
/// @param axes  of the arrays, at least those of the grid; along others there is one point
[[nodiscard]] base::FieldPlace field_place(const BlockGrid& grid, std::size_t axes = 3);

}  // namespace tacit::mesh
