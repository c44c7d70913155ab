// Advection by the mean flow is exact: no result depends on how fast the observer moves. That results do not depend on
// ranks, threads and restarts is tested elsewhere, with flows that have a mean.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "running_flow.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/dns/kernels/physics_loops.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns::mean_flow_test {

using testing::all_modes;
using testing::begin_with_everything;
using testing::cube;
using testing::distance;
using testing::RunningFlow;
using testing::with_everything;

constexpr double rounding = 2.3e-16;
constexpr std::array both_forms{Form::divergence, Form::rotational};
constexpr std::array both_schemes{Scheme::rk2, Scheme::rk4};
constexpr base::Vec3 wind{3.0, -1.7, 0.9};

/// What modes are for an observer whom a field passes by with the wind: u(x - wind t).
void blow(Flow& flow, double t) {
  for_each_mode(flow.pencils(), [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    const WaveVector k = flow.wave_vector(x, y, z);
    const Complex phase = std::polar(1.0, -t * (k[0] * wind.x + k[1] * wind.y + k[2] * wind.z));
    for (std::size_t i = 0; i < flow.fields(); ++i) flow.field(i)[at] *= phase;
  });
}

void add_wind(Flow& flow) {
  for (std::size_t c = 0; c < 3; ++c) flow.modes(c)[flow.pencils().spectral_place(0, 0, 0)] += wind[c];
}

// Vortices of one wave length in a plane: u . grad u is a gradient, so that they only decay, and move with the wind.
TEST(MeanFlow, CarriesVorticesExactly) {
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      for (const auto shift : {PhaseShift::none, PhaseShift::random}) {
        FlowParameters p = cube(16, scheme, 0.05);
        p.form = form;
        if (shift != PhaseShift::none) p.truncation = fft::Truncation::spherical;
        p.physics.phase_shift = shift;
        RunningFlow run(p);
        RunningFlow exact(p);
        const double t = 50 * 0.02;
        const auto vortices = [](double size) {
          return [size](const base::Vec3& x) {
            return base::Vec3{size * std::sin(x.x) * std::cos(x.y), -size * std::cos(x.x) * std::sin(x.y), 0.0};
          };
        };
        run.flow.set(vortices(1.0));
        add_wind(run.flow);
        run.steps(50, 0.02);
        exact.flow.set(vortices(std::exp(-2 * 0.05 * t)));
        blow(exact.flow, t);
        add_wind(exact.flow);
        // Two roundings of each mode in each step, and of products of order one that cancel, times dt k.
        EXPECT_LT(distance(all_modes(run.flow), all_modes(exact.flow)), 50 * 2 * rounding);
      }
    }
  }
}

/// The step that a run would take must not know the wind either.
TEST(MeanFlow, IsTheMotionOfTheObserver) {
  for (const auto form : both_forms) {
    for (const auto scheme : both_schemes) {
      RunningFlow still(with_everything(16, scheme, form));
      RunningFlow windy(with_everything(16, scheme, form));
      begin_with_everything(still.flow, 0.2);
      begin_with_everything(windy.flow, 0.2);
      add_wind(windy.flow);
      EXPECT_NEAR(windy.flow.measure_rate(), still.flow.measure_rate(), 1e-14);
      still.steps(20, 0.05);
      windy.steps(20, 0.05);
      // The largest of other points of the same field; with the wind it would be four times as large.
      EXPECT_NEAR(windy.flow.rate() / still.flow.rate(), 1.0, 0.05);
      blow(still.flow, 1.0);
      add_wind(still.flow);
      // Means of scalars grow by -U . G t, as the wind carries them along their mean gradients.
      const std::size_t mean = still.flow.pencils().spectral_place(0, 0, 0);
      still.flow.scalar(0)[mean] -= 0.5 * wind.x + 1.0 * wind.z;
      still.flow.scalar(2)[mean] -= 1.2 * wind.z;
      // Twenty steps of four substages, with a few roundings each of numbers of order one to three.
      EXPECT_LT(distance(all_modes(windy.flow), all_modes(still.flow)), 80 * 5 * rounding);
      EXPECT_LT(norm(windy.flow.mean() - wind), 80 * rounding);
    }
  }
}

/// With accelerations at random that never forget: they stand still while the flow passes.
std::vector<Complex> modes_after(Scheme scheme, Form form, int steps) {
  FlowParameters p = with_everything(16, scheme, form);
  p.physics.forcing = {.kind = ForcingKind::eswaran_pope, .radius = 1.5, .power = 1e28, .memory = 1e30};
  RunningFlow run(p);
  begin_with_everything(run.flow, 0.2);
  add_wind(run.flow);
  run.steps(steps, 0.8 / steps);
  return all_modes(run.flow);
}

TEST(MeanFlow, KeepsTheOrdersWithForcesThatStandStill) {
  for (const auto form : both_forms) {
    const auto exact = modes_after(Scheme::rk4, form, 160);
    for (const auto& [scheme, order] : {std::pair{Scheme::rk2, 2.0}, std::pair{Scheme::rk4, 4.0}}) {
      const double coarse = distance(modes_after(scheme, form, 20), exact);
      const double fine = distance(modes_after(scheme, form, 40), exact);
      // Terms of the next order shift the measured one by dt times the fastest rate, 0.02 * 8.
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.2) << coarse << " " << fine;
    }
  }
}

TEST(MeanFlow, CarriesTracers) {
  for (const auto scheme : both_schemes) {
    RunningFlow still(cube(16, scheme));
    RunningFlow windy(cube(16, scheme));
    for (RunningFlow* run : {&still, &windy}) {
      run->flow.set([](const base::Vec3& x) { return base::Vec3{std::sin(x.z), 0.5 * std::cos(x.x), 0.0}; });
    }
    add_wind(windy.flow);
    Tracers at_rest(still.flow, {.count = 50}, still.scheduler);
    Tracers carried(windy.flow, {.count = 50}, windy.scheduler);
    const auto step = [](Flow& flow, Tracers& tracers) {
      flow.step(0.1, [&](kernels::Substage substage) { tracers.advance(substage, 0.1); });
    };
    for (int i = 0; i < 10; ++i) {
      step(still.flow, at_rest);
      step(windy.flow, carried);
    }
    at_rest.measure();
    carried.measure();
    for (std::size_t i = 0; i < 50; ++i) {
      const Tracer& a = at_rest.tracers()[i];
      const Tracer& b = carried.tracers()[i];
      // Splines between other points of the same field: 5/384 h^4 of their largest velocity, 1.5, over the time 1. What
      // a wind of 3.5 would add if it were integrated by steps of 0.1 is 0.1 and more with rk2.
      EXPECT_LT(norm(b.position - (a.position + 1.0 * wind)), 5.0 / 384.0 * std::pow(2 * 3.14159265 / 16, 4) * 1.5);
    }
  }
}

// A mean that is rounding moves no frame, so that results are bitwise those of a flow without any.
TEST(MeanFlow, IsNoneWhereItIsRounding) {
  RunningFlow run(cube(16));
  run.flow.set([](const base::Vec3& x) { return base::Vec3{std::sin(x.y), std::sin(x.z), std::sin(x.x)}; });
  for (std::size_t c = 0; c < 3; ++c) run.flow.modes(c)[run.flow.pencils().spectral_place(0, 0, 0)] = 1e-17;
  run.flow.step(0.05);
  EXPECT_EQ(norm(run.flow.frame()), 0.0);
  add_wind(run.flow);
  run.flow.step(0.05);
  EXPECT_EQ(run.flow.frame().x, run.flow.mean().x);
}

// How columns are divided among blocks depends on ranks: each number is what one product after the other gives.
TEST(MeanFlow, PhasesGiveIdenticalResultsWithAnyInstructionsAndColumns) {
  constexpr std::size_t rows = 5;
  constexpr std::size_t width = kernels::width;
  const auto numbers = [](std::uint64_t key, std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(2.0 * base::uniform(3, key, i) - 1.0);
    return all;
  };
  const std::vector<double> row = numbers(1, 2 * rows);
  const std::vector<double> column = numbers(2, 2 * width);
  const std::vector<double> before = numbers(3, 2 * rows * width);
  const auto product = [](const double* a, const double* b) -> std::array<double, 2> {
    // Stored before they are added, so that no compiler fuses them.
    const volatile double re_re = a[0] * b[0];
    const volatile double im_im = a[1] * b[1];
    const volatile double re_im = a[0] * b[1];
    const volatile double im_re = a[1] * b[0];
    return {re_re - im_im, re_im + im_re};
  };
  std::vector<double> expected;
  for (std::size_t i = 0; i < rows * width; ++i) {
    const auto factor = product(&column[2 * (i % width)], &row[2 * (i / width)]);
    const auto shifted = product(&before[2 * i], factor.data());
    expected.insert(expected.end(), shifted.begin(), shifted.end());
  }
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const kernels::PhysicsLoops loops =
        base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return kernels::physics_loops_of<Isa>(); });
    for (std::size_t first = 1; first <= width; ++first) {
      std::vector<double> found = before;
      loops.shift(rows, first, 2 * width, row.data(), column.data(), found.data());
      if (first < width) {
        loops.shift(rows, width - first, 2 * width, row.data(), column.data() + 2 * first, found.data() + 2 * first);
      }
      EXPECT_EQ(found, expected) << base::name_of(set) << " " << first;
    }
  }
}

}  // namespace tacit::dns::mean_flow_test
