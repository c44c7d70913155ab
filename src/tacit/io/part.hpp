// What a rank has of an array: a range of indices along every axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace tacit::io {

/// `count` indices from `first` on, along every axis of an array.
///
///     io::Part{.first = {z.begin, y.begin, 0}, .count = {z.size(), y.size(), nx}}
struct Part {
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> count;

  [[nodiscard]] std::uint64_t size() const {
    return std::accumulate(count.begin(), count.end(), std::uint64_t{1}, std::multiplies{});
  }
  [[nodiscard]] bool is_empty() const { return size() == 0; }
};

/// Adds rows of an array of one axis behind others; to the last part, if they go on where that ends.
inline void append_rows(std::vector<Part>& parts, std::uint64_t first, std::uint64_t count) {
  if (count == 0) return;
  if (!parts.empty() && parts.back().first[0] + parts.back().count[0] == first) {
    parts.back().count[0] += count;
  } else {
    parts.push_back({{first}, {count}});
  }
}

}  // namespace tacit::io
