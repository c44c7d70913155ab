// The exact solutions against published and reference values.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tacit/solvers/amr/setups/blast_wave.hpp"
#include "tacit/solvers/amr/setups/riemann_problem.hpp"

namespace tacit::amr {
namespace {

TEST(AmrRiemannProblem, SodsTubeHasTheKnownStarState) {
  const RiemannProblem sod({1.0, 0.0, 1.0}, {0.125, 0.0, 0.1}, 1.4);
  EXPECT_NEAR(sod.P_star(), 0.3031301780506, 1e-13);
  EXPECT_NEAR(sod.u_star(), 0.9274526200489, 1e-13);
  EXPECT_NEAR(sod.at(0.5).rho, 0.4263194281785, 1e-13);
  EXPECT_NEAR(sod.at(1.0).rho, 0.2655737117053, 1e-13);
  EXPECT_EQ(sod.at(1.7521).P, sod.P_star());
  EXPECT_EQ(sod.at(1.7522).P, 0.1);
  EXPECT_EQ(sod.at(-1.1833).rho, 1.0);
  EXPECT_LT(sod.at(-1.1831).rho, 1.0);
}

TEST(AmrRiemannProblem, AgreesWithAnIndependentSolution) {
  const RiemannProblem sod({1.0, 0.0, 1.0}, {0.125, 0.0, 0.1}, 1.4);
  // x, rho, u, P at t = 0.2, in the fan.
  for (const auto& [x, rho, u, P] : {std::array{-0.2314453125, 0.981829322012, 0.0216578284333, 0.974653837844},
                                     {-0.1064453125, 0.618232693035, 0.542491161767, 0.510050002973}}) {
    const TubeState state = sod.at(x / 0.2);
    EXPECT_NEAR(state.rho, rho, 1e-12);
    EXPECT_NEAR(state.u, u, 1e-12);
    EXPECT_NEAR(state.P, P, 1e-12);
  }
}

TEST(AmrRiemannProblem, KeepsMassMomentumAndEnergyAcrossEveryWave) {
  // Integrals over x of the change are what has come in at the ends: -(F_right - F_left) t.
  for (const double u : {-1.0, 0.0, 0.7, 3.0}) {
    const TubeState left{1.0, u, 1.0};
    const TubeState right{0.4, 0.1, 2.0};
    const RiemannProblem problem(left, right, 1.4);
    const auto mass_flux = [](const TubeState& s) { return s.rho * s.u; };
    constexpr int n = 200000;
    double mass = 0.0;
    for (int i = 0; i < n; ++i) mass += problem.at(-8.0 + 16.0 * (i + 0.5) / n).rho * 16.0 / n;
    const double expected = 8.0 * (left.rho + right.rho) - (mass_flux(right) - mass_flux(left));
    EXPECT_NEAR(mass, expected, 16.0 / n * 4.0) << "jumps are off by a part of an interval each";
  }
  EXPECT_TRUE(RiemannProblem::has_vacuum({1.0, -10.0, 1.0}, {1.0, 10.0, 1.0}, 1.4));
  EXPECT_FALSE(RiemannProblem::has_vacuum({1.0, -1.0, 1.0}, {1.0, 1.0, 1.0}, 1.4));
}

TEST(AmrBlastWave, HasTheKnownConstant) {
  // alpha = xi0^-5 of Kamm & Timmes (2007), LA-UR-07-2849, of six digits.
  EXPECT_NEAR(std::pow(BlastWave(1.4).xi0(), -5.0), 0.851072, 1e-6);
  EXPECT_NEAR(BlastWave(5.0 / 3.0).xi0(), 1.1516664, 1e-6);
}

TEST(AmrBlastWave, AgreesWithAnIndependentTable) {
  const BlastWave wave(1.4);
  // lambda, rho, v, P over those before and at the shock.
  for (const auto& [lambda, rho, v, P] : {std::array{0.06424693398, 2.134819138e-09, 0.04589066713, 0.3045525654},
                                          {0.119123929, 2.190083156e-07, 0.08508852075, 0.3045525658},
                                          {0.9910714096, 5.010442891, 0.8174726953, 0.7578810533},
                                          {0.9967406201, 5.610537748, 0.8274828789, 0.8040738596}}) {
    const BlastState state = wave.at(lambda);
    EXPECT_NEAR(state.rho, rho, 1e-5 * rho + 1e-10) << "linear between rows, whose power is 5";
    EXPECT_NEAR(state.v, v, 1e-6);
    EXPECT_NEAR(state.P, P, 1e-6);
  }
}

TEST(AmrBlastWave, HasTheStrongShocksStateAndTheOneBeforeIt) {
  const BlastWave wave(1.4);
  EXPECT_NEAR(wave.at(1.0).rho, 6.0, 1e-12);
  EXPECT_NEAR(wave.at(1.0).v, 2.0 / 2.4, 1e-12);
  EXPECT_NEAR(wave.at(1.0).P, 2.0 / 2.4, 1e-12);
  EXPECT_EQ(wave.at(1.01).rho, 1.0);
  EXPECT_EQ(wave.at(0.0).v, 0.0);
  EXPECT_GT(wave.at(0.0).P, 0.3);
}

}  // namespace
}  // namespace tacit::amr
