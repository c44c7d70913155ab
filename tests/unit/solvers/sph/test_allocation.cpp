// A step that neither sorts nor makes new lists allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "samples.hpp"
#include "support/under_sanitizer.hpp"

// The sanitizers bring an allocation of their own, which cannot be replaced.
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

#include "support/count_allocations.hpp"

namespace tacit::sph::allocation_test {

using test::allocations;

namespace {

void expect_no_allocation_after_the_first_step(testing::SmallRun& run) {
  const double dt = 0.01 * run.solver.time_step();
  run.step(dt);
  const std::uint64_t sorts = run.solver.sorts();
  const std::size_t before = allocations;
  for (int i = 0; i < 3; ++i) run.step(dt);
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(run.solver.sorts(), sorts) << "the steps must be short enough not to sort";
}

}  // namespace

TEST(SphAllocation, AStepAfterTheFirstAllocatesNothing) {
  // One worker: with more, a worker's cache may meet its largest cell only after many steps.
  testing::SmallRun run(testing::plain_parameters(), testing::uniform_gas(10, 0.3));
  expect_no_allocation_after_the_first_step(run);
}

TEST(SphAllocation, AStepThatVisitsPairsOnceAllocatesNothing) {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = Scheme::sphenix;
  parameters.pairs = Pairs::symmetric;
  testing::SmallRun run(parameters, testing::uniform_gas(10, 0.3));
  expect_no_allocation_after_the_first_step(run);
}

TEST(SphAllocation, AStepOfTheActiveAloneAllocatesNothing) {
  // Gas of one pressure at rest whose sound speed spans a factor of 32 along a line of many cells, so that the few
  // active ones are chosen, the same again and again.
  InitialConditions gas = testing::uniform_gas(2048, 0.0, 1);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    gas.u[i] = std::exp2(5.0 * (1.0 + std::cos(2.0 * std::numbers::pi * gas.x[i])));
    gas.m[i] /= gas.u[i];
  }
  testing::SmallRun run(testing::with_own_steps(testing::parameters_with(Kernel::wendland_c2, 1)), gas);
  ASSERT_GT(run.solver.cells(), 20U);
  run.advance(128);  // two steps of the longest
  const std::uint64_t sorts = run.solver.sorts();
  const std::size_t before = allocations;
  const std::uint64_t updates = run.advance(128);
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(run.solver.sorts(), sorts) << "nothing moves";
  EXPECT_LT(updates, 64 * gas.size());  // but also steps of a part were made
}

}  // namespace tacit::sph::allocation_test

#endif
