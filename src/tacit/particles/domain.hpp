// The region that particles live in, and what its faces do to positions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tacit/base/vec3.hpp"

namespace tacit::particles {

/// A box with 1, 2 or 3 dimensions: periodic in all directions, between mirrors, or open (particles may leave it).
///
/// Along the axes beyond its dimension all particles lie at one place; the size there only has to be positive.
struct Domain {
  base::Vec3 origin;
  base::Vec3 size;
  bool periodic = true;
  int dimension = 3;
  bool mirrored = false;  ///< between walls that reflect; not together with periodic

  /// Volume, area or length.
  [[nodiscard]] double volume() const noexcept {
    return size.x * (dimension > 1 ? size.y : 1.0) * (dimension > 2 ? size.z : 1.0);
  }
};

/// The image of `value` in [origin, origin + length).
[[nodiscard]] inline double wrap(double value, double origin, double length) noexcept {
  const double lengths = (value - origin) / length;
  // Nearly all are inside, and need no call. 0 is left to the other way, which makes 0 of -0.
  double wrapped = value - length * (lengths > 0.0 && lengths < 1.0 ? 0.0 : std::floor(lengths));
  // Rounding can give exactly the upper edge for tiny negative offsets; the half-open interval is promised.
  if (wrapped >= origin + length) wrapped = origin;
  return wrapped < origin ? origin : wrapped;
}

/// A coordinate between two mirrors, and the factor that its velocity takes on the way there.
struct Reflection {
  double value;
  double sign;
};

/// Folds `value` into [origin, origin + length] by as many reflections as it takes.
[[nodiscard]] inline Reflection reflect(double value, double origin, double length) noexcept {
  const double offset = value - origin;
  if (offset >= 0.0 && offset <= length) return {value, 1.0};
  const double turns = std::floor(offset / length);
  const bool is_odd = std::fmod(turns, 2.0) != 0.0;
  const double rest = std::clamp(offset - turns * length, 0.0, length);
  return {origin + (is_odd ? length - rest : rest), is_odd ? -1.0 : 1.0};
}

}  // namespace tacit::particles
