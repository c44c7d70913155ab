// What a rank holds of others' particles with self-gravity: those near its own that are active, and what is predicted.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "../rank_runs.hpp"
#include "../samples.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/estimate.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/field.hpp"

namespace tacit::sph::near_bodies_test {
namespace {

using testing::Outcome;
using testing::outcome_of;
using testing::RankRun;

SphParameters gravitating(bool is_individual) {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = Scheme::sphenix;
  parameters.boundary = Boundary::open;
  parameters.has_individual_steps = is_individual;
  parameters.gravity = {.is_present = true, .G = 1.0, .softening = 0.01};
  return parameters;
}

/// Bodies at random in a bar, and where they shall have short steps a dense clump of as many at one end.
InitialConditions bar(bool has_clump) {
  constexpr std::size_t count = 2000;
  InitialConditions all;
  all.source = "bar";
  all.has_types = true;
  const std::size_t bodies = has_clump ? 2 * count : count;
  for (std::size_t i = 0; i < bodies; ++i) {
    const auto at = [i](std::uint64_t axis) { return base::uniform(11, i, axis); };
    const double size = i < count ? 1.0 : 0.05;
    all.id.push_back(i + 1);
    all.x.push_back(i < count ? 24.0 * at(0) : size * at(0));
    all.y.push_back(size * at(1));
    all.z.push_back(size * at(2));
    all.vx.push_back(0.01 * at(3));
    all.vy.push_back(0.0);
    all.vz.push_back(0.0);
    all.m.push_back(1.0 / count);
    all.u.push_back(0.0);
    all.type.push_back(1);
  }
  return all;
}

/// What one of four ranks holds of others in each step.
struct Held {
  std::vector<std::size_t> particles;
  std::size_t own = 0;
};

/// @return of each rank
std::vector<Held> held_by_ranks(const SphParameters& parameters, const InitialConditions& initial, int steps,
                                Outcome& outcome) {
  constexpr std::size_t ranks = 4;
  std::vector<Held> held(ranks);
  std::mutex lock;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RankRun run(parameters, initial, world, 1);
    Held& mine = held[run.rank()];
    const auto note = [&] {
      const GravityCopies& copies = *run.solver().step_data().gravity->copies;
      mine.particles.push_back(copies.particles());
      EXPECT_LE(copies.particles() * 4 * sizeof(double), copies.memory_bytes());
    };
    note();
    for (int step = 0; step < steps; ++step) {
      run.advance(1);
      note();
    }
    mine.own = run.solver().gas().size();
    outcome.add(run, lock);
  });
  return held;
}

}  // namespace

TEST(NearBodies, OnlyThoseNearOthersTravel) {
  const SphParameters parameters = gravitating(false);
  const InitialConditions all = bar(false);
  Outcome outcome;
  for (const Held& held : held_by_ranks(parameters, all, 4, outcome)) {
    const std::size_t others = all.size() - held.own;
    EXPECT_GT(std::ranges::min(held.particles), 0U);
    EXPECT_LT(std::ranges::max(held.particles), others / 2) << "of " << others;
  }
  EXPECT_EQ(outcome, outcome_of(parameters, all, 1, 1, 4));
  EXPECT_EQ(outcome, outcome_of(parameters, all, 2, 2, 4));
}

TEST(NearBodies, WhereFewAreActiveFewTravel) {
  const SphParameters parameters = gravitating(true);
  const InitialConditions all = bar(true);
  Outcome outcome;
  constexpr int steps = 12;
  const std::vector<Held> held = held_by_ranks(parameters, all, steps, outcome);
  std::vector<std::size_t> sums(steps + 1, 0);
  for (const Held& rank : held) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += rank.particles[k];
  }
  EXPECT_LT(3 * std::ranges::min(sums), 2 * std::ranges::max(sums));
  EXPECT_EQ(outcome, outcome_of(parameters, all, 1, 2, steps));
}

TEST(NearBodies, ARankOfFourIsPredictedToHoldItsShareAndLittleMore) {
  SphParameters parameters = gravitating(false);
  parameters.dimension = 3;
  const Extent extent{.particles = 1e6, .dimension = 3, .box = {1.0, 1.0, 1.0}};
  const double alone = memory_use(parameters, extent);
  const double more = gravity_bytes_of_ranks(parameters, extent, 4);
  EXPECT_EQ(gravity_bytes_of_ranks(parameters, extent, 1), 0.0);
  EXPECT_LT((alone + more) / 4.0, 0.35 * alone);
  // All particles of others would be more than this.
  EXPECT_LT(more / 4.0, 0.75e6 * 4 * sizeof(double) * 3.0);
  EXPECT_GT(more / 4.0, 0.1e6 * 4 * sizeof(double));
}

}  // namespace tacit::sph::near_bodies_test
