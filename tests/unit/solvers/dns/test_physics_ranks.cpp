// Scalars, waves and forces on several ranks: the same bits on any ranks, grids of them, and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/physics_statistics.hpp"
#include "tacit/solvers/dns/setups/scalar_fields.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::dns::physics_ranks_test {

/// What a flow says after some steps.
struct Outcome {
  std::vector<Complex> modes;  // shape (3 + scalars, kx, kz, ky), of all ranks
  std::vector<double> numbers;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

FlowParameters with_everything(const ForcingParameters& forcing) {
  FlowParameters p{.points = {18, 15, 14},
                   .box = {2 * std::numbers::pi, 3.0, 5.0},
                   .viscosity = 0.01,
                   .truncation = fft::Truncation::spherical,
                   .scheme = Scheme::rk4,
                   .rigor = fft::Rigor::estimate};
  p.physics.scalars = {{.diffusivity = 0.02}, {.diffusivity = 0.01, .gradient = {1.0, 0.5, 0.2}}};
  p.physics.rotation = {0.2, 0.1, 0.7};
  p.physics.stratification = 0.9;
  p.physics.buoyancy_diffusivity = 0.01;
  p.physics.phase_shift = PhaseShift::random;
  p.physics.forcing = forcing;
  return p;
}

void collect(const Flow& flow, std::vector<Complex>& all) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  for (std::size_t field = 0; field < 3 + flow.scalars(); ++field) {
    const std::span<const Complex> from = field < 3 ? flow.modes(field) : flow.scalar(field - 3);
    for (std::size_t x = pencils.kx().begin; x < pencils.kx().end; ++x) {
      for (std::size_t z = 0; z < modes.count(2); ++z) {
        for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; ++y) {
          all[((field * modes.count(0) + x) * modes.count(2) + z) * modes.count(1) + y] =
              from[pencils.spectral_place(x, y, z)];
        }
      }
    }
  }
}

std::vector<double> advance(Flow& flow) {
  flow.set([](const base::Vec3& x) -> base::Vec3 {
    return {std::sin(x.x) + 0.1 * x.y * x.z + 0.3, std::cos(2 * x.x) * x.z, 0.2 * x.y * x.y - std::sin(x.x)};
  });
  make_scalars({.fields = {ScalarField::isotropic, ScalarField::wave_y}, .peak = 3.0, .seed = 4}, flow);
  for (int i = 0; i < 2; ++i) flow.step(0.01);
  StateMeans means(flow);
  std::vector<double> numbers{flow.power(), potential_energy(means), flow.rate()};
  for (std::size_t s = 0; s < flow.scalars(); ++s) {
    const ScalarMeans& now = means.scalar(s);
    numbers.insert(numbers.end(), {now.variance, now.dissipation, now.flux.x, now.flux.z});
  }
  return numbers;
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

Outcome room_for(const FlowParameters& p) {
  const fft::Modes modes(p.points, p.truncation);
  const std::size_t fields = 3 + p.physics.all_scalars().size();
  // What no rank writes shows.
  return {std::vector<Complex>(fields * modes.count(0) * modes.count(1) * modes.count(2), 77.0), {}};
}

TEST(PhysicsRanks, GridsGiveTheSameBits) {
  const auto compare = [](ForcingKind kind, const std::vector<fft::RankGrid>& grids) {
    FlowParameters p = with_everything({.kind = kind, .radius = 2.5, .power = 0.1, .memory = 0.3});
    Outcome expected = room_for(p);
    run(p, 1, nullptr, expected);
    for (const fft::RankGrid& grid : grids) {
      p.way.grid = grid;
      Outcome found = room_for(p);
      comm::testing::on_ranks(grid.ranks(), [&](comm::Communicator& world) { run(p, 1, &world, found); });
      EXPECT_TRUE(found == expected) << grid.column_size << " x " << grid.row_size;
    }
  };
  compare(ForcingKind::eswaran_pope, {{1, 2}, {2, 2}});
  compare(ForcingKind::constant, {{2, 1}});
  compare(ForcingKind::frozen, {{1, 2}});
}

}  // namespace tacit::dns::physics_ranks_test
