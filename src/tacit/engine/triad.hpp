// How fast a core streams through memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tacit::engine {

/// a = b + s c over arrays that no cache holds.
class Triad {
 public:
  /// @param size  numbers in each of the three arrays
  explicit Triad(std::size_t size) : a_(size, 0.0), b_(size, 1.0), c_(size, 2.0) {}
  void run() noexcept;
  /// Bytes that one run names: two arrays read, one written. What the processor reads before it writes is not counted,
  /// as is usual for this loop.
  [[nodiscard]] double bytes() const noexcept { return 3.0 * sizeof(double) * static_cast<double>(a_.size()); }

 private:
  std::vector<double> a_, b_, c_;
};

}  // namespace tacit::engine
