// What several repetitions of one measurement amount to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacit::bench {

/// Repetitions of one measurement; the median is the figure, the extremes say how far to trust it.
struct Summary {
  double median = 0.0;
  double min = 0.0;
  double max = 0.0;
  std::size_t samples = 0;
};

/// @param values  at least one
/// @return        the median of an even number is the mean of the middle two
/// @throws base::PreconditionError without values
[[nodiscard]] Summary summarise(std::vector<double> values);

/// The ratios a_i / b_i of what was measured side by side: what slows both cancels.
/// @pre a.size() == b.size()
[[nodiscard]] std::vector<double> ratios(std::span<const double> a, std::span<const double> b);

/// Each value times `factor`: seconds of a run to nanoseconds of a task.
[[nodiscard]] std::vector<double> scaled(std::span<const double> values, double factor);

}  // namespace tacit::bench
