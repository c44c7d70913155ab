// Scalars, waves and forces on several ranks: bitwise identical on any ranks, grids of them, and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "flows_on_ranks.hpp"
#include "tacit/solvers/dns/setups/scalar_fields.hpp"
#include "tacit/solvers/dns/statistics/means.hpp"

namespace tacit::dns::physics_ranks_test {

using testing::Outcome;

FlowParameters with_everything(const ForcingParameters& forcing) {
  FlowParameters p{.points = {18, 15, 14},
                   .box = {2 * std::numbers::pi, 3.0, 5.0},
                   .viscosity = 0.01,
                   .truncation = fft::Truncation::spherical,
                   .scheme = Scheme::rk4};
  p.physics.scalars = {{.diffusivity = 0.02}, {.diffusivity = 0.01, .gradient = {1.0, 0.5, 0.2}}};
  p.physics.rotation = {0.2, 0.1, 0.7};
  p.physics.stratification = 0.9;
  p.physics.buoyancy_diffusivity = 0.01;
  p.physics.phase_shift = PhaseShift::random;
  p.physics.forcing = forcing;
  return p;
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

TEST(PhysicsRanks, GridsGiveIdenticalResults) {
  const auto compare = [](ForcingKind kind, const std::vector<fft::ProcessGrid>& grids) {
    FlowParameters p = with_everything({.kind = kind, .radius = 2.5, .power = 0.1, .memory = 0.3});
    const Outcome expected = testing::outcome_of(p, 1, 1, &advance);
    for (const fft::ProcessGrid& grid : grids) {
      p.algorithm.grid = grid;
      const Outcome found = testing::outcome_of(p, grid.ranks(), 1, &advance);
      EXPECT_TRUE(found == expected) << grid.column_size << " x " << grid.row_size;
    }
  };
  compare(ForcingKind::eswaran_pope, {{1, 2}, {2, 2}});
  compare(ForcingKind::constant, {{2, 1}});
  compare(ForcingKind::frozen, {{1, 2}});
}

}  // namespace tacit::dns::physics_ranks_test
