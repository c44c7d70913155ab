// Forces: their statistics, what they bring, and that neither ranks nor restarts change them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "running_flow.hpp"
#include "tacit/base/error.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns::forcing_test {

using testing::all_modes;
using testing::cube;
using testing::RunningFlow;

base::Vec3 taylor_green(const base::Vec3& x) {
  return {std::sin(x.x) * std::cos(x.y) * std::cos(x.z), -std::cos(x.x) * std::sin(x.y) * std::cos(x.z), 0.0};
}

/// What a forcing needs, for some rank of a grid of ranks.
struct Alone {
  explicit Alone(const ForcingParameters& parameters, const fft::ProcessGrid& grid = {}, std::size_t rank = 0)
      : pencils(fft::Modes({16, 16, 16}, fft::Truncation::two_thirds), grid, rank), physics{.forcing = parameters} {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < pencils.modes().count(axis); ++i) {
        k[axis].push_back(static_cast<double>(pencils.modes().wave_number(axis, i)));
      }
    }
  }
  [[nodiscard]] Forcing forcing() const {
    const double side = 2.0 * std::numbers::pi;
    return {physics, pencils, k, {side, side, side}, {}};
  }
  /// The accelerations of all columns of this rank by component, ky fastest, then kz, then kx.
  [[nodiscard]] std::array<std::vector<Complex>, 3> fields(const Forcing& forcing) const {
    std::array<std::vector<Complex>, 3> result;
    std::array<std::vector<Complex>, 3> lines;
    const std::size_t kz_count = pencils.modes().count(2);
    for (std::size_t c = 0; c < 3; ++c) {
      result[c].resize(pencils.spectral_size());
      lines[c].resize(kz_count * fft::lanes);
    }
    for (std::size_t x = pencils.kx().begin; x < pencils.kx().end; ++x) {
      for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; y += fft::lanes) {
        const fft::ColumnBlock block{.kx = x, .ky = y, .count = std::min(fft::lanes, pencils.ky().end - y)};
        if (!forcing.acts_on(block)) continue;
        forcing.accelerations(block, {lines[0], lines[1], lines[2]});
        for (std::size_t c = 0; c < 3; ++c) {
          for (std::size_t z = 0; z < kz_count; ++z) {
            for (std::size_t lane = 0; lane < block.count; ++lane) {
              result[c][pencils.spectral_place(x, y + lane, z)] = lines[c][z * fft::lanes + lane];
            }
          }
        }
      }
    }
    return result;
  }
  fft::Pencils pencils;
  std::array<std::vector<double>, 3> k;
  PhysicsParameters physics;
};

constexpr ForcingParameters random_force{.kind = ForcingKind::eswaran_pope, .radius = 3.0, .power = 0.2, .memory = 0.5};

TEST(Forcing, CountsTheModesOfTheSphere) {
  EXPECT_EQ(Alone({.kind = ForcingKind::frozen, .radius = 1.0}).forcing().modes(), 6);
  EXPECT_EQ(Alone({.kind = ForcingKind::frozen, .radius = 2.0}).forcing().modes(), 32);  // whole points of a ball,
  EXPECT_EQ(Alone({.kind = ForcingKind::frozen, .radius = 2.0 * std::sqrt(2.0)}).forcing().modes(), 92);  // less one
}

// The process has the variance and the memory that were asked for.
TEST(Forcing, AccelerationsHaveTheirVarianceAndMemory) {
  const Alone alone(random_force);
  Forcing forcing = alone.forcing();
  const Velocity none{};
  double variance = 0.0;
  double correlation = 0.0;
  auto before = alone.fields(forcing);
  const int steps = 400;
  const double dt = 0.25;
  std::size_t samples = 0;
  for (int step = 0; step < steps; ++step) {
    forcing.end_step(none, dt, static_cast<std::uint64_t>(step));
    const auto now = alone.fields(forcing);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < now[c].size(); ++i) {
        variance += std::norm(now[c][i]);
        correlation += (std::conj(before[c][i]) * now[c][i]).real();
      }
    }
    before = now;
    ++samples;
  }
  // Two of three components are left across k, each with 2 sigma^2; of the 122 modes those with kx >= 0 are stored.
  std::size_t stored = 0;
  for (std::size_t i = 0; i < before[0].size(); ++i) {
    stored += before[0][i] != Complex{} || before[1][i] != Complex{} ? 1 : 0;
  }
  const double expected = 2.0 * 2.0 * 0.2 / 0.5 * static_cast<double>(stored * samples);
  // About 61 independent modes with four numbers each, and 400 steps of half a memory time count as 400 tanh(1/2) = 185
  // independent ones for a square: 45000 squares, whose mean is off by sqrt(2/45000) = 0.7 %; five times that.
  EXPECT_NEAR(variance / expected, 1.0, 0.035);
  EXPECT_NEAR(correlation / expected, std::exp(-0.5), 0.035);
}

TEST(Forcing, AccelerationsAreRealAndWithoutDivergence) {
  const Alone alone(random_force);
  Forcing forcing = alone.forcing();
  forcing.end_step({}, 0.1, 0);
  const auto f = alone.fields(forcing);
  const fft::Modes& modes = alone.pencils.modes();
  for (std::size_t x = 0; x < modes.count(0); ++x) {
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      for (std::size_t y = 0; y < modes.count(1); ++y) {
        const std::size_t at = alone.pencils.spectral_place(x, y, z);
        const Complex along = alone.k[0][x] * f[0][at] + alone.k[1][y] * f[1][at] + alone.k[2][z] * f[2][at];
        EXPECT_LT(std::abs(along), 1e-14);  // some roundings of numbers of order 3
        if (x > 0) continue;
        const std::size_t partner = alone.pencils.spectral_place(0, (modes.count(1) - y) % modes.count(1),
                                                                 (modes.count(2) - z) % modes.count(2));
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(f[c][partner], std::conj(f[c][at]));
      }
    }
  }
}

TEST(Forcing, RanksHaveThePiecesOfOne) {
  const Alone one(random_force);
  Forcing whole = one.forcing();
  for (std::uint64_t step = 0; step < 3; ++step) whole.end_step({}, 0.1, step);
  const auto expected = one.fields(whole);
  const fft::ProcessGrid grid{.row_size = 2, .column_size = 2};
  for (std::size_t rank = 0; rank < grid.ranks(); ++rank) {
    const Alone part(random_force, grid, rank);
    Forcing forcing = part.forcing();
    for (std::uint64_t step = 0; step < 3; ++step) forcing.end_step({}, 0.1, step);
    const auto found = part.fields(forcing);
    for (std::size_t x = part.pencils.kx().begin; x < part.pencils.kx().end; ++x) {
      for (std::size_t z = 0; z < part.pencils.modes().count(2); ++z) {
        for (std::size_t y = part.pencils.ky().begin; y < part.pencils.ky().end; ++y) {
          for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(found[c][part.pencils.spectral_place(x, y, z)], expected[c][one.pencils.spectral_place(x, y, z)]);
          }
        }
      }
    }
  }
}

FlowParameters forced(const ForcingParameters& forcing, double viscosity) {
  FlowParameters p = cube(16, Scheme::rk4);
  p.viscosity = viscosity;
  p.physics.forcing = forcing;
  return p;
}

// From rest, before anything else happens: each mode has the energy of a velocity with random accelerations,
// 4 sigma^2 T^2 (t/T - 1 + exp(-t/T)) with sigma^2 = power / T.
TEST(Forcing, RandomAccelerationsBringTheirPower) {
  const double t = 2.0;
  double energy = 0.0;
  double modes = 0.0;
  double work = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // So weak that products do not matter.
    FlowParameters p = forced({.kind = ForcingKind::eswaran_pope, .radius = 3.0, .power = 1e-12, .memory = 0.5}, 0.0);
    p.physics.seed = seed;
    RunningFlow run(p);
    double before = 0.0;
    for (int step = 0; step < 40; ++step) {
      before = run.flow.power();
      run.steps(1, t / 40);
      work += 0.5 * (before + run.flow.power()) * t / 40;
    }
    energy += run.flow.energetics().energy;
    modes += static_cast<double>(run.flow.forcing().modes());
  }
  const double expected = modes * 4.0 * 1e-12 * 0.5 * (t / 0.5 - 1.0 + std::exp(-t / 0.5));
  // 20 runs of 61 independent modes with four squares each, off by sqrt(2/4880) = 2 %; five times that. Accelerations
  // stand still for a step of a tenth of their memory: 0.1^2 / 12 less of it.
  EXPECT_NEAR(energy / expected, 1.0, 0.1);
  // What power() says, by the trapezoidal rule: of a step it takes half with the accelerations of the next, which have
  // forgotten a tenth.
  EXPECT_NEAR(work / energy, 1.0, 0.1);
}

TEST(Forcing, ConstantPowerIsWhatTheEnergyGains) {
  double error[2] = {};
  for (const int fine : {0, 1}) {
    RunningFlow run(forced({.kind = ForcingKind::constant, .radius = 2.0, .power = 0.3}, 0.0));
    run.flow.set(taylor_green);
    run.steps(fine == 0 ? 10 : 20, fine == 0 ? 0.1 : 0.05);
    EXPECT_EQ(run.flow.power(), 0.3);
    error[fine] = std::abs(run.flow.energetics().energy - 0.125 - 0.3);
  }
  EXPECT_LT(error[0], 1e-5);
  EXPECT_LT(error[1], error[0] / 14.0);  // only time steps, of order 4, are in the way
}

TEST(Forcing, EnergyGrowsByPowerLessDissipation) {
  RunningFlow run(forced({.kind = ForcingKind::constant, .radius = 2.0, .power = 0.1}, 0.05));
  run.flow.set(taylor_green);
  const double before = run.flow.energetics().energy;
  // Simpson's rule over 20 steps.
  const int steps = 20;
  const double dt = 0.02;
  double dissipated = 0.0;
  for (int i = 0; i <= steps; ++i) {
    const double weight = i == 0 || i == steps ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    dissipated += weight * dt / 3.0 * run.flow.energetics().dissipation;
    if (i < steps) run.steps(1, dt);
  }
  EXPECT_GT(dissipated, 0.01);
  // Both rules are of order 4 for rates of order one: 0.02^4 times the time.
  EXPECT_NEAR(run.flow.energetics().energy - before, 0.1 * 0.4 - dissipated, 1e-7);
}

TEST(Forcing, ConstantPowerNeedsAFlow) {
  RunningFlow run(forced({.kind = ForcingKind::constant, .radius = 2.0, .power = 0.1}, 0.05));
  EXPECT_THROW(run.flow.step(0.1), base::Error);
}

TEST(Forcing, FrozenShellsKeepTheirEnergies) {
  RunningFlow run(forced({.kind = ForcingKind::frozen, .radius = 2.5}, 0.05));
  run.flow.set([](const base::Vec3& x) {
    const base::Vec3 u = taylor_green(x);
    return base::Vec3{u.x + 0.5 * std::sin(x.z), u.y + 0.2 * std::cos(x.x), 0.3 * std::sin(2 * x.y + x.x)};
  });
  const std::vector<double> before = spectrum(run.flow);
  run.steps(20, 0.05);
  const std::vector<double> after = spectrum(run.flow);
  for (const std::size_t shell : {1U, 2U}) {
    EXPECT_GT(before[shell], 0.01);
    // Shell 2 of the spectrum is |k| < 2.5, all of it forced. A factor is a rounding or two, and sums have a few.
    EXPECT_NEAR(after[shell] / before[shell], 1.0, 1e-14);
  }
  EXPECT_GT(after[3], 1e-5);  // the others are fed by them
  EXPECT_GT(run.flow.power(), 0.0);
}

TEST(Forcing, ARestartContinuesBitwiseIdentically) {
  for (const auto kind : {ForcingKind::eswaran_pope, ForcingKind::frozen, ForcingKind::constant}) {
    FlowParameters p = forced({.kind = kind, .radius = 2.5, .power = 0.1, .memory = 0.3}, 0.05);
    p.truncation = fft::Truncation::spherical;
    p.physics.phase_shift = PhaseShift::random;
    RunningFlow first(p);
    first.flow.set([](const base::Vec3& x) { return taylor_green(x) + base::Vec3{0.7, -0.4, 0.2}; });
    first.steps(3, 0.05);
    RunningFlow second(p);
    for (std::size_t c = 0; c < 3; ++c) std::ranges::copy(first.flow.modes(c), second.flow.modes(c).begin());
    second.flow.forcing().restore(first.flow.forcing().state());
    second.flow.set_steps(first.flow.steps());
    EXPECT_EQ(first.flow.power(), second.flow.power());
    for (Flow* flow : {&first.flow, &second.flow}) {
      for (int i = 0; i < 3; ++i) flow->step(0.04);
    }
    const auto a = all_modes(first.flow);
    const auto b = all_modes(second.flow);
    EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(Complex)));
  }
}

}  // namespace tacit::dns::forcing_test
