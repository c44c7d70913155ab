// How many steps a run takes, from rehearsals.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/step_estimates.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"

namespace tacit::heat::run_estimate_test {

/// The longest step goes with the square of the spacing, so runs at two resolutions tell all of them.
TEST(HeatRunEstimate, FollowsTheLongestStableStep) {
  const auto steps = test::estimate_steps(solver_entry(), R"(
initial.setup = "gaussian"
gaussian.width = 0.1
heat.cells = [64, 64]
heat.diffusivity = 1.0
time.end = 0.02
)",
                                          0.005);
  EXPECT_NE(steps.predicted.basis.find("resolution"), std::string::npos) << steps.predicted.basis;
  EXPECT_NEAR(steps.of_steps(), 1.0, 0.1);
  EXPECT_NEAR(steps.of_updates(), 1.0, 0.1);
}

}  // namespace tacit::heat::run_estimate_test
