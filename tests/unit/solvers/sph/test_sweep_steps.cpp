// Steps in which each pair is visited once, beside steps in which particles gather.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "samples.hpp"

namespace tacit::sph::sweep_steps_test {
namespace {

SphParameters with_pairs(SphParameters parameters, Pairs pairs) {
  parameters.pairs = pairs;
  return parameters;
}

/// A jittered lattice in motion, with a hot half.
InitialConditions moving_gas(std::size_t n, int dimension) {
  InitialConditions gas = testing::uniform_gas(n, 0.6, dimension);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const auto random = [i](std::uint64_t draw) { return base::uniform(5, i, draw) - 0.5; };
    gas.vx[i] = random(0);
    if (dimension > 1) gas.vy[i] = random(1);
    if (dimension > 2) gas.vz[i] = random(2);
    gas.u[i] = gas.x[i] > 0.5 ? 2.0 : 1.0;
  }
  return gas;
}

std::size_t side_of(int dimension) {
  return std::array<std::size_t, 3>{150, 24, 11}[static_cast<std::size_t>(dimension - 1)];
}

/// The largest difference of a field between two gases, each particle with itself.
template <class T>
double difference(const Gas& a, const Gas& b, std::vector<T> Gas::*field) {
  const auto place_a = testing::places_by_id(a);
  const auto place_b = testing::places_by_id(b);
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto in_a = static_cast<double>((a.*field)[place_a[i]]);
    const auto in_b = static_cast<double>((b.*field)[place_b[i]]);
    most = std::max(most, std::abs(in_a - in_b));
  }
  return most;
}

/// What sums of terms for each pair may come to, all taken as positive.
struct Scales {
  double rho = 0.0, divergence = 0.0, acceleration = 0.0, heating = 0.0, speed = 0.0;

  /// The integral of |grad W| over space is at most 6 / H for cubic splines (5.6, 4.3 and 2.7 in three, two and one
  /// dimensions), so sum m |grad W| <= 6 rho / H; particles in disorder get a factor of 1.5.
  Scales(const SphSolver& solver, double gamma) {
    const Gas& gas = solver.gas();
    constexpr double v = 2.0;  // no relative velocity is larger
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const double slope = 1.5 * 6.0 / (gamma * gas.h[i]);
      const double cs = gas.cs[i];
      const double signal = 2.0 * cs + 3.0 * v;
      // Both sides' P / rho^2, viscosity with alpha <= 2, and conduction of u ~ c^2 at that signal velocity.
      const double force = slope * (2.0 * cs * cs + signal * v);
      rho = std::max(rho, gas.rho[i]);
      divergence = std::max(divergence, slope * v);
      acceleration = std::max(acceleration, force);
      heating = std::max(heating, force * v + slope * 2.0 * cs * cs * signal);
      speed = std::max(speed, signal);
    }
  }
};

/// Relative to these scales: each of both runs rounds a term at most 80 times (vector_samples.hpp, sphenix_samples.hpp)
/// and adds up no more than 100 neighbours. (No conduction yet at the start: its coefficients are 0.)
constexpr double rounding = 2.0 * (80.0 + 100.0) * 0x1p-24;

void expect_same(const SphSolver& one, const SphSolver& other, double gamma) {
  const Gas& a = one.gas();
  const Gas& b = other.gas();
  const Scales scale(other, gamma);
  // The same where the first guess will do; else one step of Newton's, from sums that are rounded in other ways.
  EXPECT_LE(difference(a, b, &Gas::h), rounding * *std::ranges::max_element(b.h));
  EXPECT_LE(difference(a, b, &Gas::rho), rounding * scale.rho);
  EXPECT_LE(difference(a, b, &Gas::div_v), rounding * scale.divergence);
  for (auto a_k : {&Gas::ax, &Gas::ay, &Gas::az}) {
    EXPECT_LE(difference(a, b, a_k), rounding * scale.acceleration);
  }
  EXPECT_LE(difference(a, b, &Gas::dthermal_dt), rounding * scale.heating);
  EXPECT_LE(difference(a, b, &Gas::v_sig), rounding * scale.speed);
}

/// Calls check(parameters, gas) for both schemes, all dimensions and boundaries.
template <class Check>
void for_each_gas(const Check& check) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    for (int dimension = 1; dimension <= 3; ++dimension) {
      for (const Boundary boundary : {Boundary::periodic, Boundary::open, Boundary::reflecting}) {
        SCOPED_TRACE(std::to_string(dimension) + "-D, scheme " + std::to_string(static_cast<int>(scheme)) +
                     ", boundary " + std::to_string(static_cast<int>(boundary)));
        SphParameters parameters = testing::parameters_with(Kernel::cubic_spline, dimension);
        parameters.scheme = scheme;
        parameters.boundary = boundary;
        check(parameters, moving_gas(side_of(dimension), dimension));
      }
    }
  }
}

SphParameters periodic_3d(Scheme scheme) {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = scheme;
  return parameters;
}

double energy_of(const SphSolver& solver) { return solver.sums().energy(); }

}  // namespace

TEST(SphSweepSteps, AStepIsThatOfTheGatherToRounding) {
  for_each_gas([](SphParameters parameters, const InitialConditions& gas) {
    // Any h within this is as good as another, so that both take the same: that of the start.
    parameters.smoothing.tolerance = 0.1;
    testing::SmallRun gather(with_pairs(parameters, Pairs::gather), gas);
    testing::SmallRun symmetric(with_pairs(parameters, Pairs::symmetric), gas);
    expect_same(symmetric.solver, gather.solver, parameters.kernel_gamma);
    EXPECT_GT(symmetric.solver.axis_sorts().made, 0U);
    EXPECT_EQ(gather.solver.axis_sorts().made, 0U);
  });
}

TEST(SphSweepSteps, SmoothingLengthsThatMustChangeAreFoundToTheirTolerance) {
  for_each_gas([](const SphParameters& parameters, const InitialConditions& gas) {
    testing::SmallRun gather(with_pairs(parameters, Pairs::gather), gas);
    testing::SmallRun symmetric(with_pairs(parameters, Pairs::symmetric), gas);
    const double dt = gather.solver.time_step();
    for (int k = 0; k < 3; ++k) {
      gather.step(dt);
      symmetric.step(dt);
    }
    // Each h may be off by the tolerance, in both runs; differences of rounding grow little in three short steps.
    const double off = 4.0 * parameters.smoothing.tolerance;
    const double h_max = *std::ranges::max_element(gather.solver.gas().h);
    EXPECT_LE(difference(symmetric.solver.gas(), gather.solver.gas(), &Gas::h), off * h_max);
    // Forces depend on h by a power below 2 d + 4 <= 10.
    const Scales scale(gather.solver, parameters.kernel_gamma);
    EXPECT_LE(difference(symmetric.solver.gas(), gather.solver.gas(), &Gas::ax), 10.0 * off * scale.acceleration);
  });
}

TEST(SphSweepSteps, OrdersLastWhileParticlesDriftAndAreMendedThen) {
  testing::SmallRun run(with_pairs(periodic_3d(Scheme::gadget2), Pairs::symmetric), moving_gas(14, 3), 2);
  testing::SmallRun gather(periodic_3d(Scheme::gadget2), moving_gas(14, 3));
  const auto before = run.solver.axis_sorts();
  constexpr std::uint64_t steps = 40;
  for (std::uint64_t k = 0; k < steps; ++k) {
    const double dt = gather.solver.time_step();
    run.step(dt);
    gather.step(dt);
  }
  const auto after = run.solver.axis_sorts();
  const std::uint64_t cells = run.solver.cells();
  EXPECT_GT(after.mended, before.mended);
  EXPECT_GT(after.made, before.made) << "the particles must have been sorted into cells again";
  EXPECT_LT(after.made - before.made + after.mended - before.mended, steps * cells) << "orders must outlast steps";
  // A pair that was overlooked would show in the energy; the runs differ by the tolerance of h alone.
  const double energy = energy_of(gather.solver);
  EXPECT_NEAR(energy_of(run.solver), energy, 1e-5 * energy);
}

TEST(SphSweepSteps, MomentumIsKeptToRounding) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    testing::SmallRun run(with_pairs(periodic_3d(scheme), Pairs::symmetric), moving_gas(12, 3));
    const Gas& gas = run.solver.gas();
    base::Vec3 force;
    for (std::size_t i = 0; i < gas.size(); ++i) {
      force = force + gas.m[i] * base::Vec3{gas.ax[i], gas.ay[i], gas.az[i]};
    }
    // The sums of each particle, of up to 100 terms a few times as large as their sum, are rounded one by one, at
    // random; so are the sums of N particles.
    const double error = 100.0 * 0x1p-24 * testing::force_scale(gas) / std::sqrt(static_cast<double>(gas.size()));
    EXPECT_LE(norm(force), 10.0 * error);
  }
}

TEST(SphSweepSteps, InOrderTheBitsDoNotDependOnThreads) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    const SphParameters parameters = with_pairs(periodic_3d(scheme), Pairs::symmetric);
    testing::SmallRun one(parameters, moving_gas(11, 3), 1, true);
    testing::SmallRun two(parameters, moving_gas(11, 3), 2, true);
    for (int k = 0; k < 5; ++k) {
      const double dt = one.solver.time_step();
      ASSERT_EQ(dt, two.solver.time_step());
      one.step(dt);
      two.step(dt);
    }
    EXPECT_TRUE(testing::differing_fields(one.solver.gas(), two.solver.gas()).empty());
  }
}

TEST(SphSweepSteps, OfIndividualStepsThoseThatAllEndVisitPairsOnce) {
  InitialConditions gas = moving_gas(10, 3);
  for (std::size_t i = 0; i < gas.size(); ++i) gas.u[i] = gas.x[i] > 0.5 ? 100.0 : 1.0;  // bins of their own
  const SphParameters parameters = testing::with_own_steps(periodic_3d(Scheme::sphenix));
  testing::SmallRun gather(parameters, gas);
  testing::SmallRun symmetric(with_pairs(parameters, Pairs::symmetric), gas);
  gather.advance(32);
  symmetric.advance(32);
  EXPECT_GT(std::ranges::count_if(gather.solver.bins(), [](std::uint64_t n) { return n > 0; }), 1);
  const double energy = energy_of(gather.solver);
  // Individual steps keep the energy to some 1e-3; the two ways agree much better, though bins may differ.
  EXPECT_NEAR(energy_of(symmetric.solver), energy, 1e-4 * energy);
}

TEST(SphSweepSteps, NumbersOutOfHandEndInAnError) {
  InitialConditions gas = moving_gas(8, 3);
  gas.vx[7] = 1e200;  // its square is infinite
  EXPECT_THROW(
      {
        testing::SmallRun run(with_pairs(periodic_3d(Scheme::gadget2), Pairs::symmetric), gas);
        run.advance(2);
      },
      engine::NumericsError);
}

TEST(SphSweepSteps, FewParticlesAndLongKernelsWork) {
  for (const std::size_t n : std::array<std::size_t, 3>{1, 2, 3}) {
    for (const Boundary boundary : {Boundary::periodic, Boundary::open, Boundary::reflecting}) {
      SphParameters parameters = periodic_3d(Scheme::gadget2);
      parameters.boundary = boundary;
      testing::SmallRun gather(parameters, moving_gas(n, 3));
      testing::SmallRun symmetric(with_pairs(parameters, Pairs::symmetric), moving_gas(n, 3));
      const Gas& a = symmetric.solver.gas();
      const Gas& b = gather.solver.gas();
      // To the tolerance of h, 1e-6: densities depend on it by the power of 3.
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.rho[i], b.rho[i], 1e-5 * b.rho[i]);
    }
  }
}

TEST(SweepSteps, ACheckpointContinuesWithTheSameBitsInOrder) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    const test::Scratch scratch;
    SphParameters parameters = with_pairs(testing::parameters_with(Kernel::cubic_spline, 3), Pairs::symmetric);
    parameters.scheme = scheme;
    testing::SmallRun whole(parameters, moving_gas(side_of(3), 3), 1, true);
    whole.advance(7);
    io::FileWriter file(scratch / "restart.hdf5");
    whole.solver.save(file);
    file.commit();
    testing::SmallRun resumed(parameters, io::FileReader(scratch / "restart.hdf5"), 2, true);
    whole.advance(12);
    resumed.advance(12);
    EXPECT_EQ(testing::differing_fields(resumed.solver.gas(), whole.solver.gas()), std::vector<std::string_view>{});
  }
}

}  // namespace tacit::sph::sweep_steps_test
