// The machine of the published placement study, and the model's figures beside the measured ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/placement/network/network.hpp"

namespace tacit::placement::network {

/// Blue Waters as the study describes it: 23 x 24 x 24 routers, two nodes each, y-links at half the speed of x and z.
/// Speeds are relative: an x-link has 1.
[[nodiscard]] Network blue_waters();

/// One line of the table: a ratio, as the model says and as the study gives it.
struct Comparison {
  std::string what;
  double model = 0.0;              // the ratio of the times of the transposes alone, or of bandwidths
  std::optional<double> run_low;   // the ratio of whole runs, where transposes take half of the slower run,
  std::optional<double> run_high;  // and where they take three quarters: the study's range
  std::optional<double> measured;  // of whole runs; of bandwidths, what the study derives
  std::string remark;              // what was assumed, or what the model leaves out
};

/// The model's figures beside those of the study.
///
/// @see Fiedler, Wichmann, Whalen & Pekurovsky (2013), Cray User Group
/// Cost: some seconds.
[[nodiscard]] std::vector<Comparison> blue_waters_table();

}  // namespace tacit::placement::network
