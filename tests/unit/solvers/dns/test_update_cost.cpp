// What a point takes of the machine, against a count by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/solvers/dns/update_cost.hpp"

namespace tacit::dns::update_cost_test {

// 16 points along each axis, of whose modes kx = 0..5 and 11 of ky and kz are kept.
TEST(DnsUpdateCost, IsThatOfTransformsAndModes) {
  FlowParameters flow{.points = {16, 16, 16}, .truncation = fft::Truncation::two_thirds};
  const double kx = 6.0 / 16.0;
  const double ky = 11.0 / 16.0;
  // Three fields go to points, five come back along x and y, four along z.
  const double transforms = 2.5 * 4.0 * 8.0 + 5.0 * 4.0 * kx * 8.0 + 5.0 * 4.0 * kx * ky * 7.0;
  const double modes = kx * ky * ky;
  const engine::UpdateCost cost = update_cost(flow);
  EXPECT_DOUBLE_EQ(cost.flops, 2.0 * (transforms + 15.0 + modes * (62.0 + 3.0 * 16.0)));
  EXPECT_EQ(cost.single_flops, 0.0);
  const double field = 16.0 * modes;
  EXPECT_DOUBLE_EQ(cost.bytes, 2.0 * (3.0 * field + 2.0 * 7.0 * 16.0 * kx * ky) + 5.0 * 3.0 * field);
}

TEST(DnsUpdateCost, OfFourSubstagesIsTwiceThatOfTwo) {
  FlowParameters flow{.points = {32, 16, 8}};
  const engine::UpdateCost rk2 = update_cost(flow);
  flow.scheme = Scheme::rk4;
  const engine::UpdateCost rk4 = update_cost(flow);
  EXPECT_DOUBLE_EQ(rk4.flops, 2.0 * rk2.flops);
  EXPECT_GT(rk4.bytes, 2.0 * rk2.bytes);
  flow.form = Form::rotational;  // one transform more
  EXPECT_GT(update_cost(flow).flops, rk4.flops);
}

}  // namespace tacit::dns::update_cost_test
