// Spectra, structure functions, densities and slices are bitwise identical on any ranks, grids of them, and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "flows_on_ranks.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics/distributions.hpp"
#include "tacit/solvers/dns/statistics/means.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns::statistics_ranks_test {

/// Sizes that no number of ranks divides, in a box that is no cube.
FlowParameters uneven() {
  return {.points = {18, 15, 14}, .box = {6.0, 3.0, 5.0}, .viscosity = 0.01, .scheme = Scheme::rk2};
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// All numbers that statistics have of a flow after a step.
std::vector<double> numbers_of(Flow& flow) {
  make(Isotropic{.energy = 0.7, .peak = 2.0, .seed = 5}, flow);
  flow.step(0.02);
  std::vector<double> all{derivative_skewness(flow)};
  const Scales scales = scales_of(flow.energetics(), flow);
  append(all, {scales.integral, scales.taylor, scales.turnover_time});
  const Spectra spectra = spectra_of(flow);
  for (const auto* shells : {&spectra.shells.energy, &spectra.shells.dissipation, &spectra.shells.helicity,
                             &spectra.shells.transfer, &spectra.shells.flux}) {
    append(all, *shells);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const auto& line : spectra.lines[axis]) append(all, line);
    const StructureFunctions& along = spectra.structures[axis];
    for (const auto* values : {&along.longitudinal2, &along.transverse2, &along.longitudinal3, &along.mixed3}) {
      append(all, *values);
    }
  }
  for (const Quantity quantity : {Quantity::velocity, Quantity::vorticity}) {
    const Distribution found = distribution_of(flow, quantity, {.bins = 20, .range = 2.0}, 9);
    for (std::size_t c = 0; c < 3; ++c) {
      append(all, found.density[c]);
      append(all, found.slice[c]);
      append(all, {found.outside[c], found.moments[c].skewness, found.moments[c].flatness});
    }
  }
  return all;
}

/// Those that each rank has.
std::vector<std::vector<double>> on_ranks(const fft::ProcessGrid& grid, std::size_t workers) {
  FlowParameters parameters = uneven();
  parameters.algorithm.grid = grid;
  std::vector<std::vector<double>> all(grid.ranks());
  testing::on_ranks(parameters, grid.ranks(), workers, [&](testing::RunningFlow& run) {
    all[number(run.flow.ranks().world().rank())] = numbers_of(run.flow);
  });
  return all;
}

TEST(DnsStatisticsRanks, GridsAndThreadsGiveIdenticalResults) {
  testing::RunningFlow alone(uneven());
  const std::vector<double> expected = numbers_of(alone.flow);
  ASSERT_GT(expected.size(), 1000U);
  for (const double number : expected) ASSERT_TRUE(std::isfinite(number));
  for (const fft::ProcessGrid& grid : {fft::ProcessGrid{.row_size = 1, .column_size = 2}, {2, 1}, {2, 2}}) {
    for (const auto& found : on_ranks(grid, 1)) {
      EXPECT_TRUE(found == expected) << grid.column_size << " x " << grid.row_size;
    }
  }
  for (const auto& found : on_ranks({1, 2}, 2)) EXPECT_TRUE(found == expected) << "two threads";
}

}  // namespace tacit::dns::statistics_ranks_test
