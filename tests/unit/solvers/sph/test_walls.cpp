// Reflecting walls: against a periodic box that holds the mirror image, and what they keep.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "samples.hpp"

namespace tacit::sph::walls_test {
namespace {

using testing::SmallRun;

SphParameters walls(Kernel kernel, int dimension) {
  SphParameters parameters = testing::parameters_with(kernel, dimension);
  parameters.boundary = Boundary::reflecting;
  return parameters;
}

/// A hot, stirred gas that bounces off all walls.
InitialConditions stirred_gas(std::size_t n, int dimension) {
  InitialConditions gas = testing::uniform_gas(n, 0.4, dimension);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    gas.u[i] = 0.5 + base::uniform(3, i, 0);
    gas.vx[i] = 2.0 * (base::uniform(3, i, 1) - 0.5);
    if (dimension > 1) gas.vy[i] = 2.0 * (base::uniform(3, i, 2) - 0.5);
    if (dimension > 2) gas.vz[i] = 2.0 * (base::uniform(3, i, 3) - 0.5);
  }
  return gas;
}

/// The gas and its mirror image behind the wall at x = 1, in a box of twice the length along x.
InitialConditions with_mirror_image(const InitialConditions& gas) {
  InitialConditions both = gas;
  both.box.x = 2.0 * gas.box.x;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    both.id.push_back(gas.size() + i + 1);
    both.x.push_back(2.0 * gas.box.x - gas.x[i]);
    both.y.push_back(gas.y[i]);
    both.z.push_back(gas.z[i]);
    both.vx.push_back(-gas.vx[i]);
    both.vy.push_back(gas.vy[i]);
    both.vz.push_back(gas.vz[i]);
    both.m.push_back(gas.m[i]);
    both.u.push_back(gas.u[i]);
  }
  return both;
}

}  // namespace

TEST(Walls, KeepParticlesMassAndEnergy) {
  for (const int d : {1, 2, 3}) {
    constexpr std::array<std::size_t, 3> sides{64, 14, 7};
    SmallRun run(walls(Kernel::cubic_spline, d), stirred_gas(sides[static_cast<std::size_t>(d) - 1], d));
    const engine::MechanicalSums before = run.solver.sums();
    run.advance(60);
    const engine::MechanicalSums after = run.solver.sums();
    EXPECT_EQ(after.mass, before.mass);
    // The walls do no work; second order in the step, as without walls. Particles that meet head on at speed 2 in
    // a gas of sound speed 1 are few steps from each other: measured at most 3e-3.
    EXPECT_NEAR(after.energy(), before.energy(), 1e-2 * before.energy());
    EXPECT_FALSE(after.angular_momentum.has_value());
    const Gas& gas = run.solver.gas();
    for (const auto field : {&Gas::x, &Gas::y, &Gas::z}) {
      for (const double x : gas.*field) EXPECT_TRUE(x >= 0.0 && x <= 1.0) << x;
    }
  }
}

// A stream that runs into the wall at x = 1 and leaves the one at 0, in two dimensions: a shock and a rarefaction.
TEST(Walls, AreTheMirrorImageInALongerPeriodicBox) {
  InitialConditions gas = testing::uniform_gas(24, 0.3, 1);
  for (double& vx : gas.vx) vx = 1.5;
  SphParameters periodic = testing::parameters_with(Kernel::wendland_c2, 1);
  SmallRun with_walls(walls(Kernel::wendland_c2, 1), gas);
  // Both walls at once: the mirror image of the periodic box of length 2 is a mirror at 0 and at 1.
  SmallRun with_image(periodic, with_mirror_image(gas));
  for (int i = 0; i < 60; ++i) {
    const double dt = std::min(with_walls.solver.time_step(), with_image.solver.time_step());
    with_walls.step(dt);
    with_image.step(dt);
  }
  const auto wall = testing::places_by_id(with_walls.solver.gas());
  const auto image = testing::places_by_id(with_image.solver.gas());
  double densest = 0.0;
  for (std::size_t id = 0; id < gas.size(); ++id) {
    const Gas& a = with_walls.solver.gas();
    const Gas& b = with_image.solver.gas();
    // The same sums in another order, and h to its tolerance of 1e-6; the flow does not amplify differences much.
    EXPECT_NEAR(a.rho[wall[id]], b.rho[image[id]], 1e-4 * b.rho[image[id]]);
    const double x = particles::reflect(b.x[image[id]], 0.0, 1.0).value;
    EXPECT_NEAR(a.x[wall[id]], x, 1e-5);
    EXPECT_NEAR(std::abs(a.vx[wall[id]]), std::abs(b.vx[image[id]]), 1e-4);
    densest = std::max(densest, a.rho[wall[id]]);
  }
  EXPECT_GT(densest, 1.5);  // the shock has formed
}

TEST(Walls, SurviveARestart) {
  const test::Scratch scratch;
  SmallRun run(walls(Kernel::cubic_spline, 2), stirred_gas(12, 2));
  run.advance(5);
  io::FileWriter file(scratch / "restart.hdf5");
  run.solver.save(file);
  file.commit();
  SmallRun resumed(walls(Kernel::cubic_spline, 2), io::FileReader(scratch / "restart.hdf5"));
  run.advance(5);
  resumed.advance(5);
  EXPECT_TRUE(testing::differing_fields(run.solver.gas(), resumed.solver.gas()).empty());
}

TEST(Walls, AParticleBetweenThemFliesToAndFro) {
  InitialConditions gas = testing::uniform_gas(1, 0.0, 1);
  gas.vx = {0.5};
  gas.u = {0.0};
  SphParameters parameters = walls(Kernel::cubic_spline, 1);
  parameters.alpha = 0.0;
  SmallRun run(parameters, gas);
  // 0.5 + 1.25 = 1.75 is folded to 0.25 on its way back.
  for (int i = 0; i < 20; ++i) run.step(0.125);
  EXPECT_EQ(run.solver.gas().x[0], 0.25);
  EXPECT_EQ(run.solver.gas().vx[0], -0.5);
}

}  // namespace tacit::sph::walls_test
