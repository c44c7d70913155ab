// Sub-grids that follow the gas: errors as if all were fine, sums, symmetries, threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "running_amr.hpp"
#include "tacit/solvers/amr/regrid.hpp"

namespace tacit::amr {
namespace {

using testing::parameters_of;
using testing::RunningAmr;

const std::string adaptive_explosion =
    "initial.setup = \"sedov\"\n[amr]\nroot = [4, 4, 4]\nfinest = 1\nregrid_every = 2\n";

TEST(AmrRegrid, ATubeHasTheErrorOfTheUniformGridOnFewerCells) {
  const std::string tube = "initial.setup = \"sod\"\n[amr]\nroot = [8]\nlow = [\"outflow\"]\n";
  RunningAmr uniform(tube + "level = 4\n");
  RunningAmr adaptive(tube + "finest = 4\nrefine_above = 0.02\ncoarsen_below = 0.01\n");
  uniform.until(0.2);
  adaptive.until(0.2);
  EXPECT_LT(adaptive.statistic("error_density"), 1.1 * uniform.statistic("error_density"));
  EXPECT_LT(adaptive.solver().elements(), 0.7 * static_cast<double>(uniform.solver().elements()));
}

TEST(AmrRegrid, SumsAreKeptAndOctantsMirroredBitByBit) {
  RunningAmr run(adaptive_explosion);
  const auto before = run.solver().conserved();
  const std::uint64_t cells = run.solver().elements();
  run.steps(40);
  EXPECT_NE(run.solver().elements(), cells) << "nothing was adapted";
  const auto after = run.solver().conserved();
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
    const double value = before.quantities[k].value[0];
    EXPECT_NEAR(after.quantities[k].value[0], value, 1e-13 * value);
  }
  for (const double momentum : after.quantities[1].value) EXPECT_NEAR(momentum, 0.0, 1e-13 * after.quantities[1].scale);
  const mesh::Octree& tree = run.solver().tree();
  for (const mesh::Node& leaf : tree.leaves()) {
    mesh::Node mirrored = leaf;
    for (std::size_t axis = 0; axis < 3; ++axis) mirrored.at[axis] = tree.nodes(axis, leaf.level) - 1 - leaf.at[axis];
    const auto there = tree.covering(mirrored);
    ASSERT_TRUE(there.has_value());
    ASSERT_EQ(tree.leaf(*there), mirrored);
    // The last cell of the one is the first of the other.
    const auto U = run.solver().grids().now(tree.covering(leaf).value());
    const auto V = run.solver().grids().now(*there);
    const std::size_t last = run.solver().grids().cells() - 1;
    for (std::size_t cell = 0; cell <= last; ++cell) {
      ASSERT_EQ(U.of(0)[cell], V.of(0)[last - cell]);
      ASSERT_EQ(U.of(1)[cell], -V.of(1)[last - cell]);
      ASSERT_EQ(U.of(4)[cell], V.of(4)[last - cell]);
    }
  }
}

TEST(AmrRegrid, TwoThreadsGiveTheBitsOfOne) {
  RunningAmr one(adaptive_explosion, 1);
  RunningAmr two(adaptive_explosion, 2);
  one.steps(12);
  two.steps(12);
  EXPECT_EQ(one.state(), two.state());
}

TEST(AmrRegrid, BehindAPulseSubGridsBecomeCoarserAgain) {
  RunningAmr run(
      "initial.setup = \"wave\"\nwave.pulse = 0.1\nwave.amplitude = 0.2\n[amr]\nroot = [16]\nfinest = 2\n"
      "refine_above = 0.005\ncoarsen_below = 0.002\n");
  const auto level_at = [&](double x) {
    const mesh::Octree& tree = run.solver().tree();
    return tree.leaf(tree.covering({4, {static_cast<std::int64_t>(x * 256.0), 0, 0}}).value()).level;
  };
  EXPECT_EQ(level_at(0.27), 2U);
  EXPECT_EQ(level_at(0.8), 0U);
  std::uint64_t most = run.solver().elements();
  while (run.time() < 0.5) {
    run.steps(1);
    most = std::max(most, run.solver().elements());
  }
  EXPECT_LE(level_at(0.27), 1U);
  EXPECT_EQ(level_at(0.25 + 0.5 * 0.93), 2U);
  EXPECT_LT(most, 320U) << "of 512 if all were fine";
}

TEST(AmrRegrid, ADivisionAndAJoinGiveBackTheSums) {
  const AmrParameters parameters =
      parameters_of("initial.setup = \"sod\"\n[amr]\nroot = [2, 2]\nlow = [\"outflow\"]\nfinest = 1\n");
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  const mesh::Octree coarse = make_tree(parameters.domain);
  SubGrids from(parameters.domain, coarse.size());
  ASSERT_TRUE(set_initial(parameters, coarse, from));
  const std::vector<double> jumps(coarse.size(), 1.0);
  const mesh::Octree fine = adapted(parameters, coarse, jumps);
  ASSERT_EQ(fine.size(), 16U);
  SubGrids middle(parameters.domain, fine.size());
  transfer(parameters, coarse, from, fine, middle, scheduler);
  const mesh::Octree again = adapted(parameters, fine, std::vector<double>(fine.size(), 0.0));
  ASSERT_EQ(again.size(), 4U);
  SubGrids back(parameters.domain, again.size());
  transfer(parameters, fine, middle, again, back, scheduler);
  for (std::size_t leaf = 0; leaf < 4; ++leaf) {
    for (std::size_t i = 0; i < kernels::variables * from.cells(); ++i) {
      EXPECT_NEAR(back.now(leaf).first[i], from.now(leaf).first[i], 4 * 4.5e-16);
    }
  }
}

}  // namespace
}  // namespace tacit::amr
