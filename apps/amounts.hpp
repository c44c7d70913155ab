// Bytes, times and rates as people read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tacit::apps {

/// "1.5 kB", "23.6 GB": three digits, powers of 1000.
[[nodiscard]] std::string bytes_text(double bytes);

/// Julian [s].
inline constexpr double year = 365.25 * 86400.0;
/// Longer times are not counted [s].
inline constexpr double longest_counted_s = 1000.0 * year;

/// "12 s", "3 min", "7.5 h", "12 days", "40 years", "more than 1000 years"; not a number counts as that.
[[nodiscard]] std::string duration_text(double seconds);

/// "410 updates/s", "12.3 k updates/s", "2.05 M updates/s": three digits.
[[nodiscard]] std::string rate_text(double updates_per_s);

}  // namespace tacit::apps
