// What a cell takes of the machine, against a count by hand, and the time that parts of steps take.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "running_amr.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/solvers/amr/update_cost.hpp"

namespace tacit::amr::update_cost_test {

struct Counted {
  std::size_t dimensions;
  kernels::Limiter limiter;
  kernels::Riemann riemann;
  double flops;  ///< of a stage: to primitive 13; by axis slopes, two states 10, a flux, its difference 10; then the
                 ///< sum over axes, 5 for each beyond the first, and the look for the next step
};

TEST(AmrUpdateCost, IsThatOfTwoStagesAndTheUpdates) {
  using kernels::Limiter, kernels::Riemann;
  for (const Counted& counted :
       {Counted{1, Limiter::minmod, Riemann::hllc, 13.0 + (20.0 + 10.0 + 83.0 + 10.0) + 24.0},
        Counted{2, Limiter::van_leer, Riemann::hll, 13.0 + 2.0 * (35.0 + 10.0 + 107.0 + 10.0) + 5.0 + 24.0}}) {
    AmrParameters parameters;
    parameters.domain.dimensions = counted.dimensions;
    parameters.limiter = counted.limiter;
    parameters.riemann = counted.riemann;
    const engine::UpdateCost cost = update_cost(parameters);
    EXPECT_EQ(cost.flops, 2.0 * counted.flops + 10.0 + 20.0) << counted.dimensions;
    EXPECT_EQ(cost.single_flops, 0.0);
    EXPECT_EQ(cost.bytes, 2.0 * 40.0 + 3.0 * 40.0);
  }
}

TEST(AmrUpdateCost, TellsTheTimeOfGravityFromThatOfTheGas) {
  testing::RunningAmr star(
      "initial.setup = \"polytrope\"\n[gravity]\nself = true\n[amr]\nroot = [2, 2, 2]\nbox = [3.0, 3.0, 3.0]\n"
      "low = \"outflow\"\ngamma = 1.6666666666666667\n");
  const base::Stopwatch watch;
  star.steps(2);
  const std::vector<engine::StepPart> parts = star.solver().step_parts();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "gravity");
  EXPECT_EQ(parts[1].name, "hydrodynamics");
  for (const engine::StepPart& part : parts) EXPECT_GT(part.seconds, 0.0) << part.name;
  EXPECT_LE(parts[0].seconds + parts[1].seconds, watch.seconds());
  const testing::RunningAmr tube("initial.setup = \"sod\"\namr.root = [2]\namr.low = \"outflow\"\n");
  EXPECT_TRUE(tube.solver().step_parts().empty());
}

}  // namespace tacit::amr::update_cost_test
