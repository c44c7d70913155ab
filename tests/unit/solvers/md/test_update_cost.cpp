// What an atom takes of the machine, against a count by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "tacit/solvers/md/update_cost.hpp"

namespace tacit::md::update_cost_test {

TEST(MdUpdateCost, OfPairsGrowsByThoseOfTheList) {
  MdParameters parameters;
  const engine::UpdateCost none = update_cost(parameters, 0.0);
  EXPECT_EQ(none.flops, 18.0);
  // Positions and velocities twice, forces, records; records, forces; forces, velocities twice: 35 numbers.
  EXPECT_EQ(none.bytes, 8.0 * 35.0);
  const engine::UpdateCost some = update_cost(parameters, 50.0);
  EXPECT_EQ(some.flops, 18.0 + 50.0 * 22.0);
  EXPECT_EQ(some.bytes, none.bytes + 50.0 * 4.0);
  parameters.lennard_jones.truncation = kernels::Truncation::force_shifted;
  EXPECT_EQ(update_cost(parameters, 50.0).flops, 18.0 + 50.0 * 25.0);
}

TEST(MdUpdateCost, OfBondsHasTheirAngles) {
  MdParameters parameters;
  parameters.potential = Potential::tersoff;
  parameters.tersoff = kernels::TersoffTable(1, {kernels::TersoffTriple{}});
  const engine::UpdateCost cost = update_cost(parameters, 10.0);
  EXPECT_EQ(cost.flops, 18.0 + 8.0 * 10.0 + 4.0 * (4.0 * 55.0 + 100.0));
  EXPECT_EQ(cost.bytes, 280.0 + 40.0 + 4.0 * 56.0);
}

}  // namespace tacit::md::update_cost_test
