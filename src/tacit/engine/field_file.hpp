// What files of fields on a grid have in common: the layout of an image, and a header that says of which run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {

/// A grid as ParaView draws it. Arrays of its data have the shape (z, y, x), or (z, y, x, 3) for vectors.
struct Image {
  std::array<std::int64_t, 3> intervals{};  ///< along x, y and z: cells, or points - 1
  std::array<double, 3> spacing{};          ///< [length]
  std::string_view data;                    ///< what the numbers belong to: "CellData" or "PointData"
  std::string_view kind;                    ///< of the field that is drawn first: "Scalars" or "Vectors"
  std::string_view first;                   ///< its name
};

/// Makes the group VTKHDF, in the layout of an image in VTK's HDF files, version 1, and in it the one for the data.
void write_image(io::FileWriter& file, const Image& image);

/// Makes the groups Header and Provenance: time, step, parameters and name of the run.
/// @param box  sides of the domain [length]
void write_header(io::FileWriter& file, const FileContext& context, const std::array<double, 3>& box);

}  // namespace tacit::engine
