// Gases without a heat of their own: the laws themselves, waves, and energies that add up.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"

namespace tacit::sph::gas_laws_test {
namespace {

using kernels::EquationOfState;
using testing::SmallRun;

constexpr double gamma = 5.0 / 3.0;
constexpr EquationOfState isothermal{.kind = EquationOfState::Kind::barotropic, .c0 = 0.5};
constexpr EquationOfState barotropic{.kind = EquationOfState::Kind::barotropic, .c0 = 0.5, .rho_c = 2.0};

/// A standing sound wave of small amplitude on a line: delta rho / rho = amplitude cos(2 pi x).
InitialConditions standing_wave(std::size_t n, double amplitude) {
  InitialConditions gas = testing::uniform_gas(n, 0.0, 1);
  constexpr double k = 2.0 * std::numbers::pi;
  for (double& x : gas.x) x -= amplitude / k * std::sin(k * x);
  for (double& x : gas.x) x = particles::wrap(x, 0.0, 1.0);
  return gas;
}

SphParameters parameters_of(const EquationOfState& eos) {
  SphParameters parameters = testing::parameters_with(Kernel::wendland_c6, 1);
  parameters.eos = eos;
  parameters.smoothing.eta = 1.6;
  parameters.alpha = 0.0;
  return parameters;
}

}  // namespace

TEST(GasLaws, ByHand) {
  EXPECT_DOUBLE_EQ(kernels::pressure(isothermal, 7.0, 3.0, gamma), 0.75);
  EXPECT_DOUBLE_EQ(kernels::sound_speed(isothermal, 0.75, 3.0, gamma), 0.5);
  EXPECT_DOUBLE_EQ(kernels::internal_energy(isothermal, 7.0, 3.0, gamma), 0.375);
  // (16 / 2)^(2/3) = 4.
  EXPECT_DOUBLE_EQ(kernels::pressure(barotropic, 7.0, 16.0, gamma), 16.0 * 0.25 * 5.0);
  EXPECT_DOUBLE_EQ(kernels::sound_speed(barotropic, 20.0, 16.0, gamma), 0.5 * std::sqrt(1.0 + gamma * 4.0));
  EXPECT_DOUBLE_EQ(kernels::pressure(EquationOfState{}, 2.0, 8.0, gamma), kernels::pressure(2.0, 8.0, gamma));
  EXPECT_EQ(kernels::bath_energy(EquationOfState{}, 2.0, 8.0), 0.0);
}

TEST(GasLaws, SoundSpeedAndEnergyFollowFromThePressure) {
  for (const auto& eos : {isothermal, barotropic}) {
    for (const double rho : {0.01, 1.0, 2.0, 50.0}) {
      const double delta = 1e-5 * rho;
      const auto P = [&](double at) { return kernels::pressure(eos, 0.0, at, gamma); };
      const auto e = [&](double at) {
        return kernels::internal_energy(eos, 0.0, at, gamma) + kernels::bath_energy(eos, at, 3.0);
      };
      // Central differences: the third derivatives are at most of the size of the first over rho^2, so errors are some
      // 1e-10 / 6, and rounding some 1e-16 / 1e-5 times the value over its slope (at most 10).
      const double c = kernels::sound_speed(eos, P(rho), rho, gamma);
      EXPECT_NEAR((P(rho + delta) - P(rho - delta)) / (2.0 * delta), c * c, 1e-9 * c * c);
      EXPECT_NEAR((e(rho + delta) - e(rho - delta)) / (2.0 * delta), P(rho) / (rho * rho), 1e-9 * P(rho) / (rho * rho));
    }
  }
}

TEST(GasLaws, SoundWavesHaveTheirSpeedAndKeepTheirEnergy) {
  for (const auto& eos : {isothermal, barotropic}) {
    SmallRun run(parameters_of(eos), standing_wave(128, 0.01));
    const double c = kernels::sound_speed(eos, 0.0, 1.0, gamma);
    const double before = run.solver.sums().energy();
    EXPECT_NEAR(before, kernels::internal_energy(eos, 0.0, 1.0, gamma), 1e-3);  // u at rho = 1 up to amplitude^2
    // After half a period crests are troughs, at rest again.
    const double half = 0.5 / c;
    while (run.time < half) run.step(std::min(run.solver.time_step(), half - run.time));
    double crest = 0.0;
    double wave = 0.0;
    for (std::size_t i = 0; i < run.solver.gas().size(); ++i) {
      const double phase = 2.0 * std::numbers::pi * run.solver.gas().x[i];
      crest += 2.0 / 128.0 * (run.solver.gas().rho[i] - 1.0) * std::cos(phase);
      wave = std::max(wave, std::abs(run.solver.gas().vx[i]));
    }
    // Wavelengths of 128 spacings and h = 1.6 spacings: (k h)^2 = 0.006 in the frequency, second order in the cosine.
    EXPECT_NEAR(crest, -0.01, 2e-4);
    EXPECT_LT(wave, 0.05 * 0.01 * c);
    // The leapfrog at cfl 0.1, of the wave's energy amplitude^2 c^2 / 4.
    EXPECT_NEAR(run.solver.sums().energy(), before, 0.01 * 1e-4 * c * c / 4.0);
  }
}

TEST(GasLaws, ShocksTakeEnergyAndGiveNoHeat) {
  SphParameters parameters = parameters_of(isothermal);
  parameters.alpha = 1.2;
  InitialConditions gas = testing::uniform_gas(128, 0.0, 1);
  for (std::size_t i = 0; i < gas.size(); ++i) gas.vx[i] = gas.x[i] < 0.5 ? 1.0 : -1.0;
  SmallRun run(parameters, gas);
  const double before = run.solver.sums().energy();
  // Until just before the rarefaction from x = 0, at speed 1 + c0, meets the shock.
  while (run.time < 0.25) run.step(std::min(run.solver.time_step(), 0.25 - run.time));
  EXPECT_EQ(run.solver.gas().thermal, std::vector<double>(128, 0.0));
  EXPECT_LT(run.solver.sums().energy(), 0.95 * before);
  // Both shocks are isothermal: v_s (v_s + 1) = c0^2 in the frame of the shocked gas at rest, and rho_2 / rho_1 =
  // 1 + 1 / v_s; around x = 0.5 the gas has been at rest for long.
  const double v_s = (-1.0 + std::sqrt(1.0 + 4.0 * 0.25)) / 2.0;
  double rho = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < 128; ++i) {
    if (std::abs(run.solver.gas().x[i] - 0.5) > 0.3 * v_s * run.time) continue;
    rho += run.solver.gas().rho[i];
    count += 1.0;
  }
  ASSERT_GT(count, 5.0);
  EXPECT_NEAR(rho / count, 1.0 + 1.0 / v_s, 0.03 * (1.0 + 1.0 / v_s));  // the noise behind the shock
}

}  // namespace tacit::sph::gas_laws_test
