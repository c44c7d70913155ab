// The box that atoms live in: three edges, and which of its faces are periodic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tacit/base/vec3.hpp"

namespace tacit::md {

/// How often an atom has crossed the box along each edge: unwrapped position = position + image * edges.
using ImageCount = std::array<std::int32_t, 3>;

/// A box with the edges a = (size.x, 0, 0), b = (xy, size.y, 0), c = (xz, yz, size.z). Beyond a face that is not
/// periodic there is open space, which atoms may enter.
struct Box {
  base::Vec3 origin{};
  base::Vec3 size{1.0, 1.0, 1.0};
  double xy = 0.0, xz = 0.0, yz = 0.0;
  std::array<bool, 3> periodic{true, true, true};
  /// Where cells begin, and how far they go, in units of the edges: along an open axis atoms may fill more than the
  /// box.
  base::Vec3 cells_begin{};
  base::Vec3 cells_extent{1.0, 1.0, 1.0};

  [[nodiscard]] bool is_tilted() const noexcept { return xy != 0.0 || xz != 0.0 || yz != 0.0; }
  [[nodiscard]] double volume() const noexcept { return size.x * size.y * size.z; }
  [[nodiscard]] base::Vec3 edge(std::size_t axis) const noexcept {
    return axis == 0   ? base::Vec3{size.x, 0.0, 0.0}
           : axis == 1 ? base::Vec3{xy, size.y, 0.0}
                       : base::Vec3{xz, yz, size.z};
  }
  /// Position in units of the edges: in [0, 1) inside the box.
  [[nodiscard]] base::Vec3 fraction(const base::Vec3& x) const noexcept {
    const base::Vec3 d = x - origin;
    const double z = d.z / size.z;
    const double y = (d.y - yz * z) / size.y;
    return {(d.x - xy * y - xz * z) / size.x, y, z};
  }
  /// Position in units of all cells: in [0, 1) among them.
  [[nodiscard]] base::Vec3 cell_fraction(const base::Vec3& x) const noexcept {
    base::Vec3 s = fraction(x);
    for (std::size_t axis = 0; axis < 3; ++axis) s[axis] = (s[axis] - cells_begin[axis]) / cells_extent[axis];
    return s;
  }
  /// The vector that leads so many edges away.
  [[nodiscard]] base::Vec3 shift(const ImageCount& image) const noexcept {
    return {image[0] * size.x + image[1] * xy + image[2] * xz, image[1] * size.y + image[2] * yz, image[2] * size.z};
  }
  /// Distance of the two faces across an edge [length].
  [[nodiscard]] double width(std::size_t axis) const noexcept {
    const base::Vec3 normal = base::cross(edge((axis + 1) % 3), edge((axis + 2) % 3));
    return volume() / base::norm(normal);
  }
  /// Of all cells, across an edge [length].
  [[nodiscard]] double width_of_cells(std::size_t axis) const noexcept { return cells_extent[axis] * width(axis); }
  /// Moves a position that has left through periodic faces to its image inside, and counts that.
  void wrap(base::Vec3& x, ImageCount& image) const noexcept {
    const base::Vec3 s = fraction(x);
    ImageCount away{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (periodic[axis]) away[axis] = static_cast<std::int32_t>(std::floor(s[axis]));
    }
    if (away == ImageCount{}) return;
    x = x - shift(away);
    for (std::size_t axis = 0; axis < 3; ++axis) image[axis] += away[axis];
  }
};

}  // namespace tacit::md
