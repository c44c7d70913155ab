// External potentials: forces against their potentials, orbits, and gas that rests in one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/potential.hpp"

namespace tacit::sph::potential_test {
namespace {

using base::Vec3;
using kernels::Point;
using kernels::Potential;
using testing::SmallRun;

/// One cold particle in an open box around the middle.
InitialConditions one_particle(const Vec3& at, const Vec3& v) {
  InitialConditions gas;
  gas.box = {4.0, 4.0, 4.0};
  gas.id = {1};
  gas.x = {at.x};
  gas.y = {at.y};
  gas.z = {at.z};
  gas.vx = {v.x};
  gas.vy = {v.y};
  gas.vz = {v.z};
  gas.m = {3.0};
  gas.u = {0.0};
  return gas;
}

SphParameters open_parameters(const Potential& potential) {
  SphParameters parameters = testing::plain_parameters();
  parameters.boundary = Boundary::open;
  parameters.potential = potential;
  return parameters;
}

}  // namespace

TEST(Potential, ForcesAreSlopes) {
  const Potential all{.centre = {0.1, -0.2, 0.3},
                      .softening = 0.05,
                      .GM_point = 0.7,
                      .GM_halo = 2.0,
                      .r_s = 0.4,
                      .field = {0.1, -0.5, 1.0}};
  for (const Point at : {Point{0.5, 0.5, 0.5}, Point{0.1, -0.2, 0.31}, Point{-7.0, 3.0, 20.0}}) {
    const Vec3 a = kernels::pull(all, at, 1.0).a;
    constexpr double delta = 1e-5;
    for (const int axis : {0, 1, 2}) {
      const auto phi = [&](double move) {
        return kernels::specific_energy(
            all, {at.x + (axis == 0 ? move : 0.0), at.y + (axis == 1 ? move : 0.0), at.z + (axis == 2 ? move : 0.0)});
      };
      // phi''' is at most some GM / e^4 = 4e5 near the softened centre: delta^2 / 6 of that is 7e-6.
      EXPECT_NEAR(a[static_cast<std::size_t>(axis)], (phi(-delta) - phi(delta)) / (2.0 * delta), 1e-5);
    }
  }
}

TEST(Potential, OfTheHaloHoldsItsMass) {
  // M200 within c scale radii pulls there like a point of that mass.
  const double GM = kernels::halo_strength(5.0, 8.0);
  const Potential halo{.GM_halo = GM, .r_s = 0.25};
  EXPECT_NEAR(kernels::pull(halo, {2.0, 0.0, 0.0}, 1.0).a.x, -5.0 / 4.0, 1e-15);
  // Small distances go by a series, which meets the formula: both sides of y = 1e-3, up to y^3 of relative size.
  const double below = kernels::pull(halo, {0.25 * 0.999999e-3, 0.0, 0.0}, 1.0).a.x;
  const double above = kernels::pull(halo, {0.25 * 1.000001e-3, 0.0, 0.0}, 1.0).a.x;
  EXPECT_NEAR(below / above, 1.0, 1e-8);
  EXPECT_NEAR(below, -GM / (2.0 * 0.0625), 2e-3 * GM / 0.125);  // the cusp's constant force, to 4/3 y
  EXPECT_EQ(kernels::pull(halo, {0.0, 0.0, 0.0}, 1.0).a, Vec3{});
}

TEST(Potential, SeesTheNearestImageOfItsCentre) {
  const Potential point{.centre = {0.9, 0.5, 0.5}, .periods = {1.0, 1.0, 1.0}, .GM_point = 1.0};
  const auto a = kernels::pull(point, {0.1, 0.5, 0.5}, 1.0).a;
  EXPECT_NEAR(a.x, -25.0, 1e-12);  // 0.2 away through the face; differences of numbers near 1
  EXPECT_EQ(a.y, 0.0);
}

TEST(Potential, LimitsTheStep) {
  const Potential field{.field = {0.0, 4.0, 0.0}, .time_step_factor = 0.1};
  EXPECT_DOUBLE_EQ(kernels::pull(field, {1.0, 2.0, 3.0}, 0.16).dt, 0.1 * std::sqrt(0.16 / 4.0));
  const Potential point{.GM_point = 8.0, .time_step_factor = 0.1};
  EXPECT_DOUBLE_EQ(kernels::pull(point, {2.0, 0.0, 0.0}, 100.0).dt, 0.1);  // sqrt(r^3 / GM) = 1
  EXPECT_EQ(kernels::pull(Potential{}, {2.0, 0.0, 0.0}, 1.0).dt, std::numeric_limits<double>::infinity());
}

TEST(Potential, ABallisticParticleFollowsItsParabola) {
  const Potential field{.field = {0.0, 0.0, -2.0}};
  SmallRun run(open_parameters(field), one_particle({1.0, 1.0, 1.0}, {0.5, 0.0, 1.0}));
  for (int i = 0; i < 16; ++i) run.step(0.0625);
  const Gas& gas = run.solver.gas();
  // Kick-drift-kick is exact in a constant field, and all sums are exact in binary.
  EXPECT_EQ(gas.x[0], 1.5);
  EXPECT_EQ(gas.z[0], 1.0);  // 1 + t - t^2 at t = 1
  EXPECT_EQ(gas.vz[0], -1.0);
  EXPECT_EQ(run.solver.sums().potential_energy, 3.0 * 2.0 * 1.0);
}

TEST(Potential, AKeplerOrbitClosesAndKeepsItsEnergy) {
  // Semi-major axis 1 around the middle of the box, GM = 1, eccentricity 0.5: apocentre 1.5 at speed sqrt(1/3).
  const Potential point{.GM_point = 1.0, .time_step_factor = 0.01};
  SmallRun run(open_parameters(point), one_particle({3.5, 2.0, 2.0}, {0.0, std::sqrt(1.0 / 3.0), 0.0}));
  const double before = run.solver.sums().energy();
  EXPECT_NEAR(before, 3.0 * -0.5, 1e-14);
  EXPECT_FALSE(run.solver.sums().angular_momentum.has_value());
  double drift = 0.0;
  constexpr double period = 2.0 * std::numbers::pi;
  while (run.time < period) {
    run.step(std::min(run.solver.time_step(), period - run.time));
    drift = std::max(drift, std::abs(run.solver.sums().energy() - before));
  }
  // Steps are 1/100 of the local sqrt(r^3 / GM): (dt / 2)^2 of relative error, and a few times that at pericentre.
  EXPECT_LT(drift, 1e-4 * 1.5);
  EXPECT_NEAR(run.solver.gas().x[0], 3.5, 1e-3);
  EXPECT_NEAR(run.solver.gas().y[0], 2.0, 1e-2);  // the phase: some 600 steps of relative error (dt)^2 / 24 each
}

TEST(Potential, AnAtmosphereRestsOnItsFloor) {
  // Isothermal gas in a field on a line between walls: rho ~ exp(g x / c0^2), here over one scale height.
  constexpr std::size_t n = 100;
  constexpr double c0 = 1.0;
  InitialConditions gas = testing::uniform_gas(n, 0.0, 1);
  // Equal masses at the quantiles of the profile: M(x) = (1 - exp(-x)) / (1 - exp(-1)).
  const double norm = 1.0 - std::exp(-1.0);
  for (double& x : gas.x) x = -std::log(1.0 - x * norm);
  SphParameters parameters = testing::parameters_with(Kernel::wendland_c4, 1);
  parameters.boundary = Boundary::reflecting;
  parameters.eos = {.kind = kernels::EquationOfState::Kind::barotropic, .c0 = c0};
  parameters.potential.field = {-1.0, 0.0, 0.0};
  SmallRun run(parameters, gas);
  const double before = run.solver.sums().energy();
  while (run.time < 2.0) run.step(std::min(run.solver.time_step(), 2.0 - run.time));
  for (std::size_t i = 0; i < n; ++i) {
    const double exact = std::exp(-run.solver.gas().x[i]) / norm;
    // At the walls the mirror image turns the slope of the density round: an error of about h / scale height = 1 %.
    EXPECT_NEAR(run.solver.gas().rho[i], exact, 0.02 * exact);
    EXPECT_NEAR(run.solver.gas().vx[i], 0.0, 0.01 * c0);
  }
  // What moves is the walls' 1 % of the gas by 1 % of a scale height.
  EXPECT_NEAR(run.solver.sums().energy(), before, 1e-4 * before);
}

}  // namespace tacit::sph::potential_test
