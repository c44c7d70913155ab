// The region that particles live in, and distances across its periodic faces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "tacit/base/vec3.hpp"

namespace tacit::particles {

/// A box, periodic in all directions or open (particles may leave it).
struct Domain {
  base::Vec3 origin;
  base::Vec3 size;
  bool periodic = true;

  [[nodiscard]] double volume() const noexcept { return size.x * size.y * size.z; }
};

/// The image of `value` in [origin, origin + length).
[[nodiscard]] inline double wrap(double value, double origin, double length) noexcept {
  double wrapped = value - length * std::floor((value - origin) / length);
  // Rounding can give exactly the upper edge for tiny negative offsets; the half-open interval is promised.
  if (wrapped >= origin + length) wrapped = origin;
  return wrapped < origin ? origin : wrapped;
}

}  // namespace tacit::particles
