// A flow on several ranks: modes, sums and rates are bitwise identical on any ranks, grids of them, and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "flows_on_ranks.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns::flow_ranks_test {

using testing::Outcome;
using testing::RunningFlow;

FlowParameters parameters_of(Form form, fft::Truncation truncation) {
  return {.points = {18, 15, 14},
          .box = {2 * std::numbers::pi, 3.0, 5.0},
          .viscosity = 0.01,
          .truncation = truncation,
          .form = form,
          .scheme = Scheme::rk2};
}

std::vector<double> advance(Flow& flow) {
  flow.set([](const base::Vec3& x) -> base::Vec3 {
    return {std::sin(x.x) + 0.1 * x.y * x.z + 0.3, std::cos(2 * x.x) * x.z, 0.2 * x.y * x.y - std::sin(x.x)};
  });
  const double rate = flow.measure_rate();
  for (int i = 0; i < 2; ++i) flow.step(0.01);
  const auto now = flow.energetics();
  std::vector<double> numbers{rate,         flow.rate(),   flow.mean().x, now.energy, now.dissipation,
                              now.helicity, now.divergence};
  const std::vector<double> shells = spectrum(flow);
  numbers.insert(numbers.end(), shells.begin(), shells.end());
  return numbers;
}

Outcome on_ranks(FlowParameters parameters, std::size_t ranks, const fft::ProcessGrid& grid, std::size_t workers) {
  parameters.algorithm.grid = grid;
  return testing::outcome_of(parameters, ranks, workers, &advance);
}

Outcome alone(const FlowParameters& parameters) { return on_ranks(parameters, 1, {}, 1); }

TEST(FlowRanks, GridsGiveIdenticalResults) {
  for (const auto& [form, truncation] : {std::pair{Form::divergence, fft::Truncation::two_thirds},
                                         std::pair{Form::rotational, fft::Truncation::spherical}}) {
    const FlowParameters parameters = parameters_of(form, truncation);
    const Outcome expected = alone(parameters);
    for (const fft::ProcessGrid& grid :
         {fft::ProcessGrid{1, 2}, fft::ProcessGrid{2, 1}, fft::ProcessGrid{2, 2}, fft::ProcessGrid{1, 3}}) {
      const Outcome found = on_ranks(parameters, grid.ranks(), grid, 1);
      EXPECT_TRUE(found == expected) << grid.column_size << " x " << grid.row_size;
    }
    EXPECT_TRUE(on_ranks(parameters, 2, {.row_size = 0, .column_size = 0}, 2) == expected) << "as chosen, two threads";
  }
}

TEST(FlowRanks, RandomFieldsDoNotDependOnRanks) {
  const FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  const auto field = [&](std::size_t ranks) {
    return testing::outcome_of(parameters, ranks, 1, [](Flow& flow) {
      make(Isotropic{.energy = 0.7, .peak = 2.0, .seed = 5}, flow);
      return std::vector<double>();
    });
  };
  const Outcome expected = field(1);
  EXPECT_TRUE(field(4) == expected);
}

TEST(FlowRanks, WhatIsMeasuredChangesNoBits) {
  FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  const Outcome expected = alone(parameters);
  parameters.tuning = fft::Tuning::measured;
  EXPECT_TRUE(on_ranks(parameters, 2, {.row_size = 0, .column_size = 0}, 1) == expected);
  // A row of ranks is named; the column follows.
  EXPECT_TRUE(on_ranks(parameters, 2, {.row_size = 2, .column_size = 0}, 1) == expected);
}

TEST(FlowRanks, AGridThatDoesNotFitIsRefused) {
  FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  parameters.algorithm.grid = {.row_size = 3, .column_size = 2};
  const auto refusal = [&](std::size_t ranks) -> std::string {
    try {
      testing::on_ranks(parameters, ranks, 1, [](RunningFlow&) {});
    } catch (const base::Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal(2).find("a grid with 3 ranks in a row and 2 in a column has 6, but there are 2"), std::string::npos)
      << refusal(2);
}

TEST(FlowRanks, TheWayIsWhatWasChosen) {
  const FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  testing::on_ranks(parameters, 2, 1, [](RunningFlow& run) {
    EXPECT_EQ(run.flow.algorithm().grid.ranks(), 2U);
    EXPECT_GT(run.flow.algorithm().division.chunks, 0U);
    EXPECT_GT(run.flow.algorithm().division.groups, 0U);
  });
}

TEST(FlowRanks, OfAllTransfersIsKnownWhatTheyTakeAlone) {
  const FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  testing::on_ranks(parameters, 2, 1, [](RunningFlow& run) {
    advance(run.flow);
    const auto transfers = run.recorder().track(0).transfers();
    EXPECT_GT(transfers.size(), 4U);
    for (const trace::Transfer& transfer : transfers) {
      EXPECT_GT(transfer.alone_s, 0.0) << run.recorder().name(transfer.kind);
      EXPECT_GT(transfer.bytes, 0U) << run.recorder().name(transfer.kind);
    }
  });
}

}  // namespace tacit::dns::flow_ranks_test
