// Arrays of numbers in NumPy's format, read by parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "tacit/io/part.hpp"

namespace tacit::amr {

/// A file that numpy.save has written, of single or double precision, in the order of C.
/// @see https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3
class NpyFile {
 public:
  /// @throws base::SystemError if it cannot be read, base::FormatError if it is none, has other numbers, another order,
  ///         or is shorter than its shape says
  explicit NpyFile(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const std::vector<std::uint64_t>& shape() const noexcept { return shape_; }
  /// @param part  within the shape   @param out  as many numbers, the last axis fastest
  /// @throws base::SystemError if they cannot be read
  void read_part(const io::Part& part, std::span<double> out) const;

 private:
  std::filesystem::path path_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t begin_ = 0;  // of the numbers [byte]
  std::size_t bytes_ = 8;    // of a number
  bool is_swapped_ = false;  // of the other order of bytes
};

}  // namespace tacit::amr
