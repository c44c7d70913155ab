// Writes progress to standard output.
// SPDX-License-Identifier: Apache-2.0
#include "terminal_reporter.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

#include "progress_line.hpp"

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

}  // namespace

TerminalReporter::TerminalReporter() : is_terminal_(::isatty(STDOUT_FILENO) == 1) {}

void TerminalReporter::note(const std::string& line) {
  finish();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void TerminalReporter::progress(const engine::Progress& progress) {
  if (is_terminal_) {
    fmt::print("\r{}\033[K", progress_line(progress, width_of_terminal()));
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
