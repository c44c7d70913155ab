// Scalars, rotation and stratification against exact solutions, and the orders in time with all of them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "running_flow.hpp"

namespace tacit::dns::physics_test {

using testing::all_modes;
using testing::begin_with_everything;
using testing::cube;
using testing::distance;
using testing::half_square;
using testing::place_of;
using testing::RunningFlow;
using testing::taylor_green;
using testing::with_everything;

constexpr double rounding = 2.3e-16;
constexpr std::array both_forms{Form::divergence, Form::rotational};
constexpr std::array both_schemes{Scheme::rk2, Scheme::rk4};

TEST(Physics, ScalarsDiffuseExactlyEachWithItsDiffusivity) {
  for (const auto scheme : both_schemes) {
    FlowParameters p = cube(16, scheme);
    p.physics.scalars = {{.diffusivity = 0.1}, {.diffusivity = 0.025}};
    RunningFlow run(p);
    for (const std::size_t s : {0U, 1U}) {
      run.flow.set_scalar(s, [](const base::Vec3& x) { return std::cos(x.x + 2 * x.y - x.z); });
    }
    run.steps(3, 0.7);
    const std::size_t at = place_of(run.flow, {1, 2, -1});
    // Three steps of a few roundings each, on a mode of 1/2.
    EXPECT_NEAR(run.flow.scalar(0)[at].real(), 0.5 * std::exp(-0.1 * 6 * 2.1), 10 * rounding);
    EXPECT_NEAR(run.flow.scalar(1)[at].real(), 0.5 * std::exp(-0.025 * 6 * 2.1), 10 * rounding);
  }
}

TEST(Physics, UniformFlowCarriesAScalarExactly) {
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      FlowParameters p = cube(16, scheme);
      p.form = form;
      p.physics.scalars = {{.diffusivity = 0.02}};
      RunningFlow run(p);
      run.flow.set([](const base::Vec3&) { return base::Vec3{1.0, -0.5, 0.25}; });
      run.flow.set_scalar(0, [](const base::Vec3& x) { return std::sin(x.x + 2 * x.y + 3 * x.z); });
      run.steps(4, 0.5);
      const double phase = 2.0 * (1.0 - 2 * 0.5 + 3 * 0.25);  // k . u t
      const Complex exact = Complex(0.0, -0.5) * std::polar(std::exp(-0.02 * 14 * 2.0), -phase);
      // Four steps of a few roundings each, on a mode of 1/2.
      EXPECT_LT(std::abs(run.flow.scalar(0)[place_of(run.flow, {1, 2, 3})] - exact), 10 * rounding);
    }
  }
}

// u . grad psi = 0 for the stream function psi of a flow in a plane, and vortices of one wave length only decay.
TEST(Physics, AScalarOnStreamLinesOnlyDiffuses) {
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      FlowParameters p = cube(16, scheme);
      p.form = form;
      p.viscosity = 0.05;
      p.physics.scalars = {{.diffusivity = 0.2}};
      RunningFlow run(p);
      run.flow.set([](const base::Vec3& x) {
        return base::Vec3{std::sin(x.x) * std::cos(x.y), -std::cos(x.x) * std::sin(x.y), 0.0};
      });
      run.flow.set_scalar(0, [](const base::Vec3& x) { return std::sin(x.x) * std::sin(x.y); });
      const std::vector<Complex> before(run.flow.scalar(0).begin(), run.flow.scalar(0).end());
      run.steps(2, 0.5);
      const double decay = std::exp(-2 * 0.2);
      std::vector<Complex> exact;
      for (const Complex& mode : before) exact.push_back(decay * mode);
      // Products of order one cancel but for their rounding, in two steps.
      EXPECT_LT(distance(run.flow.scalar(0), exact), 20 * rounding);
    }
  }
}

// Of a flow that does not depend on z, w obeys the equation of a scalar with the diffusivity nu.
TEST(Physics, AScalarDoesAsWInAFlowOfTwoDimensions) {
  for (const auto form : both_forms) {
    for (const auto shift : {PhaseShift::none, PhaseShift::random}) {
      FlowParameters p = cube(20, Scheme::rk4);
      p.form = form;
      p.viscosity = 0.01;
      p.physics.phase_shift = shift;
      p.physics.scalars = {{.diffusivity = 0.3}, {.diffusivity = 0.01}};
      RunningFlow run(p);
      const auto w = [](const base::Vec3& x) { return std::cos(x.x) + std::sin(2 * x.y + x.x); };
      run.flow.set([w](const base::Vec3& x) {
        return base::Vec3{std::sin(x.y) + std::cos(2 * x.y), std::cos(x.x), w(x)};
      });
      run.flow.set_scalar(1, w);
      const std::vector<Complex> before(run.flow.modes(2).begin(), run.flow.modes(2).end());
      run.steps(20, 0.05);
      EXPECT_GT(distance(run.flow.modes(2), before), 0.3);
      // 80 substages, each with the rounding of products and transforms of order one.
      EXPECT_LT(distance(run.flow.modes(2), run.flow.scalar(1)), 80 * 2 * rounding);
    }
  }
}

// w = W exp(-nu t) sin x is a flow by itself, and theta grows as d theta/dt = -G w + kappa laplace theta.
TEST(Physics, AMeanGradientMakesAScalarGrow) {
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      FlowParameters p = cube(16, scheme);
      p.form = form;
      p.viscosity = 0.1;
      p.physics.scalars = {{.diffusivity = 0.1, .gradient = {0.3, -1.0, 2.0}}};
      RunningFlow run(p);
      run.flow.set([](const base::Vec3& x) { return base::Vec3{0.0, 0.0, std::sin(x.x)}; });
      run.steps(4, 0.5);
      const double t = 2.0;
      // With kappa = nu the source that the integrating factor leaves is constant, and both schemes are exact.
      const double exact = 0.5 * 2.0 * t * std::exp(-0.1 * t);
      EXPECT_NEAR(run.flow.scalar(0)[place_of(run.flow, {1, 0, 0})].imag(), exact, 20 * rounding);
    }
  }
}

/// Two unit vectors across k, right-handed with it.
std::array<base::Vec3, 2> across(const base::Vec3& k) {
  const double size = std::sqrt(k.x * k.x + k.y * k.y + k.z * k.z);
  const double flat = std::sqrt(k.x * k.x + k.y * k.y);
  const base::Vec3 first{-k.x * k.z / (flat * size), -k.y * k.z / (flat * size), flat / size};  // mostly up
  const base::Vec3 n{k.x / size, k.y / size, k.z / size};
  return {first, {n.y * first.z - n.z * first.y, n.z * first.x - n.x * first.z, n.x * first.y - n.y * first.x}};
}

// A helical wave is parallel to its vorticity, so that only rotation and viscosity act on it.
TEST(Physics, AHelicalWaveTurnsExactly) {
  const base::Vec3 k{1.0, 2.0, -3.0};
  const base::Vec3 omega{0.5, -1.0, 2.0};
  const auto [first, second] = across(k);
  const double frequency = 2.0 * (omega.x * k.x + omega.y * k.y + omega.z * k.z) / std::sqrt(14.0);
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      FlowParameters p = cube(16, scheme);
      p.form = form;
      p.viscosity = 0.01;
      p.physics.rotation = omega;
      RunningFlow run(p);
      run.flow.set([&](const base::Vec3& x) {
        const double phase = k.x * x.x + k.y * x.y + k.z * x.z;
        return base::Vec3{first.x * std::cos(phase) - second.x * std::sin(phase),
                          first.y * std::cos(phase) - second.y * std::sin(phase),
                          first.z * std::cos(phase) - second.z * std::sin(phase)};
      });
      const std::size_t at = place_of(run.flow, {1, 2, -3});
      const Complex before = run.flow.modes(1)[at];
      run.steps(2, 0.4);
      run.steps(1, 1.3);
      const Complex exact = before * std::polar(std::exp(-0.01 * 14 * 2.1), frequency * 2.1);
      // Angles of up to 4 are rounded, and products of order one that cancel, times dt k = 5.
      EXPECT_LT(std::abs(run.flow.modes(1)[at] - exact), 30 * rounding);
    }
  }
}

/// What is left of an inertia-gravity wave that begins as motion along the first vector across k alone, and its exact
/// values: that motion, motion across it, and b/N.
struct Wave {
  std::array<Complex, 3> found;
  std::array<double, 3> exact;
  [[nodiscard]] double error() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::norm(found[i] - exact[i]);
    return std::sqrt(sum);
  }
};

/// Plane waves are exact: u . grad of whatever depends on k . x alone is zero. The three amplitudes turn about an axis
/// with sigma^2 = (2 Omega kz / k)^2 + (N kh / k)^2.
Wave inertia_gravity_wave(const FlowParameters& p, int steps, double t) {
  const base::Vec3 k{2.0, 1.0, 2.0};
  const auto [first, second] = across(k);
  RunningFlow run(p);
  run.flow.set([&, up = first](const base::Vec3& x) {
    const double wave = 2.0 * std::cos(k.x * x.x + k.y * x.y + k.z * x.z);
    return base::Vec3{up.x * wave, up.y * wave, up.z * wave};
  });
  run.steps(steps, t / steps);
  const std::size_t at = place_of(run.flow, {2, 1, 2});
  const auto along = [&](const base::Vec3& e) {
    return e.x * run.flow.modes(0)[at] + e.y * run.flow.modes(1)[at] + e.z * run.flow.modes(2)[at];
  };
  const double rotation = 2.0 * p.physics.rotation.z * 2.0 / 3.0;
  const double buoyancy = p.physics.stratification * std::sqrt(5.0) / 3.0;
  const double sigma = std::hypot(rotation, buoyancy);
  return {{along(first), along(second), run.flow.scalar(0)[at]},
          {std::cos(sigma * t), -rotation / sigma * std::sin(sigma * t), -buoyancy / sigma * std::sin(sigma * t)}};
}

TEST(Physics, InternalAndInertiaGravityWavesHaveTheirFrequency) {
  for (const double rotation : {0.0, 0.8}) {
    for (const auto& [scheme, order] : {std::pair{Scheme::rk2, 2.0}, std::pair{Scheme::rk4, 4.0}}) {
      FlowParameters p = cube(16, scheme);
      p.physics.stratification = 1.5;
      p.physics.rotation = {0.0, 0.0, rotation};
      const double coarse = inertia_gravity_wave(p, 40, 4.0).error();
      const double fine = inertia_gravity_wave(p, 80, 4.0).error();
      // The next term of the error is smaller by sigma dt = 0.08 times a number of order one.
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.15) << coarse << " " << fine;
      EXPECT_LT(fine, scheme == Scheme::rk4 ? 1e-5 : 1e-2);  // (sigma dt)^order sigma t / 120 or / 6, sigma dt = 0.08
    }
  }
}

double energy(const Flow& flow) { return flow.energetics().energy + half_square(flow, flow.scalar(0)); }

TEST(Physics, KineticAndPotentialEnergyAreExchangedAndKept) {
  double change[2] = {};
  for (const int fine : {0, 1}) {
    FlowParameters p = cube(24, Scheme::rk4);
    p.physics.stratification = 2.0;
    p.physics.rotation = {0.0, 0.3, 1.0};
    RunningFlow run(p);
    run.flow.set(taylor_green);
    run.flow.set_scalar(0, [](const base::Vec3& x) { return 0.3 * std::cos(x.x + x.z); });
    const double before = energy(run.flow);
    const double potential = half_square(run.flow, run.flow.scalar(0));
    run.steps(fine == 0 ? 10 : 20, fine == 0 ? 0.1 : 0.05);
    EXPECT_GT(std::abs(half_square(run.flow, run.flow.scalar(0)) - potential), 0.1 * potential);
    change[fine] = std::abs(energy(run.flow) - before);
  }
  // Products have no aliases and the exchange is antisymmetric: only time steps, of order 4 and more, lose energy.
  EXPECT_LT(change[0], 1e-4 * 0.15);
  EXPECT_LT(change[1], change[0] / 14.0);
}

TEST(Physics, ScalarVarianceIsKeptWithoutDiffusion) {
  double change[2] = {};
  for (const int fine : {0, 1}) {
    FlowParameters p = cube(24, Scheme::rk4);
    p.physics.scalars = {{}};
    RunningFlow run(p);
    run.flow.set(taylor_green);
    run.flow.set_scalar(0, [](const base::Vec3& x) { return std::sin(x.x + x.z) + std::cos(x.y); });
    const double before = half_square(run.flow, run.flow.scalar(0));
    run.steps(fine == 0 ? 10 : 20, fine == 0 ? 0.1 : 0.05);
    change[fine] = std::abs(half_square(run.flow, run.flow.scalar(0)) - before);
  }
  EXPECT_LT(change[0], 1e-4);
  EXPECT_LT(change[1], change[0] / 14.0);  // order 4 and, for squares, one more
}

std::vector<Complex> modes_after(const FlowParameters& p, int steps, double t) {
  RunningFlow run(p);
  begin_with_everything(run.flow);
  run.steps(steps, t / steps);
  return all_modes(run.flow);
}

TEST(Physics, SchemesKeepTheirOrdersWithEverything) {
  for (const auto form : both_forms) {
    const auto exact = modes_after(with_everything(16, Scheme::rk4, form), 160, 1.6);
    for (const auto& [scheme, order] : {std::pair{Scheme::rk2, 2.0}, std::pair{Scheme::rk4, 4.0}}) {
      const double coarse = distance(modes_after(with_everything(16, scheme, form), 20, 1.6), exact);
      const double fine = distance(modes_after(with_everything(16, scheme, form), 40, 1.6), exact);
      // Terms of the next order shift the measured one by dt times the fastest rate, 0.04 * 6.
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << coarse << " " << fine;
    }
  }
}

// The loops of the plain flow and those with physics compute the same velocity where nothing acts on it.
TEST(Physics, APassiveScalarLeavesTheVelocityBitForBit) {
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      FlowParameters p = cube(20, scheme);
      p.form = form;
      p.viscosity = 0.01;
      RunningFlow plain(p);
      p.physics.scalars = {{.diffusivity = 0.1}, {.diffusivity = 0.2}};
      RunningFlow carrying(p);
      for (Flow* flow : {&plain.flow, &carrying.flow}) flow->set(taylor_green);
      plain.steps(3, 0.05);
      carrying.steps(3, 0.05);
      for (std::size_t c = 0; c < 3; ++c) {
        const auto a = std::as_const(plain.flow).modes(c);
        const auto b = std::as_const(carrying.flow).modes(c);
        EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size_bytes())) << c;
      }
    }
  }
}

TEST(Physics, ThreadsGiveIdenticalResults) {
  FlowParameters p = with_everything(18, Scheme::rk4, Form::divergence);
  p.truncation = fft::Truncation::spherical;
  p.physics.phase_shift = PhaseShift::random;
  p.physics.forcing = {.kind = ForcingKind::eswaran_pope, .radius = 2.0, .power = 0.1, .memory = 0.5};
  std::vector<Complex> first;
  for (const std::size_t workers : {1U, 2U, 4U}) {
    RunningFlow run(p, workers);
    begin_with_everything(run.flow);
    run.steps(3, 0.05);
    const auto modes = all_modes(run.flow);
    if (first.empty()) first = modes;
    EXPECT_EQ(0, std::memcmp(first.data(), modes.data(), first.size() * sizeof(Complex))) << workers;
  }
}

TEST(Physics, StaysWithoutDivergenceWithEverything) {
  RunningFlow run(with_everything(16, Scheme::rk4, Form::divergence));
  begin_with_everything(run.flow);
  run.steps(20, 0.05);
  EXPECT_LT(run.flow.energetics().divergence, 3e-15);  // some roundings of each component, and of each turn
}

}  // namespace tacit::dns::physics_test
