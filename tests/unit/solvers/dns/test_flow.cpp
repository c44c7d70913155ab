// The flow against exact solutions, against itself with other numbers of threads, and its orders in time.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "running_flow.hpp"

namespace tacit::dns::flow_test {

using testing::distance;
using testing::RunningFlow;

struct Setting {
  std::size_t n = 32;
  double viscosity = 0.01;
  fft::Truncation truncation = fft::Truncation::two_thirds;
  Form form = Form::divergence;
  Scheme scheme = Scheme::rk2;
  std::size_t workers = 1;
};

RunningFlow running(const Setting& setting) {
  FlowParameters parameters = testing::cube(setting.n, setting.scheme, setting.viscosity);
  parameters.truncation = setting.truncation;
  parameters.form = setting.form;
  return RunningFlow(parameters, setting.workers);
}

base::Vec3 taylor_green(const base::Vec3& x) {
  return {std::sin(x.x) * std::cos(x.y) * std::cos(x.z), -std::cos(x.x) * std::sin(x.y) * std::cos(x.z), 0.0};
}

/// Arnold-Beltrami-Childress: curl u = u.
base::Vec3 abc(const base::Vec3& x) {
  return {std::sin(x.z) + 0.7 * std::cos(x.y), 0.9 * std::sin(x.x) + std::cos(x.z),
          0.7 * std::sin(x.y) + 0.9 * std::cos(x.x)};
}

TEST(Flow, EnergeticsOfAKnownField) {
  RunningFlow run = running({});
  run.flow.set(taylor_green);
  const auto found = run.flow.energetics();
  EXPECT_NEAR(found.energy, 0.125, 1e-16 * 8);                  // a few dozen modes of 1/8 each
  EXPECT_NEAR(found.dissipation, 2 * 0.01 * 0.375, 1e-16 * 8);  // k^2 = 3
  EXPECT_NEAR(found.helicity, 0.0, 1e-16);
  run.flow.set(abc);
  // Energy (A^2 + B^2 + C^2) / 2, helicity twice that.
  const double energy = 0.5 * (1.0 + 0.49 + 0.81);
  EXPECT_NEAR(run.flow.energetics().energy, energy, 1e-15);
  EXPECT_NEAR(run.flow.energetics().helicity, 2.0 * energy, 2e-15);
}

// u x omega = 0, so the flow decays as exp(-nu t), which the integrating factor has exactly, however long the step.
TEST(Flow, BeltramiDecaysExactly) {
  for (const auto form : {Form::divergence, Form::rotational}) {
    for (const auto scheme : {Scheme::rk2, Scheme::rk4}) {
      for (const auto truncation : {fft::Truncation::two_thirds, fft::Truncation::spherical}) {
        for (const double dt : {0.01, 0.7, 20.0}) {
          RunningFlow run = running({.truncation = truncation, .form = form, .scheme = scheme});
          run.flow.set(abc);
          const double before = run.flow.energetics().energy;
          run.flow.step(dt);
          // Products of order one cancel but for their rounding, which a step multiplies by dt k <= 20.
          EXPECT_NEAR(run.flow.energetics().energy / before, std::exp(-2 * 0.01 * dt), (1.0 + 20 * dt) * 2.3e-16) << dt;
        }
      }
    }
  }
}

double energy_after(const Setting& setting, double dt, int steps) {
  RunningFlow run = running(setting);
  run.flow.set(taylor_green);
  run.steps(steps, dt);
  return run.flow.energetics().energy;
}

std::vector<Complex> modes_after(const Setting& setting, double dt, int steps) {
  RunningFlow run = running(setting);
  run.flow.set(taylor_green);
  run.steps(steps, dt);
  const auto modes = run.flow.modes(0);
  return {modes.begin(), modes.end()};
}

TEST(Flow, SchemesHaveTheirOrders) {
  const auto exact = modes_after({.n = 16, .viscosity = 0.02, .scheme = Scheme::rk4}, 0.005, 320);
  for (const auto& [scheme, order] : {std::pair{Scheme::rk2, 2.0}, std::pair{Scheme::rk4, 4.0}}) {
    const Setting setting{.n = 16, .viscosity = 0.02, .scheme = scheme};
    const double coarse = distance(modes_after(setting, 0.08, 20), exact);
    const double fine = distance(modes_after(setting, 0.04, 40), exact);
    // Terms of the next order shift the measured one by dt times the fastest rate, 0.04 * 5.
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.2) << coarse << " " << fine;
  }
}

TEST(Flow, FormsAgreeWhereProductsHaveNoAliases) {
  const Setting divergence{.n = 24, .scheme = Scheme::rk4};
  Setting rotational = divergence;
  rotational.form = Form::rotational;
  // The same equation, so only rounding differs: 20 steps of a few hundred operations on numbers of order 0.1.
  EXPECT_NEAR(energy_after(divergence, 0.05, 20), energy_after(rotational, 0.05, 20), 1e-15);
}

TEST(Flow, KeepsEnergyWithoutViscosity) {
  for (const auto form : {Form::divergence, Form::rotational}) {
    const Setting setting{.n = 24, .viscosity = 0.0, .form = form, .scheme = Scheme::rk4};
    const double coarse = std::abs(energy_after(setting, 0.1, 10) - 0.125);
    const double fine = std::abs(energy_after(setting, 0.05, 20) - 0.125);
    EXPECT_LT(coarse, 1e-5);
    EXPECT_LT(fine, coarse / 16.0);  // only the time steps lose energy: order 4 and, for energy, one more
  }
}

TEST(Flow, StaysWithoutDivergence) {
  RunningFlow run = running({.scheme = Scheme::rk4});
  run.flow.set(taylor_green);
  run.steps(20, 0.05);
  EXPECT_LT(run.flow.energetics().divergence, 1e-15);  // a rounding or two of each component
}

TEST(Flow, ThreadsGiveIdenticalResults) {
  const auto final_modes = [](std::size_t workers) {
    RunningFlow run = running({.n = 20, .workers = workers});
    run.flow.set(taylor_green);
    run.steps(5, 0.05);
    const auto modes = run.flow.modes(0);
    return std::vector<Complex>(modes.begin(), modes.end());
  };
  const auto one = final_modes(1);
  for (const std::size_t workers : {2U, 4U}) {
    const auto more = final_modes(workers);
    EXPECT_EQ(0, std::memcmp(one.data(), more.data(), one.size() * sizeof(Complex))) << workers;
  }
}

TEST(Flow, SaysThatItHoldsNumbersNoMore) {
  RunningFlow run = running({});
  run.flow.set(taylor_green);
  run.flow.step(0.01);
  EXPECT_TRUE(std::isfinite(run.flow.rate()));
  run.flow.modes(1)[run.flow.pencils().spectral_place(1, 2, 3)] = std::numeric_limits<double>::quiet_NaN();
  run.flow.step(0.01);
  EXPECT_TRUE(std::isnan(run.flow.rate()));
}

TEST(Flow, NeedsFewWordsPerPoint) {
  RunningFlow run = running({.n = 64, .scheme = Scheme::rk4});
  EXPECT_LT(static_cast<double>(run.flow.bytes()) / (64.0 * 64.0 * 64.0 * 8.0), 20.0);
}

}  // namespace tacit::dns::flow_test
