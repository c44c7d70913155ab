// Puts the parts together that fit.
// SPDX-License-Identifier: Apache-2.0
#include "progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "amounts.hpp"

namespace tacit::apps {
namespace {

/// A part of the line; those of the smallest rank are kept the longest. An empty text is no part.
struct Part {
  std::string text;
  int rank = 0;
};

constexpr std::string_view gap = "  ";

std::string time_left(const engine::Progress& progress, double done) {
  if (!(done > 0.0 && done < 1.0)) return "";
  return duration_text(progress.wall_s * (1.0 - done) / done) + " left";
}

}  // namespace

std::string progress_line(const engine::Progress& p, std::size_t width) {
  const double done = (p.time - p.begin) / (p.end - p.begin);
  std::array<Part, 7> parts{{{fmt::format("t {:.4g} of {:.4g}", p.time, p.end), 2},
                             {fmt::format("{:.0f} %", 100.0 * done), 0},
                             {fmt::format("step {}", p.step), 3},
                             {fmt::format("dt {:.2g}", p.dt), 5},
                             {rate_text(p.updates_per_s), 4},
                             {time_left(p, done), 1},
                             {p.energy_drift ? fmt::format("dE {:.1e}", *p.energy_drift) : "", 6}}};
  const auto join = [&parts](int highest) {
    std::string line;
    for (const Part& part : parts) {
      if (part.text.empty() || part.rank > highest) continue;
      if (!line.empty()) line += gap;
      line += part.text;
    }
    return line;
  };
  int highest = static_cast<int>(parts.size()) - 1;
  while (highest > 0 && join(highest).size() > width) --highest;
  return join(highest).substr(0, width);
}

}  // namespace tacit::apps
