// Boxes of files whose edges point anywhere, turned to the form that md computes with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// A rotation about the origin of a box, behind which its first edge lies along x and its second in the plane of x, y.
struct Turn {
  Box box;                              ///< turned; what is periodic is that of the box given
  std::array<base::Vec3, 3> rows = {};  ///< of the rotation
  bool is_none = false;                 ///< the edges had that form, but for rounding: nothing is to be turned
  bool has_third_reversed = false;      ///< left-handed edges: the box ends where it began along the third

  [[nodiscard]] base::Vec3 vector(const base::Vec3& v) const noexcept {
    return {base::dot(rows[0], v), base::dot(rows[1], v), base::dot(rows[2], v)};
  }
  /// Turns positions, velocities and counts of images.
  void apply(Configuration& atoms) const;
};

/// How a box is to be turned. Left-handed edges a, b, c span the same lattice as a, b, -c, which are taken.
/// @param box  of which `origin` and `periodic` are known
/// @return     none if the edges span no volume
[[nodiscard]] std::optional<Turn> turn_of(const std::array<base::Vec3, 3>& edges, const Box& box);

/// Takes edges along periodic axes from those that lean by more than half of them: the same lattice, nearer to a
/// right angle. Positions stay, and images are counted along the new edges.
void straighten(Configuration& atoms);

}  // namespace tacit::md
