// What a field is, whatever solver has it, and where its elements stand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "tacit/base/number.hpp"
#include "tacit/base/units.hpp"

namespace tacit::base {

/// Lengths of the axes of what one element has: {} of a scalar, {3} of a vector, {4, 3, 2} of a spinor; 0: no axis.
using FieldShape = std::array<std::uint32_t, 3>;

/// A field as files, messages and documents name it.
struct FieldInfo {
  std::string_view name = {};       ///< in files: "temperature"
  std::string_view symbol = {};     ///< in formulas: "T"
  Dimension unit = {};              ///< of its numbers, which are in code units
  std::string_view meaning = {};    ///< "temperature, the mean over a cell"
  FieldShape shape = {};            ///< of what an element has
  Number number = Number::float64;  ///< in memory and in checkpoints

  /// Numbers of an element.
  [[nodiscard]] constexpr std::size_t components() const noexcept {
    std::size_t product = 1;
    for (const std::uint32_t length : shape) product *= length > 0 ? length : 1;
    return product;
  }
};

/// Where the elements of fields stand: in the array that all ranks have of a field together, as files have it, and in
/// the memory of this rank, where the numbers of an element lie behind each other. Axes are in the order of files, the
/// slowest first: those of a grid, or one of particles or sites in the order of files.
struct FieldPlace {
  std::string_view element = "cell";
  std::vector<std::uint64_t> shape = {};  ///< of the whole
  std::vector<std::uint64_t> first = {};  ///< what this rank has: from here on
  std::vector<std::uint64_t> count = {};  ///< so many along each axis
  std::size_t origin = 0;                 ///< place in memory of the first one [elements]
  std::vector<std::size_t> strides = {};  ///< in memory from one to the next along each axis [elements]

  /// Elements of all ranks.
  [[nodiscard]] std::uint64_t elements() const { return product_of(shape.begin(), shape.end()); }
  /// Elements of this rank with the same index along the first axis.
  [[nodiscard]] std::uint64_t elements_of_row() const {
    return count.empty() ? 0 : product_of(count.begin() + 1, count.end());
  }

 private:
  template <class Iterator>
  [[nodiscard]] static std::uint64_t product_of(Iterator begin, Iterator end) {
    return std::accumulate(begin, end, std::uint64_t{1}, std::multiplies{});
  }
};

}  // namespace tacit::base
