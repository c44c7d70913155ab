// Units of leaves and who is to own them: small enough, alike on all ranks, and shared evenly where gas is clustered.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "samples.hpp"
#include "tacit/base/random.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/ownership.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::sph::ownership_test {
namespace {

using Counts = std::vector<std::uint64_t>;

/// Nearly all of the cost in some of the leaves.
LeafCosts clustered(std::size_t leaves, std::size_t in_cluster) {
  LeafCosts all{Counts(leaves), Counts(leaves)};
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const bool is_in_cluster = leaf > leaves / 3 && leaf < leaves / 3 + in_cluster;
    all.particles[leaf] = is_in_cluster ? 100 : leaf % 3;
    all.costs[leaf] = all.particles[leaf] * (is_in_cluster ? 900 : 1500);
  }
  return all;
}

/// What one of several ranks knows: leaves in turn, some of two.
LeafCosts part_of(const LeafCosts& all, std::size_t rank, std::size_t ranks) {
  LeafCosts mine{Counts(all.costs.size(), 0), Counts(all.costs.size(), 0)};
  for (std::size_t leaf = rank; leaf < mine.costs.size(); leaf += ranks) {
    mine.costs[leaf] = all.costs[leaf];
    mine.particles[leaf] = all.particles[leaf];
  }
  return mine;
}

std::uint64_t sum(const Counts& values) { return std::accumulate(values.begin(), values.end(), std::uint64_t{0}); }

double largest_over_mean(const Counts& weights, const std::vector<std::uint32_t>& owner, std::size_t ranks) {
  Counts sums(ranks, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) sums[owner[i]] += weights[i];
  return static_cast<double>(std::ranges::max(sums) * ranks) / static_cast<double>(sum(weights));
}

}  // namespace

TEST(Units, AreSmallAndHaveAllLeaves) {
  const LeafCosts all = clustered(30'000, 300);
  comm::testing::on_ranks(3, [&](comm::Communicator& ranks) {
    const Units units = find_units(ranks, part_of(all, comm::number(ranks.rank()), 3), {});
    ASSERT_EQ(units.begins.size(), units.size() + 1);
    EXPECT_EQ(units.begins.front(), 0U);
    EXPECT_EQ(units.begins.back(), 30'000U);
    EXPECT_EQ(sum(units.costs), sum(all.costs));
    EXPECT_EQ(sum(units.particles), sum(all.particles));
    EXPECT_LT(units.size(), 10 * least_units);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const std::size_t leaves = units.begins[unit + 1] - units.begins[unit];
      EXPECT_GT(leaves, 0U);
      EXPECT_TRUE(leaves == 1 || units.costs[unit] <= sum(all.costs) / least_units) << unit;
      EXPECT_EQ(units.of_leaf(units.begins[unit]), unit);
      EXPECT_EQ(units.of_leaf(units.begins[unit + 1] - 1), unit);
    }
  });
}

TEST(Units, EndWhereOwnersChange) {
  const LeafCosts all = clustered(5'000, 50);
  std::vector<std::uint32_t> owner(5'000);
  for (std::size_t leaf = 0; leaf < owner.size(); ++leaf) owner[leaf] = leaf / 7 % 2;
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    const Units units = find_units(ranks, part_of(all, comm::number(ranks.rank()), 2), owner);
    std::vector<std::uint32_t> of_units;
    for (std::size_t unit = 0; unit < units.size(); ++unit) of_units.push_back(owner[units.begins[unit]]);
    EXPECT_EQ(units.spread(of_units), owner);
  });
}

TEST(Units, OfFewLeavesAreLeaves) {
  const LeafCosts few{{5, 0, 7}, {1, 0, 1}};
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    const Units units = find_units(ranks, part_of(few, comm::number(ranks.rank()), 2), {});
    EXPECT_EQ(units.begins, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(units.costs, few.costs);
    EXPECT_EQ(present_owners(ranks, units, part_of(few, comm::number(ranks.rank()), 2).particles),
              (std::vector<std::uint32_t>{0, 0, 0}));
  });
}

// Where METIS is not worse than the curve, it is taken: edges are known to several ranks, and add up.
TEST(Shares, AreEvenAndAlikeOnAllRanks) {
  const LeafCosts all = clustered(20'000, 7'000);
  comm::testing::on_ranks(4, [&](comm::Communicator& ranks) {
    const std::size_t rank = comm::number(ranks.rank());
    const Units units = find_units(ranks, part_of(all, rank, 4), {});
    std::vector<topology::Edge> edges;  // of a ring, each half known to one rank
    for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
      const auto next = static_cast<std::uint32_t>((unit + 1) % units.size());
      if (unit % 4 == rank) edges.push_back({unit, next, 10});
      if (unit % 4 == (rank + 1) % 4) edges.push_back({next, unit, 10});
    }
    const std::vector<std::uint32_t> previous(units.size(), 2);
    for (const auto method : {topology::Method::best, topology::Method::metis, topology::Method::curve}) {
      const Shares shares = share_units(ranks, units, edges, previous, method);
      EXPECT_LE(largest_over_mean(units.costs, shares.owner, 4), 1.10);
      if (method != topology::Method::metis) {  // alone it may take somewhat more room than there is
        EXPECT_LE(largest_over_mean(units.memory(), shares.owner, 4), most_memory);
      }
      EXPECT_EQ(shares.load_before, sum(units.costs));
      EXPECT_FALSE(shares.had_room);
      EXPECT_LT(shares.load_after, shares.load_before);
      std::vector<std::uint64_t> numbers(shares.owner.begin(), shares.owner.end());
      exchange::add_over(ranks, numbers);
      for (std::size_t unit = 0; unit < units.size(); ++unit) ASSERT_EQ(numbers[unit], 4 * shares.owner[unit]);
    }
    // Nothing moves where nothing has changed.
    const Shares first = share_units(ranks, units, edges, {});
    const Shares again = share_units(ranks, units, edges, first.owner);
    EXPECT_EQ(again.owner, first.owner);
    EXPECT_TRUE(again.had_room);
    EXPECT_EQ(again.load_before, again.load_after);
  });
}

/// Four fifths of the particles in a ball that is a thousandth of the box wide.
InitialConditions ball(std::size_t particles) {
  InitialConditions gas;
  gas.box = {1.0, 1.0, 1.0};
  for (std::size_t i = 0; i < particles; ++i) {
    base::Vec3 at{base::uniform(1, i, 0), base::uniform(1, i, 1), base::uniform(1, i, 2)};
    if (i % 5 != 0) at = base::Vec3{0.31, 0.37, 0.43} + 0.001 * at;
    gas.id.push_back(i + 1);
    gas.x.push_back(at.x);
    gas.y.push_back(at.y);
    gas.z.push_back(at.z);
  }
  gas.vx = gas.vy = gas.vz = std::vector<double>(particles, 0.0);
  gas.m.assign(particles, 1.0 / static_cast<double>(particles));
  gas.u.assign(particles, 1e-4);
  return gas;
}

TEST(Ownership, SharesABallOfParticles) {
  const InitialConditions gas = ball(2'000);
  comm::testing::on_ranks(4, [&](comm::Communicator& ranks) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    const comm::testing::Polling polling(scheduler, ranks);
    SphSolver solver(testing::plain_parameters(), base::UnitSystem{},
                     testing::share_of(gas, {comm::number(ranks.rank()), ranks.size()}), {scheduler, true, ranks});
    // Before anything is measured particles cost alike; but not everything can be in few cells.
    EXPECT_LE(solver.gas().size(), 700U);
    EXPECT_GE(solver.gas().size(), 200U);
    for (const auto method : {topology::Method::metis, topology::Method::curve}) {
      tasks::StepContext step;
      step.dt = solver.time_step();
      solver.step(step);
      solver.cut_next(method);
      solver.step(step);
      EXPECT_LE(solver.gas().size(), 1'200U);  // four fifths are in few cells, of which no rank has all
    }
    EXPECT_GT(solver.ticks_in_tasks(), 0);
  });
}

}  // namespace tacit::sph::ownership_test
