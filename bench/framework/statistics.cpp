// Medians and ratios of repeated measurements.
// SPDX-License-Identifier: Apache-2.0
#include "framework/statistics.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::bench {

Summary summarise(std::vector<double> values) {
  if (values.empty()) base::fail_precondition("!values.empty()", __FILE__, __LINE__);
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const bool is_even = values.size() % 2 == 0;
  const double median = is_even ? 0.5 * (values[middle - 1] + values[middle]) : values[middle];
  return {median, values.front(), values.back(), values.size()};
}

std::vector<double> ratios(std::span<const double> a, std::span<const double> b) {
  TACIT_EXPECT(a.size() == b.size());
  std::vector<double> result(a.size());
  std::ranges::transform(a, b, result.begin(), [](double x, double y) { return x / y; });
  return result;
}

std::vector<double> scaled(std::span<const double> values, double factor) {
  std::vector<double> result(values.size());
  std::ranges::transform(values, result.begin(), [factor](double value) { return value * factor; });
  return result;
}

}  // namespace tacit::bench
