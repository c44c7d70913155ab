// Which Fourier modes are kept.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/modes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::fft {
namespace {

std::int64_t highest_kept(std::size_t points, Truncation truncation) {
  const auto n = static_cast<std::int64_t>(points);
  switch (truncation) {
    case Truncation::two_thirds:
      return (n - 1) / 3;
    case Truncation::spherical: {
      // The largest k with 9 k^2 <= 2 n^2; the root is only where to begin.
      auto k = static_cast<std::int64_t>(std::sqrt(2.0) / 3.0 * static_cast<double>(n)) + 1;
      while (9 * k * k > 2 * n * n) --k;
      return k;
    }
    case Truncation::none:
      break;
  }
  return n / 2;
}

}  // namespace

Modes::Modes(const Shape& points, Truncation truncation) : points_(points), truncation_(truncation) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (points[axis] < 2) {
      throw base::PreconditionError(fmt::format("a grid of {} x {} x {} points: at least 2 are needed along each axis",
                                                points[0], points[1], points[2]));
    }
    highest_[axis] = highest_kept(points[axis], truncation);
    const auto highest = static_cast<std::size_t>(highest_[axis]);
    const std::size_t both_signs = truncation == Truncation::none ? points[axis] : 2 * highest + 1;
    count_[axis] = axis == 0 ? highest + 1 : both_signs;
  }
}

bool Modes::holds(std::int64_t kx, std::int64_t ky, std::int64_t kz) const noexcept {
  const std::array<std::int64_t, 3> k{kx, ky, kz};
  double square = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::abs(k[axis]) > highest_[axis]) return false;
    const double part = static_cast<double>(k[axis]) / static_cast<double>(points_[axis]);
    square += part * part;
  }
  // The margin keeps modes in that lie exactly on the sphere, whatever rounding says of them.
  return truncation_ != Truncation::spherical || square <= 2.0 / 9.0 * (1.0 + 1e-12);
}

}  // namespace tacit::fft
