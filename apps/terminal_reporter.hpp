// Progress for a person: one line that is rewritten on a terminal, a plain line now and then otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/base/clock.hpp"
#include "tacit/engine/simulation.hpp"

namespace tacit::apps {

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
