// The definition of drift.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tacit/engine/conservation.hpp"

namespace tacit::engine::conservation_test {
namespace {

MechanicalSums state(double mass, double p_x, double kinetic, double internal, double potential) {
  MechanicalSums c;
  c.mass = mass;
  c.momentum = {p_x, 0.0, 0.0};
  c.momentum_scale = 4.0;
  c.kinetic_energy = kinetic;
  c.internal_energy = internal;
  c.potential_energy = potential;
  return c;
}

void add(Conservation& conservation, const MechanicalSums& sums) { conservation.add(sums.conserved().quantities); }

double drift(const Conservation& conservation, const char* name) { return conservation.find(name)->max_drift(); }

}  // namespace

TEST(Conservation, StartsEmptyWithoutDrift) {
  Conservation conservation;
  EXPECT_TRUE(conservation.entries().empty());
  add(conservation, state(1.0, 1.0, 1.0, 1.0, 0.0));
  EXPECT_EQ(drift(conservation, "energy"), 0.0);
  EXPECT_EQ(drift(conservation, "momentum"), 0.0);
}

TEST(Conservation, DriftIsTheLargestChangeOverTheLargestScale) {
  Conservation conservation;
  add(conservation, state(2.0, 0.0, 1.0, 4.0, -3.0));   // energy 2, scale 4
  add(conservation, state(2.0, 1.0, 2.0, 4.5, -3.0));   // energy 3.5, scale 4.5
  add(conservation, state(2.5, -0.5, 5.0, 6.0, -8.0));  // energy 3, scale |potential| = 8
  EXPECT_EQ(drift(conservation, "energy"), 1.5 / 8.0);
  EXPECT_EQ(drift(conservation, "momentum"), 1.0 / 4.0);
  EXPECT_EQ(drift(conservation, "mass"), 0.5 / 2.5);
  EXPECT_EQ(conservation.find("angular_momentum"), nullptr);
  EXPECT_EQ(conservation.find("energy")->start, std::vector<double>{2.0});
  EXPECT_EQ(conservation.find("energy")->last, std::vector<double>{3.0});
}

TEST(Conservation, FindsWhatHasDriftedTooFar) {
  Conservation conservation;
  add(conservation, state(2.0, 0.0, 1.0, 4.0, -3.0));
  add(conservation, state(2.0, 1.0, 2.0, 4.5, -3.0));  // energy by 1.5 / 4.5, momentum by 1 / 4
  const auto found = [&](const DriftLimits& limits) {
    const Conservation::Entry* const entry = conservation.find_beyond(limits);
    return entry == nullptr ? "none" : entry->name;
  };
  EXPECT_EQ(found({}), "none");
  EXPECT_EQ(found({.of_any = 0.34}), "none");
  EXPECT_EQ(found({.of_any = 0.3}), "energy");
  EXPECT_EQ(found({.of_any = 0.2}), "momentum");  // the first
  EXPECT_EQ(found({.of_any = 0.2, .named = {{"momentum", 0.25}, {"energy", 0.5}}}), "none");
  EXPECT_EQ(found({.named = {{"momentum", 0.2}}}), "momentum");
  EXPECT_EQ(found({.named = {{"mass", 1e-15}}}), "none");
  MechanicalSums viscous = state(2.0, 1.0, 9.0, 4.5, -3.0);
  viscous.keeps_energy = false;
  add(conservation, viscous);
  EXPECT_EQ(found({.of_any = 0.3}), "none");  // a change that is no drift
}

TEST(Conservation, FindsJumpsFromOneStateToTheNext) {
  Conservation conservation;
  const auto jumps = [&](const MechanicalSums& next) {
    std::string names;
    for (const auto& [name, part, before, after] : conservation.jumps_to(next.conserved().quantities, 0.05)) {
      names += fmt::format("{} {:.3g}, {} to {}; ", name, part, before.front(), after.front());
    }
    return names;
  };
  MechanicalSums gas;
  gas.mass = 2.0;
  gas.momentum = {1.0, 0.0, 0.0};
  gas.momentum_scale = 10.0;
  gas.kinetic_energy = 4.0;
  EXPECT_EQ(jumps(gas), "");  // nothing before it
  add(conservation, gas);
  gas.momentum.x = 1.5;  // just as much as is allowed
  gas.kinetic_energy = 4.2;
  EXPECT_EQ(jumps(gas), "");
  add(conservation, gas);
  gas.momentum.x = 2.1;
  gas.kinetic_energy = 8.2;
  EXPECT_EQ(jumps(gas), "momentum 0.06, 1.5 to 2.1; energy 0.488, 4.2 to 8.2; ");  // 4 / 8.2
  gas.opens_momentum = true;
  EXPECT_EQ(jumps(gas), "energy 0.488, 4.2 to 8.2; ");
  gas.opens_energy = true;
  EXPECT_EQ(jumps(gas), "");
  gas.opens_energy = false;
  gas.keeps_energy = false;
  EXPECT_EQ(jumps(gas), "");
}

TEST(Conservation, AQuantityWithoutScaleHasNotDrifted) {
  Conservation conservation;
  MechanicalSums rest = state(1.0, 0.0, 0.0, 1.0, 0.0);
  rest.momentum_scale = 0.0;
  add(conservation, rest);
  add(conservation, rest);
  EXPECT_EQ(drift(conservation, "momentum"), 0.0);
}

TEST(Conservation, FollowsAngularMomentumWhereThereIsOne) {
  Conservation conservation;
  MechanicalSums spinning = state(1.0, 0.0, 1.0, 1.0, 0.0);
  spinning.angular_momentum = base::Vec3{0.0, 0.0, 1.0};
  spinning.angular_momentum_scale = 2.0;
  add(conservation, spinning);
  spinning.angular_momentum = base::Vec3{0.0, 3.0, 5.0};
  add(conservation, spinning);
  EXPECT_EQ(drift(conservation, "angular_momentum"), 5.0 / 2.0);  // |(0, 3, 4)| / 2
}

TEST(Conservation, TakesAnyQuantity) {
  Conservation conservation;
  conservation.add(std::vector<Quantity>{{"topological_charge", {3.0}, 1.0}, {"energy", {5.0}, 5.0, false}});
  conservation.add(std::vector<Quantity>{{"topological_charge", {2.5}, 2.0}, {"energy", {1.0}, 5.0, false}});
  EXPECT_EQ(drift(conservation, "topological_charge"), 0.25);
  EXPECT_FALSE(conservation.find("energy")->is_kept);
  EXPECT_EQ(drift(conservation, "energy"), 0.0);  // what comes and goes has no drift
}

TEST(Conservation, NamesWhatIsNotFinite) {
  const std::vector<Quantity> good{{"charge", {1.0}}, {"angular_momentum", {1.0, 2.0, 3.0}}};
  EXPECT_FALSE(find_not_finite(good).has_value());
  std::vector<Quantity> bad = good;
  bad[1].value[2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(find_not_finite(bad).value().text, "the angular momentum along z is inf");
  bad[0].value[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(find_not_finite(bad).value().field, "charge");
}

}  // namespace tacit::engine::conservation_test
