// Bins after a step, particle by particle: what each may choose, and how far neighbours may be apart.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph::limiter_test {
namespace {

using base::Vec3;
using testing::SmallRun;
using testing::with_own_steps;

/// Bins by ID.
std::vector<std::uint8_t> bins_by_id(const Gas& gas) {
  std::vector<std::uint8_t> bins(gas.size());
  for (std::size_t i = 0; i < gas.size(); ++i) bins[gas.id[i] - 1] = gas.bin[i];
  return bins;
}

/// All that the limiter knows, by index in the gas.
struct Choice {
  std::vector<bool> is_active;
  std::vector<std::uint8_t> chosen;  ///< bins before any is limited
};

/// What each particle would do without neighbours: shrink at once, grow by one where longer steps begin.
Choice choices(const SphSolver& solver, const std::vector<std::uint8_t>& before) {
  const Gas& gas = solver.gas();
  const StepClock& clock = solver.clock();
  Choice result;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const std::uint8_t bin = before[gas.id[i] - 1];
    const bool is_active = bin <= clock.active;
    const int stable = clock.line.bin_within(gas.dt[i]);
    // A longer step than before needs a margin of a fifth.
    const int wanted = stable > bin ? std::max<int>(bin, clock.line.bin_within(0.8 * gas.dt[i])) : stable;
    const int most = std::min<int>(clock.active, bin + 1);
    result.is_active.push_back(is_active);
    result.chosen.push_back(is_active ? static_cast<std::uint8_t>(std::min(wanted, most)) : bin);
  }
  return result;
}

/// Calls visit(i, j) for all i that are active and all j within the larger of both supports, over all pairs.
template <class Visit>
void for_limiting_pairs(const Gas& gas, const SphParameters& parameters, const Choice& choice, const Visit& visit) {
  const bool is_periodic = parameters.boundary == Boundary::periodic;
  const auto apart = [is_periodic](double a, double b) { return is_periodic ? a - b - std::round(a - b) : a - b; };
  for (std::size_t i = 0; i < gas.size(); ++i) {
    if (!choice.is_active[i]) continue;
    for (std::size_t j = 0; j < gas.size(); ++j) {
      const double H = parameters.kernel_gamma * std::max(gas.h[i], gas.h[j]);
      const Vec3 d{apart(gas.x[i], gas.x[j]), apart(gas.y[i], gas.y[j]), apart(gas.z[i], gas.z[j])};
      if (dot(d, d) < H * H) visit(i, j);
    }
  }
}

/// Pairs in which an active particle's own choice is more than two bins below its neighbour's.
std::size_t unlimited_pairs(const Gas& gas, const SphParameters& parameters, const Choice& choice,
                            const std::vector<std::uint8_t>& bins) {
  std::size_t count = 0;
  for_limiting_pairs(gas, parameters, choice, [&](std::size_t i, std::size_t j) {
    if (bins[j] > choice.chosen[i] + most_bins_above_neighbour) ++count;
  });
  return count;
}

/// What happened in the steps of one run.
struct Tally {
  std::size_t too_far = 0;    ///< pairs that would be too far apart without the limiter
  std::size_t lowered = 0;    ///< particles that were limited as they chose their bin
  std::size_t woken = 0;      ///< particles that were limited in the midst of a step
  std::size_t most_bins = 0;  ///< between the lowest and the highest
};

/// Runs `steps` steps and expects after each the bins that the rules ask for, over all pairs.
Tally expect_the_rules(SmallRun& run, const SphParameters& parameters, int steps) {
  Tally tally;
  for (int step = 0; step < steps; ++step) {
    const auto before = bins_by_id(run.solver.gas());
    run.advance(1);
    const Gas& gas = run.solver.gas();
    const Choice choice = choices(run.solver, before);
    std::vector<std::uint8_t> expected = choice.chosen;
    for_limiting_pairs(gas, parameters, choice, [&](std::size_t i, std::size_t j) {
      expected[j] = std::min(expected[j], static_cast<std::uint8_t>(choice.chosen[i] + most_bins_above_neighbour));
    });
    EXPECT_EQ(gas.bin, expected) << "step " << step;
    EXPECT_EQ(unlimited_pairs(gas, parameters, choice, gas.bin), 0U) << "step " << step;
    tally.too_far += unlimited_pairs(gas, parameters, choice, choice.chosen);
    for (std::size_t i = 0; i < gas.size(); ++i) {
      if (gas.bin[i] < choice.chosen[i]) ++(choice.is_active[i] ? tally.lowered : tally.woken);
    }
    const auto [low, high] = std::ranges::minmax(gas.bin);
    tally.most_bins = std::max<std::size_t>(tally.most_bins, high - low);
  }
  return tally;
}

/// Cold gas at rest, of which one particle flies off.
InitialConditions projectile(std::size_t n) {
  InitialConditions gas = testing::uniform_gas(n, 0.2);
  gas.u.assign(gas.size(), 1e-4);
  gas.vx[n * n * n / 2] = 10.0;
  return gas;
}

}  // namespace

TEST(Limiter, BinsFollowTheRulesInABlast) {
  constexpr std::array<std::int64_t, 3> sides{150, 24, 9};
  for (const int d : {1, 2, 3}) {
    for (const Boundary boundary : {Boundary::periodic, Boundary::open}) {
      SphParameters parameters = with_own_steps(testing::parameters_with(Kernel::cubic_spline, d));
      parameters.boundary = boundary;
      const Sedov sedov{.resolution = sides[static_cast<std::size_t>(d) - 1], .jitter = 0.3, .dimension = d};
      SmallRun run(parameters, make(sedov));
      const Tally tally = expect_the_rules(run, parameters, 30);
      // Without the limiter this would fail:
      EXPECT_GT(tally.too_far, 10U) << d;
      EXPECT_GT(tally.woken, 10U) << d;
      EXPECT_GE(tally.most_bins, 4U) << d;
    }
  }
}

TEST(Limiter, NeighboursOfTheHotAreLimitedFromTheBeginning) {
  const SphParameters parameters = with_own_steps(testing::plain_parameters());
  const SmallRun run(parameters, make(Sedov{.resolution = 9, .jitter = 0.3}));
  const Gas& gas = run.solver.gas();
  const Choice everyone{std::vector<bool>(gas.size(), true), {}};
  // The hottest are at the bottom of the time line, so nothing has lowered these.
  const std::uint8_t lowest = std::ranges::min(gas.bin);
  std::size_t neighbours = 0;
  for_limiting_pairs(gas, parameters, everyone, [&](std::size_t i, std::size_t j) {
    if (gas.bin[i] != lowest) return;
    EXPECT_LE(gas.bin[j], lowest + most_bins_above_neighbour);
    neighbours += gas.bin[j] > lowest ? 1U : 0U;
  });
  EXPECT_GT(neighbours, 0U);
  EXPECT_GT(std::ranges::max(gas.bin), lowest + 2 * most_bins_above_neighbour);
}

TEST(Limiter, AProjectileWakesTheColdGasInItsWay) {
  const SphParameters parameters = with_own_steps(testing::plain_parameters());
  SmallRun run(parameters, projectile(8));
  const auto at_first = bins_by_id(run.solver.gas());
  const Tally tally = expect_the_rules(run, parameters, 48);
  EXPECT_GT(tally.woken, 3U);
  EXPECT_GE(tally.most_bins, 6U);
  // Particles that were asleep when it began have been woken and take the steps of their new neighbour.
  const auto now = bins_by_id(run.solver.gas());
  std::size_t much_shorter = 0;
  for (std::size_t id = 0; id < now.size(); ++id) much_shorter += now[id] + 4 <= at_first[id] ? 1U : 0U;
  EXPECT_GT(much_shorter, 3U);
}

}  // namespace tacit::sph::limiter_test
