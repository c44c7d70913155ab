// Sub-grids that follow the gas: errors as if all were fine, sums, symmetries, threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "running_amr.hpp"
#include "tacit/solvers/amr/initial_state.hpp"
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
  run.steps(16);
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
  one.steps(6);
  two.steps(6);
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
  comm::Communicator alone(comm::bootstrap_alone());
  Mover mover(parameters, scheduler, alone);
  const mesh::Octree coarse = make_tree(parameters.domain);
  SubGrids grids(parameters.domain, coarse.size());
  ASSERT_TRUE(set_initial(parameters, coarse, grids));
  const auto state = [&] {
    std::vector<double> numbers;
    for (std::size_t leaf = 0; leaf < grids.leaves(); ++leaf) {
      const auto U = grids.now(leaf);
      numbers.insert(numbers.end(), U.first, U.first + kernels::variables * U.next);
    }
    return numbers;
  };
  const std::vector<double> before = state();
  const mesh::Octree fine = adapted(parameters, coarse, std::vector<Indicators>(coarse.size(), {1.0, 1.0}));
  ASSERT_EQ(fine.size(), 16U);
  mover.move(coarse, fine, mesh::LeafDivision(fine.size(), 1), grids);
  ASSERT_EQ(grids.leaves(), 16U);
  const std::size_t held = grids.bytes_held();
  const mesh::Octree again = adapted(parameters, fine, std::vector<Indicators>(fine.size()));
  ASSERT_EQ(again.size(), 4U);
  mover.move(fine, again, mesh::LeafDivision(again.size(), 1), grids);
  const std::vector<double> after = state();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 4 * 4.5e-16);
  mover.move(again, fine, mesh::LeafDivision(fine.size(), 1), grids);
  EXPECT_EQ(grids.bytes_held(), held) << "the memory of what went is not used again";
}

/// A dense blob that drifts through a periodic box under the pressure of the gas around it.
AmrParameters drifting_blob() {
  AmrParameters parameters = parameters_of(
      "initial.setup = \"wave\"\n[amr]\nroot = [4, 4]\nfinest = 2\nrefine_above = 0.05\ncoarsen_below = 0.03\n"
      "regrid_every = 1\n");
  parameters.initial.exact = {};
  parameters.initial.state = [](const Point& x) {
    const double r = std::hypot(x[0] - 0.3, x[1] - 0.4);
    return GasState{r < 0.1 ? 4.0 : 1.0, {3.0, 1.5, 0.0}, 1.0};
  };
  return parameters;
}

TEST(AmrRegrid, MemoryAfterFiveHundredOfThemIsThatAfterFifty) {
  RunningAmr run(drifting_blob());
  std::size_t changes = 0;
  std::size_t early = 0;
  std::vector<mesh::Node> before;
  for (std::size_t regrid = 1; regrid <= 500; ++regrid) {
    run.steps(1);
    const auto now = run.solver().tree().leaves();
    if (!std::ranges::equal(now, before)) ++changes;
    before.assign(now.begin(), now.end());
    if (regrid == 50) early = run.solver().bytes_held();
  }
  EXPECT_GT(changes, 50U) << "hardly anything was adapted";
  EXPECT_GT(3.0 * run.time(), 1.0) << "it has drifted through the box";
  EXPECT_LE(static_cast<double>(run.solver().bytes_held()), 1.02 * static_cast<double>(early));
  // Two states of all cells, an eighth of room at most, and what lies beside sub-grids.
  EXPECT_LT(early, 2 * 250 * run.solver().elements());
}

TEST(AmrRegrid, MoreSubGridsThanARunMayHaveEndItWithItsLastState) {
  const std::string text =
      "initial.setup = \"sedov\"\n[amr]\nroot = [8, 8]\nfinest = 2\nregrid_every = 2\nmost_sub_grids = ";
  RunningAmr bounded(text + "160\n");
  RunningAmr free(text + "100000\n");
  std::string message;
  while (message.empty() && bounded.time() < 1.0) {
    try {
      bounded.steps(1);
      free.steps(1);
    } catch (const engine::NumericsError& error) {
      message = error.what();
    }
  }
  EXPECT_NE(message.find("sub-grids ("), std::string::npos) << message;
  EXPECT_NE(message.find("more than amr.most_sub_grids = 160;"), std::string::npos) << message;
  EXPECT_NE(message.find("--restart"), std::string::npos) << message;
  EXPECT_EQ(bounded.time(), free.time());
  EXPECT_LE(bounded.solver().tree().size(), 160U);
  EXPECT_GT(free.solver().tree().size(), 160U);
  // What is kept is the state of both: the other one's has only been divided.
  const auto of = [](const RunningAmr& run) { return run.solver().conserved().quantities[2].value[0]; };
  EXPECT_NEAR(of(bounded), of(free), 1e-13 * of(free));
  EXPECT_THROW(RunningAmr(text + "70\n"), base::Error) << "which the initial conditions exceed";
}

}  // namespace
}  // namespace tacit::amr
