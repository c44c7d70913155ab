// What an update of a particle takes of the machine, against a count by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tacit/solvers/sph/update_cost.hpp"

namespace tacit::sph::update_cost_test {
namespace {

SphParameters cubic(int dimension) {
  SphParameters parameters;
  parameters.kernel = Kernel::cubic_spline;
  set_dimension(parameters, dimension);
  return parameters;
}

}  // namespace

// 4 pi / 3 (1.825742 1.2348)^3
TEST(SphUpdateCost, HasTheNeighboursOfTheKernel) {
  EXPECT_NEAR(neighbours_of_particle(cubic(3)), 48.0, 0.1);
  EXPECT_NEAR(neighbours_of_particle(cubic(1)), 2.0 * 1.732051 * 1.2348, 1e-4);
}

TEST(SphUpdateCost, IsThatOfThreeSumsAndOfTheFields) {
  const SphParameters parameters = cubic(3);
  const engine::UpdateCost cost = update_cost(parameters);
  EXPECT_EQ(cost.flops, 0.0);
  EXPECT_NEAR(cost.single_flops / neighbours_of_particle(parameters), 31.0 + 46.0 + 74.0, 1e-9);
  EXPECT_GT(cost.bytes, 2.0 * 8.0 * 10.0);
  EXPECT_LT(cost.bytes, 2.0 * 8.0 * 40.0);
}

TEST(SphUpdateCost, OfSphenixAndOfIndividualStepsIsMore) {
  SphParameters parameters = cubic(3);
  const engine::UpdateCost plain = update_cost(parameters);
  parameters.scheme = Scheme::sphenix;
  EXPECT_NEAR((update_cost(parameters).single_flops - plain.single_flops) / neighbours_of_particle(parameters), 48.0,
              1e-9);
  parameters.has_individual_steps = true;
  EXPECT_GT(update_cost(parameters).bytes, plain.bytes);
}

}  // namespace tacit::sph::update_cost_test
