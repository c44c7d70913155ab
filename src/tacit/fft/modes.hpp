// Which Fourier modes of a periodic box are kept, and where they stand in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tacit::fft {

/// Points along x, y and z.
using Shape = std::array<std::size_t, 3>;

/// How many points there are.
[[nodiscard]] constexpr std::size_t product(const Shape& points) noexcept { return points[0] * points[1] * points[2]; }

/// How much of the spectrum is kept, so that products of two fields are free of aliases.
enum class Truncation : std::uint8_t {
  none,        ///< all modes, for transforms as such
  two_thirds,  ///< |k| < n/3 in each direction (Orszag 1971): no alias of a product reaches a mode that is kept
  spherical,   ///< (kx/nx)^2 + (ky/ny)^2 + (kz/nz)^2 <= 2/9: what aliases remain, shifts of the grid cancel
};

/// The kept modes: kx = 0..highest(0), since a real field needs no others, and along y and z first the wave numbers
/// that are not negative, then the negative ones, both rising. Wave numbers count waves in the box, whatever its size.
class Modes {
 public:
  /// @throws base::PreconditionError unless there are at least 2 points along each axis
  Modes(const Shape& points, Truncation truncation);

  [[nodiscard]] const Shape& points() const noexcept { return points_; }
  [[nodiscard]] Truncation truncation() const noexcept { return truncation_; }
  /// The highest wave number along an axis.
  [[nodiscard]] std::int64_t highest(std::size_t axis) const noexcept { return highest_[axis]; }
  /// How many wave numbers there are along an axis.
  [[nodiscard]] std::size_t count(std::size_t axis) const noexcept { return count_[axis]; }
  /// The wave number that stands at `index` along an axis.
  [[nodiscard]] std::int64_t wave_number(std::size_t axis, std::size_t index) const noexcept {
    const auto k = static_cast<std::int64_t>(index);
    return k <= highest_[axis] ? k : k - static_cast<std::int64_t>(count_[axis]);
  }
  /// Where wave number `index` stands in a line of points(axis) numbers, as transforms have it.
  [[nodiscard]] std::size_t place(std::size_t axis, std::size_t index) const noexcept {
    return index <= static_cast<std::size_t>(highest_[axis]) ? index : points_[axis] - count_[axis] + index;
  }
  /// The places between those of the highest and of the lowest wave number, where a line has nothing: [begin, end).
  [[nodiscard]] std::array<std::size_t, 2> gap(std::size_t axis) const noexcept {
    const std::size_t begin = static_cast<std::size_t>(highest_[axis]) + 1;
    return {begin, begin + points_[axis] - count_[axis]};
  }
  /// Whether the mode is kept; within the counts, only the spherical truncation says no.
  [[nodiscard]] bool holds(std::int64_t kx, std::int64_t ky, std::int64_t kz) const noexcept;

 private:
  Shape points_;
  Truncation truncation_;
  std::array<std::int64_t, 3> highest_{};
  std::array<std::size_t, 3> count_{};
};

}  // namespace tacit::fft
