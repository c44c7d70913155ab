// What a cell takes of the machine, against a count by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/solvers/amr/update_cost.hpp"

namespace tacit::amr::update_cost_test {

// Of a stage in 1D with minmod and hllc: to primitive 13, slopes 20, two states 10, the flux 83, its difference 10, the
// look for the next step 24.
TEST(AmrUpdateCost, IsThatOfTwoStages) {
  AmrParameters parameters;
  parameters.domain.dimensions = 1;
  parameters.limiter = kernels::Limiter::minmod;
  parameters.riemann = kernels::Riemann::hllc;
  const engine::UpdateCost cost = update_cost(parameters);
  EXPECT_EQ(cost.flops, 2.0 * 160.0 + 10.0 + 20.0);
  EXPECT_EQ(cost.single_flops, 0.0);
  EXPECT_EQ(cost.bytes, 2.0 * 40.0 + 3.0 * 40.0);
}

TEST(AmrUpdateCost, OfMoreAxesAndOtherFluxesIsMoreArithmetic) {
  AmrParameters parameters;
  parameters.domain.dimensions = 2;
  parameters.limiter = kernels::Limiter::van_leer;
  parameters.riemann = kernels::Riemann::hll;
  const engine::UpdateCost cost = update_cost(parameters);
  EXPECT_EQ(cost.flops, 2.0 * (13.0 + 2.0 * (35.0 + 10.0 + 107.0 + 10.0) + 5.0 + 24.0) + 30.0);
  EXPECT_EQ(cost.bytes, 200.0);
}

}  // namespace tacit::amr::update_cost_test
