// Progress for a person: one line that is rewritten on a terminal, a plain line now and then otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "tacit/base/clock.hpp"
#include "tacit/engine/simulation.hpp"

namespace tacit::apps {

/// "t 0.012 of 0.05  24 %  step 57  dt 2.1e-04  410 k updates/s  12 s left  dE 1.0e-03"
///
/// Where that is too wide, the parts that a person misses least are left out: dE first, then dt, the speed, the step
/// and the times.
///
/// @param width  columns that it may take
[[nodiscard]] std::string progress_line(const engine::Progress& progress,
                                        std::size_t width = std::numeric_limits<std::size_t>::max());

class TerminalReporter final : public engine::Reporter {
 public:
  TerminalReporter();
  void note(const std::string& line) override;
  void progress(const engine::Progress& progress) override;
  /// Ends the line that is being rewritten.
  void finish();

 private:
  bool is_terminal_;
  bool line_is_open_ = false;
  double last_line_s_ = -1e9;
  base::Stopwatch watch_;
};

}  // namespace tacit::apps
