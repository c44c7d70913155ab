// How many steps a run takes, from rehearsals.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/step_estimates.hpp"
#include "tacit/solvers/amr/amr_solver.hpp"

namespace tacit::amr::run_estimate_test {

TEST(AmrRunEstimate, OfAnExplosionFollowsTheShock) {
  const auto steps = test::estimate_steps(solver_entry(), R"(
initial.setup = "sedov"
amr.root = [1, 1]
amr.level = 3
time.end = 0.05
)",
                                          0.05);
  EXPECT_NE(steps.predicted.basis.find("resolution"), std::string::npos) << steps.predicted.basis;
  EXPECT_NEAR(steps.of_steps(), 1.0, 0.25);
  EXPECT_NEAR(steps.of_updates(), 1.0, 0.25);
}

}  // namespace tacit::amr::run_estimate_test
