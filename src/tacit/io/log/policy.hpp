// When an element is due for a record of the log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacit::io {

/// How far a quantity is from where its last record says that it would be:
///
///     deviation = max_k |now_k - (last_k + rate_k (t - t_last))|
///
/// @param last    shape (N): as recorded last; without periodic jumps against `now`
/// @param rate    shape (N): as recorded with it [unit of last / time]; empty where the log has no rate: taken as 0
/// @param now     shape (N): at the end of this step
/// @param dt      t - t_last [time]
[[nodiscard]] inline double deviation(std::span<const double> last, std::span<const double> rate,
                                      std::span<const double> now, double dt) noexcept {
  double largest = 0.0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double expected = rate.empty() ? last[k] : last[k] + rate[k] * dt;
    const double error = std::abs(now[k] - expected);
    largest = error > largest || std::isnan(error) ? error : largest;
  }
  return largest;
}

/// Asked of each element after each of its own steps.
///
/// Why the deviation of the extrapolation bounds what readers see: where x'' = a, the extrapolation over t is off by
/// a t^2 / 2, but the Hermite polynomial through both records by nothing, and in general by t^4 max|x''''| / 384.
/// Without rates, the deviation is the change itself, and a straight line is off by less while x only rises or falls.
/// What happens within the last step before the record is not bounded: it was not seen when that step began.
struct LogPolicy {
  std::uint32_t steps = 64;  ///< a record after so many own steps at the latest; at least 1
  double tolerance = 0.0;    ///< a record when `deviation` is larger [unit of the quantity]; 0: by steps only

  /// @param own_steps  since the element's last record, this one included
  /// @param deviation  of the quantity, as above; not needed where tolerance is 0
  [[nodiscard]] bool is_due(std::uint32_t own_steps, double deviation = 0.0) const noexcept {
    return own_steps >= steps || (tolerance > 0.0 && !(deviation <= tolerance));
  }
};

}  // namespace tacit::io
