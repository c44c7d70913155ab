// Spectra against sums, rates of change, and structure functions counted from point to point.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "running_flow.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics/means.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns::spectra_test {

using testing::RunningFlow;

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// A box that is no cube, so that no axis passes for another.
FlowParameters slab() {
  return {.points = {20, 16, 12}, .box = {6.0, 4.0, 7.0}, .viscosity = 0.02, .scheme = Scheme::rk4};
}

/// Random phases, and some steps, so that there is a transfer.
void make_turbulent(Flow& flow) {
  make(Isotropic{.energy = 0.5, .peak = 2.0, .seed = 7}, flow);
  for (int i = 0; i < 5; ++i) flow.step(0.05);
}

TEST(DnsSpectra, ShellsAddUpToTheMeans) {
  RunningFlow run(slab());
  make_turbulent(run.flow);
  const Shells shells = spectra_of(run.flow).shells;
  const Flow::Energetics means = run.flow.energetics();
  // Two sums of a thousand terms of one sign, of which one is exact: some roundings of the other.
  EXPECT_NEAR(total(shells.energy), means.energy, 1e-14 * means.energy);
  EXPECT_NEAR(total(shells.dissipation), means.dissipation, 1e-14 * means.dissipation);
  // Helicity has both signs; it is at most the product of root mean squares of u and omega.
  const double largest = std::sqrt(4.0 * means.energy * means.enstrophy);
  EXPECT_NEAR(total(shells.helicity), means.helicity, 1e-14 * largest);
}

TEST(DnsSpectra, TheTransferOnlyMovesEnergy) {
  RunningFlow run(slab());
  make_turbulent(run.flow);
  const Shells shells = spectra_of(run.flow).shells;
  double size = 0.0;
  for (const double t : shells.transfer) size += std::abs(t);
  EXPECT_GT(size, 0.01);  // else there would be nothing to test
  // Products of rounding 1e-16 that cancel: a few of them per shell.
  EXPECT_NEAR(shells.flux.back(), 0.0, 1e-14 * size);
}

TEST(DnsSpectra, EnergyChangesByTransferAndDissipation) {
  RunningFlow run(slab());
  make_turbulent(run.flow);
  const Shells before = spectra_of(run.flow).shells;
  constexpr double dt = 1e-3;
  std::array<std::vector<double>, 2> after;
  for (auto& energy : after) {
    run.flow.step(dt);
    energy = spectra_of(run.flow).shells.energy;
  }
  double largest = 0.0;
  for (const double t : before.transfer) largest = std::max(largest, std::abs(t));
  for (std::size_t n = 0; n < before.energy.size(); ++n) {
    const double rate = (-3.0 * before.energy[n] + 4.0 * after[0][n] - after[1][n]) / (2.0 * dt);
    // The difference is off by dt^2 / 3 of the third derivative, and rates of change here are about 10 per time.
    EXPECT_NEAR(rate, before.transfer[n] - before.dissipation[n], dt * dt / 3.0 * 100.0 * largest) << n;
  }
}

/// Means of differences over all points, one by one.
struct Counted {
  double longitudinal2 = 0.0, transverse2 = 0.0, longitudinal3 = 0.0, mixed3 = 0.0;
};
Counted count(const std::array<std::vector<double>, 3>& u, const fft::Shape& n, std::size_t axis, std::size_t shift) {
  Counted sum;
  for (std::size_t z = 0; z < n[2]; ++z) {
    for (std::size_t y = 0; y < n[1]; ++y) {
      for (std::size_t x = 0; x < n[0]; ++x) {
        std::array<std::size_t, 3> other{x, y, z};
        other[axis] = (other[axis] + shift) % n[axis];
        const std::size_t from = (z * n[1] + y) * n[0] + x;
        const std::size_t to = (other[2] * n[1] + other[1]) * n[0] + other[0];
        const auto difference = [&](std::size_t c) { return u[c][to] - u[c][from]; };
        const double along = difference(axis);
        const double first = difference((axis + 1) % 3);
        const double second = difference((axis + 2) % 3);
        const double across = 0.5 * (first * first + second * second);
        sum.longitudinal2 += along * along;
        sum.transverse2 += across;
        sum.longitudinal3 += along * along * along;
        sum.mixed3 += along * across;
      }
    }
  }
  const auto points = static_cast<double>(n[0] * n[1] * n[2]);
  return {sum.longitudinal2 / points, sum.transverse2 / points, sum.longitudinal3 / points, sum.mixed3 / points};
}

TEST(DnsSpectra, StructureFunctionsAreThoseOfThePoints) {
  RunningFlow run(slab());
  make_turbulent(run.flow);
  const Spectra spectra = spectra_of(run.flow);
  const auto u = testing::at_points(run.flow);
  const fft::Shape n = run.flow.parameters().points;
  // Velocities are of order 1; roundings of a thousand modes add up like a random walk, times a factor 6 at most.
  constexpr double rounding = 2e-14;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const StructureFunctions& found = spectra.structures[axis];
    ASSERT_EQ(found.separation.size(), n[axis] / 2 + 1);
    double third = 0.0;
    for (std::size_t i = 0; i < found.separation.size(); ++i) {
      const Counted expected = count(u, n, axis, i);
      EXPECT_NEAR(found.longitudinal2[i], expected.longitudinal2, rounding) << axis << " " << i;
      EXPECT_NEAR(found.transverse2[i], expected.transverse2, rounding) << axis << " " << i;
      EXPECT_NEAR(found.longitudinal3[i], expected.longitudinal3, rounding) << axis << " " << i;
      EXPECT_NEAR(found.mixed3[i], expected.mixed3, rounding) << axis << " " << i;
      third = std::max(third, std::abs(expected.longitudinal3));
    }
    EXPECT_GT(third, 1e-3);  // order 3 is there to be compared
  }
}

TEST(DnsSpectra, LineSpectraAddUpToMeanSquares) {
  RunningFlow run(slab());
  make_turbulent(run.flow);
  const Spectra spectra = spectra_of(run.flow);
  const auto u = testing::at_points(run.flow);
  for (std::size_t c = 0; c < 3; ++c) {
    const double mean =
        std::inner_product(u[c].begin(), u[c].end(), u[c].begin(), 0.0) / static_cast<double>(u[c].size());
    // Rounding of the transform and of a sum of some thousand squares.
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(total(spectra.lines[axis][c]), mean, 1e-13 * mean);
  }
}

TEST(DnsSpectra, AWaveAlongEachAxisStandsInItsPlace) {
  RunningFlow run(testing::cube(16, Scheme::rk4, 0.01));
  run.flow.set([](const base::Vec3& x) -> base::Vec3 { return {std::cos(3 * x.y), 0.0, std::sin(2 * x.x)}; });
  const Spectra spectra = spectra_of(run.flow);
  // Mean squares of 1/2, a rounding or two of the transform.
  EXPECT_NEAR(spectra.lines[1][0][3], 0.5, 1e-15);
  EXPECT_NEAR(spectra.lines[0][2][2], 0.5, 1e-15);
  EXPECT_NEAR(spectra.lines[0][0][0], 0.5, 1e-15);
  EXPECT_NEAR(spectra.shells.energy[3], 0.25, 1e-15);
  EXPECT_NEAR(spectra.shells.energy[2], 0.25, 1e-15);
  EXPECT_DOUBLE_EQ(spectra.shells.shell_width, 1.0);
}

TEST(DnsSpectra, ThreadsGiveIdenticalResults) {
  const auto found = [](std::size_t workers) {
    RunningFlow run(slab(), workers);
    make_turbulent(run.flow);
    return spectra_of(run.flow);
  };
  const Spectra one = found(1);
  for (const std::size_t workers : {2U, 3U}) {
    const Spectra more = found(workers);
    EXPECT_EQ(one.shells.energy, more.shells.energy);
    EXPECT_EQ(one.shells.flux, more.shells.flux);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(one.lines[axis], more.lines[axis]);
      EXPECT_EQ(one.structures[axis].longitudinal3, more.structures[axis].longitudinal3);
    }
  }
}

TEST(DnsScales, OfOneShell) {
  RunningFlow run(testing::cube(16, Scheme::rk4, 0.25));
  make(TaylorGreen{}, run.flow);
  const Scales scales = scales_of(run.flow.energetics(), run.flow);
  // All energy, 1/8, at |k| = sqrt(3): L = 3 pi / (4 k), and dissipation 2 nu k^2 / 8 = 3/16. A few roundings each.
  EXPECT_NEAR(scales.integral, 0.75 * std::numbers::pi / std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(scales.turnover_time, scales.integral / std::sqrt(1.0 / 12.0), 1e-13);
  EXPECT_NEAR(scales.kolmogorov_time, std::sqrt(4.0 / 3.0), 1e-14);
  EXPECT_NEAR(scales.kolmogorov, std::pow(0.25 * 0.25 * 0.25 * 16.0 / 3.0, 0.25), 1e-14);
  EXPECT_NEAR(scales.taylor, std::sqrt(10.0 * 0.25 * 0.125 * 16.0 / 3.0), 1e-14);
}

}  // namespace tacit::dns::spectra_test
