// A number that is given as a course in time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::md {

/// Straight lines between points in time; before the first and after the last one it stays.
class Ramp {
 public:
  /// The same at any time.
  explicit Ramp(double value = 0.0) : times_{0.0}, values_{value} {}
  /// @pre as many times as values, at least one, and the times rise
  Ramp(std::vector<double> times, std::vector<double> values) : times_(std::move(times)), values_(std::move(values)) {
    TACIT_EXPECT(!times_.empty() && times_.size() == values_.size() &&
                 std::ranges::adjacent_find(times_, std::ranges::greater_equal{}) == times_.end());
  }

  [[nodiscard]] double at(double time) const {
    const auto after = static_cast<std::size_t>(std::ranges::upper_bound(times_, time) - times_.begin());
    if (after == 0) return values_.front();
    if (after == times_.size()) return values_.back();
    const double part = (time - times_[after - 1]) / (times_[after] - times_[after - 1]);
    return values_[after - 1] + part * (values_[after] - values_[after - 1]);
  }

 private:
  std::vector<double> times_;
  std::vector<double> values_;
};

}  // namespace tacit::md
