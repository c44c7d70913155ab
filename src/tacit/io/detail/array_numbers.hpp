// The numbers of an array of a file in a type that holds them exactly, in pieces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::detail {

/// Rows of an array as T: double for real numbers and integers of up to 32 bits, else the type of the integers.
template <class T>
class ArrayNumbers {
 public:
  ArrayNumbers(const FileReader& file, std::string name)
      : file_(file), name_(std::move(name)), is_scalar_(file.info(name_).shape.empty()) {}

  /// Whole rows, from row `first` on.
  void read(std::uint64_t first, std::span<T> out) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      // Converted to uint64_t by the library, negative ones would become 0.
      if (!is_scalar_) return file_.read_rows(name_, first, std::as_writable_bytes(out));
      const std::vector<std::byte> bytes = file_.read_bytes(name_);
      TACIT_EXPECT(bytes.size() == out.size_bytes());
      std::memcpy(out.data(), bytes.data(), bytes.size());
    } else if (is_scalar_) {
      file_.read(name_, out);
    } else {
      file_.read_rows(name_, first, out);
    }
  }

 private:
  const FileReader& file_;
  std::string name_;
  bool is_scalar_;
};

}  // namespace tacit::io::detail
