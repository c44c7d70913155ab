// A flow on several ranks: modes, sums and rates have the same bits on any ranks, grids of them, and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::dns::flow_ranks_test {

/// What a flow says after some steps.
struct Outcome {
  std::vector<Complex> modes;  // shape (3, kx, kz, ky), of all ranks
  std::vector<double> numbers;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

FlowParameters parameters_of(Form form, fft::Truncation truncation) {
  return {.points = {18, 15, 14},
          .box = {2 * std::numbers::pi, 3.0, 5.0},
          .viscosity = 0.01,
          .truncation = truncation,
          .form = form,
          .scheme = Scheme::rk2,
          .rigor = fft::Rigor::estimate};
}

/// Writes this rank's modes to their places among all.
void collect(const Flow& flow, std::vector<Complex>& all) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = pencils.kx().begin; x < pencils.kx().end; ++x) {
      for (std::size_t z = 0; z < modes.count(2); ++z) {
        for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; ++y) {
          all[((c * modes.count(0) + x) * modes.count(2) + z) * modes.count(1) + y] =
              flow.modes(c)[pencils.spectral_place(x, y, z)];
        }
      }
    }
  }
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

Outcome room_for(const FlowParameters& parameters) {
  const fft::Modes modes(parameters.points, parameters.truncation);
  // What no rank writes shows.
  return {std::vector<Complex>(3 * modes.count(0) * modes.count(1) * modes.count(2), 77.0), {}};
}

void run(const FlowParameters& parameters, std::size_t workers, comm::Communicator* world, Outcome& outcome) {
  trace::Recorder recorder(workers);
  tasks::Scheduler scheduler(workers, recorder);
  Flow flow(parameters, scheduler, world);
  const std::vector<double> numbers = advance(flow);
  collect(flow, outcome.modes);
  if (world == nullptr || number(world->rank()) == 0) outcome.numbers = numbers;
  if (world != nullptr) world->synchronise();
}

Outcome alone(const FlowParameters& parameters) {
  Outcome outcome = room_for(parameters);
  run(parameters, 1, nullptr, outcome);
  return outcome;
}

Outcome on_ranks(FlowParameters parameters, std::size_t ranks, const fft::RankGrid& grid, std::size_t workers) {
  parameters.way.grid = grid;
  Outcome outcome = room_for(parameters);
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) { run(parameters, workers, &world, outcome); });
  return outcome;
}

TEST(FlowRanks, GridsGiveTheSameBits) {
  for (const auto& [form, truncation] : {std::pair{Form::divergence, fft::Truncation::two_thirds},
                                         std::pair{Form::rotational, fft::Truncation::spherical}}) {
    const FlowParameters parameters = parameters_of(form, truncation);
    const Outcome expected = alone(parameters);
    for (const fft::RankGrid& grid :
         {fft::RankGrid{1, 2}, fft::RankGrid{2, 1}, fft::RankGrid{2, 2}, fft::RankGrid{1, 3}}) {
      const Outcome found = on_ranks(parameters, grid.ranks(), grid, 1);
      EXPECT_TRUE(found == expected) << grid.column_size << " x " << grid.row_size;
    }
    EXPECT_TRUE(on_ranks(parameters, 2, {.row_size = 0, .column_size = 0}, 2) == expected) << "as chosen, two threads";
  }
}

TEST(FlowRanks, RandomFieldsDoNotDependOnRanks) {
  const FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  const auto field = [&](std::size_t ranks) {
    Outcome outcome = room_for(parameters);
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(1);
      tasks::Scheduler scheduler(1, recorder);
      Flow flow(parameters, scheduler, &world);
      make(Isotropic{.energy = 0.7, .peak = 2.0, .seed = 5}, flow);
      collect(flow, outcome.modes);
      world.synchronise();
    });
    return outcome;
  };
  const Outcome expected = field(1);
  EXPECT_TRUE(field(4) == expected);
}

TEST(FlowRanks, WhatIsMeasuredChangesNoBits) {
  FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  const Outcome expected = alone(parameters);
  parameters.tuning = fft::Tuning::measured;
  EXPECT_TRUE(on_ranks(parameters, 2, {.row_size = 0, .column_size = 0}, 1) == expected);
  // A row of ranks is named; the column is what it leaves.
  EXPECT_TRUE(on_ranks(parameters, 2, {.row_size = 2, .column_size = 0}, 1) == expected);
}

TEST(FlowRanks, AGridThatDoesNotFitIsRefused) {
  FlowParameters parameters = parameters_of(Form::divergence, fft::Truncation::two_thirds);
  parameters.way.grid = {.row_size = 3, .column_size = 2};
  const auto refusal = [&](std::size_t ranks) -> std::string {
    try {
      comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
        trace::Recorder recorder(1);
        tasks::Scheduler scheduler(1, recorder);
        const Flow flow(parameters, scheduler, &world);
      });
    } catch (const base::Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal(2).find("a grid with 3 ranks in a row and 2 in a column has 6, but there are 2"), std::string::npos)
      << refusal(2);
}

}  // namespace tacit::dns::flow_ranks_test
