// How a grid and its modes are divided among ranks: pencils, or slabs where one side of the grid of ranks is 1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/fft/modes.hpp"

namespace tacit::fft {

/// Indices [begin, end).
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Part `part` of `count` things in `parts` parts, whose sizes differ by at most one.
[[nodiscard]] inline Range split(std::size_t count, std::size_t parts, std::size_t part) noexcept {
  const std::size_t size = count / parts;
  const std::size_t larger = count % parts;
  const std::size_t begin = part * size + (part < larger ? part : larger);
  return {begin, begin + size + (part < larger ? 1 : 0)};
}

/// The grid of ranks. A row of ranks exchanges x and y, a column y and z:
///
///     points   z by column, y by row, x whole
///     between  z by column, kx by row, y whole
///     modes    ky by column, kx by row, z whole
///
/// Rank r stands in row r / row_size, at place r % row_size of it.
struct ProcessGrid {
  std::size_t row_size = 1;     ///< ranks of a row; 1: slabs
  std::size_t column_size = 1;  ///< ranks of a column
  [[nodiscard]] std::size_t ranks() const noexcept { return row_size * column_size; }
  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

/// What one rank has of a grid. All numbers are of 64 bits: 12288^3 points and more.
class Pencils {
 public:
  /// @throws base::PreconditionError unless rank < grid.ranks()
  Pencils(const Modes& modes, const ProcessGrid& grid, std::size_t rank);

  [[nodiscard]] const Modes& modes() const noexcept { return modes_; }
  [[nodiscard]] const ProcessGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::size_t place_in_row() const noexcept { return place_in_row_; }
  [[nodiscard]] std::size_t place_in_column() const noexcept { return place_in_column_; }

  /// Points along y of the rank at a place of its row, and along z of the one at a place of its column.
  [[nodiscard]] Range y_of(std::size_t place) const noexcept {
    return split(modes_.points()[1], grid_.row_size, place);
  }
  [[nodiscard]] Range z_of(std::size_t place) const noexcept {
    return split(modes_.points()[2], grid_.column_size, place);
  }
  /// Indices of wave numbers, likewise.
  [[nodiscard]] Range kx_of(std::size_t place) const noexcept { return split(modes_.count(0), grid_.row_size, place); }
  [[nodiscard]] Range ky_of(std::size_t place) const noexcept {
    return split(modes_.count(1), grid_.column_size, place);
  }
  [[nodiscard]] Range y() const noexcept { return y_of(place_in_row_); }
  [[nodiscard]] Range z() const noexcept { return z_of(place_in_column_); }
  [[nodiscard]] Range kx() const noexcept { return kx_of(place_in_row_); }
  [[nodiscard]] Range ky() const noexcept { return ky_of(place_in_column_); }

  /// Numbers of an array of modes, shape (kx, kz, ky): ky runs fastest.
  [[nodiscard]] std::size_t spectral_size() const noexcept { return kx().size() * modes_.count(2) * ky().size(); }
  /// Where a mode stands in it; indices of the whole, within the ranges of this rank.
  [[nodiscard]] std::size_t spectral_place(std::size_t kx_index, std::size_t ky_index,
                                           std::size_t kz_index) const noexcept {
    return ((kx_index - kx().begin) * modes_.count(2) + kz_index) * ky().size() + (ky_index - ky().begin);
  }
  /// Numbers of an array of points, shape (z, y, x): x runs fastest.
  [[nodiscard]] std::size_t physical_size() const noexcept { return z().size() * y().size() * modes_.points()[0]; }

 private:
  Modes modes_;
  ProcessGrid grid_;
  std::size_t place_in_row_;
  std::size_t place_in_column_;
};

}  // namespace tacit::fft
