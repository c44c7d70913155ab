// How many steps a run takes, from rehearsals.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/step_estimates.hpp"
#include "tacit/solvers/md/md_solver.hpp"

namespace tacit::md::run_estimate_test {

/// The length of a step is given, so their number is known.
TEST(MdRunEstimate, IsExact) {
  const auto steps = test::estimate_steps(solver_entry(), R"(
initial.setup = "lattice"
lattice.structure = "fcc"
lattice.density = 0.8442
lattice.cells = [8, 8, 8]
velocities.temperature = 1.44
md.elements = "Ar"
md.dt = 0.005
lennard_jones.cutoff = 2.5
time.end = 0.2
)",
                                          0.02);
  EXPECT_NE(steps.predicted.basis, "by a rehearsal of all of it");
  EXPECT_EQ(steps.taken.steps.size(), 40U);
  EXPECT_NEAR(steps.of_steps(), 1.0, 1e-9);
  EXPECT_NEAR(steps.of_updates(), 1.0, 1e-9);
}

}  // namespace tacit::md::run_estimate_test
