// How many steps a run takes, and how many particles end one in each, from rehearsals.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/step_estimates.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph::run_estimate_test {

/// Steps of particles differ by powers of two: a fifth of the particles ends one in a step of the explosion, half of
/// them in one of the vortex. What is told must come from coarser runs, and be told of updates, too.
void expect_near_the_truth(const test::StepEstimates& steps, double least_share, double most_share) {
  EXPECT_NE(steps.predicted.basis.find("resolution"), std::string::npos) << steps.predicted.basis;
  const double share =
      static_cast<double>(steps.taken.updates()) / static_cast<double>(steps.taken.steps.size() * steps.taken.elements);
  EXPECT_GT(share, least_share);
  EXPECT_LT(share, most_share) << "all particles take the same steps: nothing is tested";
  EXPECT_NEAR(steps.of_steps(), 1.0, 0.25);
  EXPECT_NEAR(steps.of_updates(), 1.0, 0.25);
}

TEST(SphRunEstimate, OfIndividualStepsFollowsAnExplosion) {
  expect_near_the_truth(test::estimate_steps(solver_entry(), R"(
initial.setup = "sedov"
sedov.resolution = 16
time.end = 0.05
output.snapshot_every = 0.01
)",
                                             0.05),
                        0.1, 0.4);
}

TEST(SphRunEstimate, OfIndividualStepsFollowsACollapse) {
  expect_near_the_truth(test::estimate_steps(solver_entry(), R"(
initial.setup = "noh"
sph.dimension = 2
sph.boundary = "open"
noh.resolution = 24
time.end = 0.6
output.snapshot_every = 0.2
)",
                                             0.05),
                        0.2, 0.6);
}

}  // namespace tacit::sph::run_estimate_test
