// The definition of drift.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/engine/conservation.hpp"

namespace tacit::engine::conservation_test {
namespace {

Conserved state(double mass, double p_x, double kinetic, double internal, double potential) {
  Conserved c;
  c.mass = mass;
  c.momentum = {p_x, 0.0, 0.0};
  c.momentum_scale = 4.0;
  c.kinetic_energy = kinetic;
  c.internal_energy = internal;
  c.potential_energy = potential;
  return c;
}

}  // namespace

TEST(Conservation, StartsEmptyWithoutDrift) {
  Conservation conservation;
  EXPECT_TRUE(conservation.empty());
  EXPECT_EQ(conservation.energy.relative(), 0.0);
  conservation.add(state(1.0, 1.0, 1.0, 1.0, 0.0));
  EXPECT_FALSE(conservation.empty());
  EXPECT_EQ(conservation.energy.relative(), 0.0);
  EXPECT_EQ(conservation.momentum.relative(), 0.0);
}

TEST(Conservation, DriftIsTheLargestChangeOverTheLargestScale) {
  Conservation conservation;
  conservation.add(state(2.0, 0.0, 1.0, 4.0, -3.0));   // energy 2, scale 4
  conservation.add(state(2.0, 1.0, 2.0, 4.5, -3.0));   // energy 3.5, scale 4.5
  conservation.add(state(2.5, -0.5, 5.0, 6.0, -8.0));  // energy 3, scale |potential| = 8
  EXPECT_EQ(conservation.energy.relative(), 1.5 / 8.0);
  EXPECT_EQ(conservation.momentum.relative(), 1.0 / 4.0);
  EXPECT_EQ(conservation.mass.relative(), 0.5 / 2.5);
  EXPECT_EQ(conservation.angular_momentum.relative(), 0.0);
  EXPECT_EQ(conservation.start().energy(), 2.0);
  EXPECT_EQ(conservation.last().energy(), 3.0);
}

TEST(Conservation, AQuantityWithoutScaleHasNotDrifted) {
  Conservation conservation;
  Conserved rest = state(1.0, 0.0, 0.0, 1.0, 0.0);
  rest.momentum_scale = 0.0;
  conservation.add(rest);
  conservation.add(rest);
  EXPECT_EQ(conservation.momentum.relative(), 0.0);
}

TEST(Conservation, FollowsAngularMomentumWhereThereIsOne) {
  Conservation conservation;
  Conserved spinning = state(1.0, 0.0, 1.0, 1.0, 0.0);
  spinning.angular_momentum = base::Vec3{0.0, 0.0, 1.0};
  spinning.angular_momentum_scale = 2.0;
  conservation.add(spinning);
  spinning.angular_momentum = base::Vec3{0.0, 3.0, 5.0};
  conservation.add(spinning);
  EXPECT_EQ(conservation.angular_momentum.relative(), 5.0 / 2.0);  // |(0, 3, 4)| / 2
}

}  // namespace tacit::engine::conservation_test
