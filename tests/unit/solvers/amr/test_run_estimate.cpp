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

/// There are more and more sub-grids while the shock grows, and in coarse runs nearly all of them are refined.
TEST(AmrRunEstimate, OfWhatTheGasRefines) {
  const auto steps = test::estimate_steps(solver_entry(), R"(
initial.setup = "sedov"
amr.root = [4, 4]
amr.finest = 2
time.end = 0.05
)",
                                          0.08);
  EXPECT_NE(steps.predicted.basis.find("resolution"), std::string::npos) << steps.predicted.basis;
  EXPECT_FALSE(steps.taken.keeps_elements);
  EXPECT_NEAR(steps.of_steps(), 1.0, 0.25);
  EXPECT_NEAR(steps.of_updates(), 1.0, 0.25);
}

/// A root block that is not divided: what is refined in it is made coarser.
TEST(AmrRunEstimate, OfASingleRootBlock) {
  const auto steps = test::estimate_steps(solver_entry(), R"(
initial.setup = "sedov"
amr.root = [1, 1]
amr.finest = 4
time.end = 0.05
)",
                                          0.08);
  EXPECT_NE(steps.predicted.basis.find("resolution"), std::string::npos) << steps.predicted.basis;
  EXPECT_NEAR(steps.of_steps(), 1.0, 0.25);
  EXPECT_NEAR(steps.of_updates(), 1.0, 0.25);
}

}  // namespace tacit::amr::run_estimate_test
