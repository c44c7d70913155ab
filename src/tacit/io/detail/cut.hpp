// Copies boxes of arrays between memories of different shapes and types of numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/io/number.hpp"
#include "tacit/io/part.hpp"

namespace tacit::io::detail {

/// Whether `widen` knows it: the same type, float64, and the integers of 64 bits with the same sign or none.
[[nodiscard]] bool can_widen(Number from, Number to) noexcept;
/// Numbers as those of another type, as the HDF5 library converts them. @pre can_widen(from, to), as many numbers
void widen(Number from, std::span<const std::byte> in, Number to, std::span<std::byte> out) noexcept;

/// Where numbers go.
struct Target {
  std::span<std::byte> out;          ///< shape (shape), the last index fastest
  Number type = Number::float64;     ///< of `out`, which is aligned for it
  std::vector<std::uint64_t> shape;  ///< of `out`
};

/// What of an array goes where.
struct Cut {
  Part from;                      ///< in the array
  std::vector<std::uint64_t> to;  ///< its first element in the target
};

/// Whole rows of an array in memory.
struct RowsInMemory {
  std::span<const std::byte> numbers;
  Number type = Number::float64;
  std::uint64_t first = 0;  ///< row
  std::uint64_t count = 0;
  std::span<const std::uint64_t> shape;  ///< of the whole array
};

/// Copies what `cut` takes of these rows. @pre the cut lies in the array, and its place in the target
void copy_cut(const RowsInMemory& rows, const Cut& cut, const Target& target) noexcept;

/// Where rows of the array lie in the target one after the other, as in the array; null if they do not, or are others'.
[[nodiscard]] std::byte* place_of_rows(std::uint64_t first, std::uint64_t count, Number type,
                                       std::span<const std::uint64_t> shape, const Cut& cut,
                                       const Target& target) noexcept;

}  // namespace tacit::io::detail
