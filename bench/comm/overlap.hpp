// Steps whose messages travel beside their computation: what is timed of them, and the figures that follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/rank.hpp"

namespace tacit::bench {

/// Shape (samples) each.
struct OverlappedSteps {
  std::vector<double> step;         // seconds
  std::vector<double> serial;       // seconds: its messages alone and blocking
  std::vector<double> share;        // of the step that is exposed
  std::vector<double> over_longer;  // over the longer of wire and computation
  std::vector<double> hidden;       // of what could be

  /// @param exposed_s  of the step; computation is what is not exposed
  /// @param wire_s     what its messages take on the wire at the full rate
  void add(double step_s, double exposed_s, double serial_s, double wire_s);
};

/// What figures are to reach; where there is nothing, they are only told.
struct OverlapLimits {
  std::optional<double> over_longer, hidden;
};

/// Hands NAME_ms, NAME_exposed_share, NAME_step_over_longer and, last, NAME_hidden_of_possible to the plan's sink.
void add_overlap(const Plan& plan, const std::string& name, const OverlappedSteps& steps, double wire_s,
                 const OverlapLimits& limits);

}  // namespace tacit::bench
