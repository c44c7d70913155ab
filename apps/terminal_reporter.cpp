// Writes progress to standard output.
// SPDX-License-Identifier: Apache-2.0
#include "terminal_reporter.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tacit::apps {
namespace {

constexpr double plain_interval_s = 5.0;

std::string time_left(const engine::Progress& progress, double done) {
  if (done <= 0.0) return "";
  const double seconds = progress.wall_s * (1.0 - done) / done;
  if (seconds < 100.0) return fmt::format("  {:.0f} s left", seconds);
  if (seconds < 6000.0) return fmt::format("  {:.0f} min left", seconds / 60.0);
  return fmt::format("  {:.1f} h left", seconds / 3600.0);
}

}  // namespace

std::string progress_line(const engine::Progress& p) {
  const double done = (p.time - p.begin) / (p.end - p.begin);
  return fmt::format("t {:.4g} of {:.4g}  {:.0f} %  step {}  dt {:.2g}  {:.2f} M updates/s{}{}", p.time, p.end,
                     100.0 * done, p.step, p.dt, p.updates_per_s / 1e6, done < 1.0 ? time_left(p, done) : "",
                     p.energy_drift ? fmt::format("  dE {:.1e}", *p.energy_drift) : "");
}

TerminalReporter::TerminalReporter() : is_terminal_(::isatty(STDOUT_FILENO) == 1) {}

void TerminalReporter::note(const std::string& line) {
  finish();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void TerminalReporter::progress(const engine::Progress& progress) {
  if (is_terminal_) {
    fmt::print("\r{}\033[K", progress_line(progress));
    line_is_open_ = true;
  } else if (watch_.seconds() - last_line_s_ > plain_interval_s || progress.time >= progress.end) {
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
