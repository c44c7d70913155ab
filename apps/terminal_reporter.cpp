// Writes progress to standard output.
// SPDX-License-Identifier: Apache-2.0
#include "terminal_reporter.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "amounts.hpp"
#include "launch_environment.hpp"

namespace tacit::apps {
namespace {

constexpr double plain_interval_s = 5.0;

/// Columns of the terminal, less one: a letter in the last one makes some terminals begin a new line.
std::size_t width_of_terminal() {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (is_known ? size.ws_col : usual) - 1;
}

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
  const double done = (p.coordinate - p.begin) / (p.end - p.begin);
  const bool is_counted = p.axis.is_counted();  // by steps, each of 1
  const std::string place = is_counted ? fmt::format("{} {:.0f} of {:.0f}", p.axis.name, p.coordinate, p.end)
                                       : fmt::format("{} {:.4g} of {:.4g}", p.axis.symbol, p.coordinate, p.end);
  std::array<Part, 7> parts{{{place, 2},
                             {fmt::format("{:.0f} %", 100.0 * done), 0},
                             {is_counted ? "" : fmt::format("step {}", p.step), 3},
                             {is_counted ? "" : fmt::format("dt {:.2g}", p.dt), 5},
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

TerminalReporter::TerminalReporter() : is_terminal_(::isatty(STDOUT_FILENO) == 1 && launcher_has_terminal()) {}

void TerminalReporter::note(const std::string& line) {
  finish();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void TerminalReporter::progress(const engine::Progress& progress) {
  if (is_terminal_) {
    fmt::print("\r{}\033[K", progress_line(progress, width_of_terminal()));
    line_is_open_ = true;
  } else if (watch_.seconds() - last_line_s_ > plain_interval_s || progress.coordinate >= progress.end) {
    fmt::print("{}\n", progress_line(progress));
    last_line_s_ = watch_.seconds();
  }
  std::fflush(stdout);
}

void TerminalReporter::finish() {
  if (line_is_open_) fmt::print("\n");
  line_is_open_ = false;
}

}  // namespace tacit::apps
