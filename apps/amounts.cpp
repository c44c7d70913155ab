// Chooses unit and digits.
// SPDX-License-Identifier: Apache-2.0
#include "amounts.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace tacit::apps {
namespace {

/// Three digits and the prefix that this takes: "1.5 k", "999 "; never "1e+03 ".
std::string with_prefix(double value, std::span<const std::string_view> prefixes) {
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  return fmt::format("{:.3g} {}", value, prefixes[prefix]);
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  return with_prefix(bytes, prefixes) + "B";
}

std::string duration_text(double seconds) {
  constexpr double hour = 3600.0;
  constexpr double day = 24.0 * hour;
  if (seconds < 120.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2.0 * hour) return fmt::format("{:.0f} min", seconds / 60.0);
  if (seconds < 2.0 * day) return fmt::format("{:.1f} h", seconds / hour);
  if (seconds < 2.0 * year) return fmt::format("{:.0f} days", seconds / day);
  if (seconds < longest_counted_s) return fmt::format("{:.0f} years", seconds / year);
  return "more than 1000 years";
}

std::string rate_text(double updates_per_s) {
  constexpr std::string_view prefixes[] = {"", "k ", "M ", "G "};
  return with_prefix(updates_per_s, prefixes) + "updates/s";
}

}  // namespace tacit::apps
