// What a cell takes of the machine, against a count by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/solvers/heat/update_cost.hpp"

namespace tacit::heat::update_cost_test {

// L(T) = w_x (T_l + T_r - 2 T) + w_y (T_b + T_t - 2 T): 2 T, then three operations and a sum along each axis: 9.
TEST(HeatUpdateCost, OfConstantDiffusivityIsThatOfTwoStages) {
  HeatParameters parameters;
  parameters.domain.dimensions = 2;
  parameters.stages = mesh::rk2();
  const engine::UpdateCost cost = stencil::update_cost(parameters, 1, cost_of_rates(parameters));
  EXPECT_EQ(cost.flops, (9.0 + 2.0) + (9.0 + 4.0));
  EXPECT_EQ(cost.single_flops, 0.0);
  EXPECT_EQ(cost.bytes, 16.0 + 24.0);  // T read and written; T, that of the begin, and the new one
}

TEST(HeatUpdateCost, GrowsByTheStages) {
  HeatParameters parameters;
  parameters.domain.dimensions = 3;
  parameters.stages = mesh::rkl2(5);
  const engine::UpdateCost cost = stencil::update_cost(parameters, 1, cost_of_rates(parameters));
  EXPECT_EQ(cost.flops, (13.0 + 2.0) + 4.0 * (13.0 + 9.0));
  EXPECT_EQ(cost.bytes, 24.0 + 4.0 * 40.0);
}

TEST(HeatUpdateCost, OfGivenDiffusivityHasItsFaces) {
  HeatParameters parameters;
  parameters.domain.dimensions = 1;
  parameters.stages = {{.form = mesh::Form::euler}};
  parameters.initial.source = [](auto&&...) { return 0.0; };
  const engine::UpdateCost cost = stencil::update_cost(parameters, 1, cost_of_rates(parameters));
  EXPECT_EQ(cost.flops, 6.0 + 2.0);
  EXPECT_EQ(cost.bytes, 16.0 + 16.0);
}

}  // namespace tacit::heat::update_cost_test
