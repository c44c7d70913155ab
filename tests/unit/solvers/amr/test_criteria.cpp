// What refines sub-grids: density, jumps and regions, each down to a level of its own.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "running_amr.hpp"

namespace tacit::amr {
namespace {

using testing::parameters_of;
using testing::RunningAmr;

/// The level of the leaf at a place.
std::uint32_t level_at(const RunningAmr& run, double x, double y = 0.5) {
  const mesh::Octree& tree = run.solver().tree();
  constexpr std::uint32_t deep = 18;
  mesh::Node node{deep, {}};
  const double places[2] = {x, y};
  for (std::size_t axis = 0; axis < std::min<std::size_t>(tree.spec().dimensions, 2); ++axis) {
    node.at[axis] = static_cast<std::int64_t>(places[axis] * static_cast<double>(tree.nodes(axis, deep)));
  }
  return tree.leaf(tree.covering(node).value()).level;
}

TEST(AmrCriteria, ThresholdsOfCoarserLevelsAreLowerByTheirRatio) {
  const Criterion density{.finest = 3, .refine_above = 8.0, .coarsen_below = 4.0, .ratio = 4.0};
  EXPECT_TRUE(density.refines(2, 8.1));
  EXPECT_FALSE(density.refines(2, 7.9));
  EXPECT_TRUE(density.refines(1, 2.1));
  EXPECT_FALSE(density.refines(1, 1.9));
  EXPECT_TRUE(density.refines(0, 0.6));
  EXPECT_FALSE(density.refines(0, 0.4));
  EXPECT_TRUE(density.refines(3, 8.1)) << "it stays, with all around it";
  EXPECT_FALSE(density.refines(4, 1e9)) << "which others have asked for";
  EXPECT_TRUE(density.keeps(3, 4.1));
  EXPECT_FALSE(density.keeps(3, 3.9));
  EXPECT_TRUE(density.keeps(2, 1.1));
  EXPECT_FALSE(density.keeps(2, 0.9));
  EXPECT_FALSE(density.keeps(4, 1e9));
  // Between the thresholds of one division a leaf stays as it is, divided or not.
  EXPECT_FALSE(density.refines(2, 6.0));
  EXPECT_TRUE(density.keeps(3, 6.0));
}

// Left of the jump there is a density of 1, right of it one of 1/8.
TEST(AmrCriteria, DensityAndJumpsHaveDeepestLevelsOfTheirOwn) {
  const auto tube = [](const std::string& more) {
    return RunningAmr("initial.setup = \"sod\"\n[amr]\nroot = [8]\nlow = [\"outflow\"]\nfinest = 6\n" + more);
  };
  const RunningAmr both = tube("jumps_finest = 5\ndensity_finest = 2\ndensity_above = 0.6\n");
  EXPECT_EQ(both.solver().tree().finest(), 5U);
  EXPECT_EQ(level_at(both, 0.499), 5U);
  EXPECT_EQ(level_at(both, 0.1), 2U) << "1 is above 0.6 and 0.3";
  EXPECT_EQ(level_at(both, 0.9), 0U) << "1/8 is below both";
  const RunningAmr dense = tube("jumps_finest = 0\ndensity_finest = 3\ndensity_above = 0.4\n");
  EXPECT_EQ(level_at(dense, 0.1), 3U);
  EXPECT_EQ(level_at(dense, 0.95), 1U) << "1/8 is above 0.1, but below 0.2";
  // Species 1 is left of the jump, and species 2 right of it.
  const RunningAmr species =
      tube("jumps_finest = 0\ndensity_finest = 1\ndensity_above = 0.1\nspecies = 2\nspecies_finest = [2, 4]\n");
  EXPECT_EQ(level_at(species, 0.1), 2U);
  EXPECT_EQ(level_at(species, 0.9), 4U);
  const RunningAmr jumps = tube("");
  EXPECT_EQ(level_at(jumps, 0.499), 6U);
  EXPECT_EQ(level_at(jumps, 0.1), 0U);
}

TEST(AmrCriteria, ARegionHasItsLevelWhateverTheGasDoes) {
  RunningAmr run(
      "initial.setup = \"sod\"\n[amr]\nroot = [8]\nlow = [\"outflow\"]\nregions = [3, 0.9, 1.0]\nfinest = 5\n"
      "jumps_finest = 2\nregrid_every = 2\n");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(level_at(run, 0.95), 3U);
    EXPECT_EQ(run.solver().tree().finest(), 3U);
    run.steps(2);
  }
  EXPECT_EQ(level_at(run, 0.5), 2U);
}

TEST(AmrCriteria, DensityFollowsWhatMovesAndLetsGoBehind) {
  AmrParameters parameters = parameters_of(
      "initial.setup = \"wave\"\n[amr]\nroot = [8, 8]\nfinest = 2\njumps_finest = 0\ndensity_above = 4.0\n"
      "density_below = 2.0\nregrid_every = 2\n");
  parameters.initial.exact = {};
  parameters.initial.state = [](const Point& x) {
    const double r = std::hypot(x[0] - 0.3, x[1] - 0.5);
    return GasState{0.2 + 8.0 * std::exp(-r * r / 0.005), {4.0, 0.0, 0.0}, 1.0};
  };
  RunningAmr run(parameters);
  EXPECT_EQ(level_at(run, 0.3), 2U);
  EXPECT_EQ(level_at(run, 0.8), 0U);
  run.until(0.1);
  EXPECT_EQ(level_at(run, 0.7), 2U);
  EXPECT_EQ(level_at(run, 0.1), 0U) << "it has left";
  EXPECT_EQ(level_at(run, 0.7, 0.05), 0U);
}

// The finest cells are 2^-17 of the coarsest: around a jump or an explosion there are some sub-grids of every level.
TEST(AmrCriteria, SeventeenLevelsCanBeReached) {
  RunningAmr tube("initial.setup = \"sod\"\n[amr]\nroot = [2]\nlow = [\"outflow\"]\nfinest = 17\nregrid_every = 1\n");
  EXPECT_EQ(tube.solver().tree().finest(), 17U);
  EXPECT_LT(tube.solver().tree().size(), 120U);
  const auto before = tube.solver().conserved();
  tube.steps(20);
  EXPECT_EQ(tube.solver().tree().finest(), 17U);
  EXPECT_NEAR(tube.solver().conserved().quantities[0].value[0], before.quantities[0].value[0], 1e-14);

  RunningAmr plane(
      "initial.setup = \"sedov\"\n[amr]\nroot = [1, 1]\nlow = \"outflow\"\nfinest = 17\nregrid_every = 1\n");
  EXPECT_EQ(plane.solver().tree().finest(), 17U);
  const double energy = plane.solver().conserved().quantities[2].value[0];
  plane.steps(10);
  EXPECT_EQ(plane.solver().tree().finest(), 17U);
  EXPECT_NEAR(plane.solver().conserved().quantities[2].value[0], energy, 1e-12 * energy);
}

}  // namespace
}  // namespace tacit::amr
