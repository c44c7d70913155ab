// Derives the figures of steps whose messages travel beside their computation.
// SPDX-License-Identifier: Apache-2.0
#include "comm/overlap.hpp"

#include <algorithm>

namespace tacit::bench {

void OverlappedSteps::add(double step_s, double exposed_s, double serial_s, double wire_s) {
  const double computation = step_s - exposed_s;
  step.push_back(step_s);
  serial.push_back(serial_s);
  share.push_back(exposed_s / step_s);
  over_longer.push_back(step_s / std::max(wire_s, computation));
  hidden.push_back((serial_s - exposed_s) / std::min(serial_s, computation));
}

void add_overlap(const Plan& plan, const std::string& name, const OverlappedSteps& steps, double wire_s,
                 const OverlapLimits& limits) {
  plan.add({.name = name + "_ms",
            .unit = "ms",
            .ours = summarise(scaled(steps.step, 1e3)),
            .peers = {{"wire", 1e3 * wire_s}, {"serial", median_of(steps.serial, 1e3)}}});
  plan.add({.name = name + "_exposed_share", .unit = "1", .ours = summarise(steps.share)});
  plan.add({.name = name + "_step_over_longer",
            .unit = "1",
            .ours = summarise(steps.over_longer),
            .limit = limits.over_longer});
  plan.add({.name = name + "_hidden_of_possible",
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(steps.hidden),
            .limit = limits.hidden});
}

}  // namespace tacit::bench
