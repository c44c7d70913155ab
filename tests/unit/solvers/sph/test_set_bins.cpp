// Bins that are set from outside: who then ends steps, and that nothing else changes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "samples.hpp"

namespace tacit::sph::set_bins_test {
namespace {

using testing::SmallRun;

constexpr std::uint64_t few = 5;
constexpr std::uint8_t quick = TimeLine::first_bin - 1;

SmallRun gas_with_own_steps() {
  return {testing::with_own_steps(testing::plain_parameters()), testing::uniform_gas(8, 0.3)};
}

/// The bins as they are, but for the first particles by ID.
std::vector<std::uint8_t> with_quick_ones(const Gas& gas) {
  std::vector<std::uint8_t> bins = gas.bin;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (gas.id[i] <= few) bins[i] = quick;
  }
  return bins;
}

TEST(SetBins, TheChosenEndTheirStepsAlone) {
  auto run = gas_with_own_steps();
  run.solver.set_bins(with_quick_ones(run.solver.gas()));
  EXPECT_EQ(run.solver.bins()[quick], few);
  // A half; the next ends together with all others'.
  EXPECT_EQ(run.advance(1), few);
  EXPECT_EQ(run.advance(1), run.solver.elements());
}

TEST(SetBins, SetAgainTheyStayQuick) {
  auto run = gas_with_own_steps();
  for (int round = 0; round < 3; ++round) {
    for (const std::uint64_t updates : {few, run.solver.elements()}) {
      // The others' bins too, or some would go to longer steps.
      std::vector<std::uint8_t> bins(run.solver.elements(), TimeLine::first_bin);
      for (std::size_t i = 0; i < bins.size(); ++i) {
        if (run.solver.gas().id[i] <= few) bins[i] = quick;
      }
      run.solver.set_bins(bins);
      EXPECT_EQ(run.advance(1), updates) << round;
    }
  }
}

TEST(SetBins, ThePresentStateStays) {
  auto run = gas_with_own_steps();
  run.advance(6);
  const auto before = run.solver.sums();
  ASSERT_GT(before.kinetic_energy, 0.0);
  run.solver.set_bins(with_quick_ones(run.solver.gas()));
  const auto after = run.solver.sums();
  // Velocities and energies go to another middle of a step and are seen from there: a few roundings of 1e-16 each, of
  // terms that are of the size of their sum.
  EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, 1e-13 * before.kinetic_energy);
  EXPECT_NEAR(after.internal_energy.value(), before.internal_energy.value(), 1e-13 * before.internal_energy.value());
}

}  // namespace
}  // namespace tacit::sph::set_bins_test
