// amr on several ranks and threads: the same bits as on one, whatever moves, and after restarts on other counts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "outcomes.hpp"
#include "running_amr.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/engine/error.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::amr {
namespace {

using testing::adaptive_gas;
using testing::column;
using testing::moving_explosion;
using testing::Outcome;
using testing::outcome_of;
using testing::own_leaves;
using testing::parameters_of;
using testing::rough_gas;
using testing::RunningAmr;

/// On four ranks of one worker; `with_two` also on two of two.
void expect_same_on_ranks(const AmrParameters& parameters, std::size_t steps, bool moves = false,
                          bool with_two = false) {
  const Outcome alone = outcome_of(parameters, {.steps = steps});
  for (const double value : alone.state) ASSERT_TRUE(std::isfinite(value));
  for (const std::size_t ranks : {4U, 2U}) {
    if (ranks == 2 && !with_two) continue;
    const Outcome found = outcome_of(parameters, {.ranks = ranks, .workers = ranks < 3 ? 2U : 1U, .steps = steps});
    EXPECT_TRUE(found == alone) << ranks << " ranks, " << alone.leaves.size() << " sub-grids";
    if (moves) {
      EXPECT_FALSE(found.moved.empty()) << "no sub-grid has changed its rank";
    }
  }
}

/// Cold streams that collide, with levels: a step would leave a negative pressure on one rank, and all halve it.
TEST(AmrRanks, StepsThatAreMadeAgainHaveTheBitsOfOneRank) {
  AmrParameters parameters = parameters_of(
      "initial.setup = \"sod\"\n[amr]\ngamma = 1.6666666666666667\nlow = [\"outflow\"]\nroot = [4]\n"
      "box = [2.0, 1.0, 1.0]\nfinest = 2\nlimiter = \"minmod\"\n");
  parameters.initial = {.state = [](const Point& x) {
    return GasState{1.0, {x[0] < 1.0 ? 1.0 : -1.0, 0.0, 0.0}, 1e-6};
  }};
  constexpr std::size_t steps = 40;
  expect_same_on_ranks(parameters, steps, false, true);
  RunningAmr halved(parameters);
  const double mass = halved.solver().conserved().quantities[0].value[0];
  halved.steps(steps);
  const std::vector<std::string> said = halved.new_warnings();
  ASSERT_EQ(said.size(), 1U) << "no step was made again";
  EXPECT_NE(said[0].find("is made again in halves"), std::string::npos) << said[0];
  // What has come in at both sides, where nothing else has arrived.
  EXPECT_NEAR(column(halved, "mass"), mass + 2.0 * halved.time(), 1e-12);
  EXPECT_NEAR(column(halved, "mass_left"), -2.0 * halved.time(), 1e-12);
  parameters.halvings = 0;
  RunningAmr plain(parameters);
  EXPECT_THROW(plain.steps(steps), engine::NumericsError);
}

/// With sums over all cells in each stage, and potentials at the faces between levels.
TEST(AmrRanks, GravityHasTheBitsOfOneRank) {
  const std::string open_with_gravity = "low = \"outflow\"\n[gravity]\nself = true\n";
  expect_same_on_ranks(rough_gas("root = [2, 1, 1]\nbox = [2.0, 1.0, 1.0]\nlevel = 1\n" + open_with_gravity), 2, false,
                       true);
  const AmrParameters nested = rough_gas(
      "root = [1, 1, 1]\nlevel = 1\nregions = [2, 0.0, 0.7, 0.3, 0.7, 0.6, 1.0, 3, 0.3, 0.45, 0.55, 0.6, 0.7, 0.8]\n"
      "frame = \"rotating\"\nframe_rotation = 0.7\nspecies = 1\n" +
      open_with_gravity);
  ASSERT_GE(make_tree(nested.domain).finest(), make_tree(nested.domain).coarsest() + 1);
  expect_same_on_ranks(nested, 2, false, true);
}

/// One more layer of cells is seen, and there is one more stage.
TEST(AmrRanks, ParabolasAndThreeStagesHaveTheBitsOfOneRank) {
  const std::string ppm = "reconstruction = \"ppm\"\nintegrator = \"rk3\"\n";
  const std::string levels = "regions = [1, 0.0, 0.3, 0.0, 0.3, 0.0, 0.3]\n";
  expect_same_on_ranks(rough_gas("root = [2, 2, 2]\nspecies = 1\n" + levels + ppm), 3, false, true);
  expect_same_on_ranks(rough_gas("root = [4, 3]\nregions = [3, 0.45, 0.55, 0.3, 0.5]\n" + ppm), 6);
  expect_same_on_ranks(rough_gas("root = [3, 3]\nlow = [\"reflecting\", \"outflow\"]\n"
                                 "regions = [2, 0.0, 0.2, 0.0, 0.2, 2, 0.9, 1.0, 0.9, 1.0]\n" +
                                 ppm),
                       6);
  expect_same_on_ranks(
      rough_gas("root = [1, 1, 1]\nlevel = 1\nlow = \"outflow\"\n" +
                ("regions = [2, 0.3, 0.45, 0.55, 0.6, 0.7, 0.8]\n" + ppm) + "[gravity]\nself = true\n"),
      2, false, true);
}

TEST(AmrRanks, OneLevelHasTheBitsOfOneRank) {
  for (const char* amr : {"root = [2, 3, 1]\n", "root = [5, 2]\nlow = [\"outflow\", \"reflecting\"]\n",
                          "root = [7]\nblock = 16\n", "root = [2, 2]\n"}) {
    expect_same_on_ranks(rough_gas(amr), 6);
  }
}

/// Every kind of neighbour is somewhere on another rank: levels meet along each axis, around a periodic box and in its
/// corners, at sides, and in edges.
TEST(AmrRanks, LevelsHaveTheBitsOfOneRank) {
  expect_same_on_ranks(rough_gas("root = [2, 2, 2]\nregions = [1, 0.0, 0.3, 0.0, 0.3, 0.0, 0.3]\n"), 5);
  expect_same_on_ranks(rough_gas("root = [4, 3]\nregions = [3, 0.45, 0.55, 0.3, 0.5]\n"), 6);
  expect_same_on_ranks(rough_gas("root = [3, 3]\nlow = [\"reflecting\", \"outflow\"]\n"
                                 "regions = [2, 0.0, 0.2, 0.8, 1.0, 1, 0.9, 1.0, 0.0, 0.1]\n"),
                       6);
  expect_same_on_ranks(rough_gas("root = [6]\nregions = [4, 0.0, 0.05, 2, 0.7, 0.75]\n"), 6);
  expect_same_on_ranks(rough_gas("root = [2, 1]\nblock = 16\nregions = [1, 0.5, 1.0, 0.0, 1.0]\n"), 4);
}

TEST(AmrRanks, SubGridsThatFollowTheGasHaveTheBitsOfOneRank) {
  expect_same_on_ranks(adaptive_gas(moving_explosion), 8, true, true);
  expect_same_on_ranks(adaptive_gas("root = [8]\nfinest = 5\nregrid_every = 1\n"), 12, true);
  expect_same_on_ranks(adaptive_gas("root = [2, 2, 2]\nlevel = 1\nfinest = 2\nregrid_every = 2\nrefine_above = 0.2\n"
                                    "coarsen_below = 0.15\n"),
                       4, true);
}

/// What leaves cost in tests: those of the first half of the curve ten times as much as others.
std::uint64_t uneven_cost(const mesh::Node& leaf) {
  return 2 * leaf.at[1] < std::int64_t{3} << leaf.level ? 1000 : 100;
}

AmrParameters fixed_gas_by_cost() {
  AmrParameters parameters = rough_gas("root = [4, 3]\nregions = [2, 0.3, 0.6, 0.3, 0.6]\nrebalance = \"cost\"\n");
  parameters.regrid_every = 2;
  return parameters;
}

TEST(AmrRanks, SubGridsByCostHaveTheBitsOfOneRank) {
  const std::string by_cost = std::string(moving_explosion) + "rebalance = \"cost\"\n";
  for (AmrParameters parameters : {adaptive_gas(by_cost), fixed_gas_by_cost()}) {
    expect_same_on_ranks(parameters, 7);  // as measured
    parameters.cost_of = uneven_cost;
    expect_same_on_ranks(parameters, 7, true);
  }
}

TEST(AmrRanks, RanksHaveWhatCostsAlike) {
  AmrParameters parameters = fixed_gas_by_cost();
  parameters.cost_of = uneven_cost;
  std::vector<std::uint64_t> costs;
  const mesh::Octree tree = make_tree(parameters.domain);
  for (const mesh::Node& leaf : tree.leaves()) costs.push_back(uneven_cost(leaf));
  for (const std::size_t ranks : {2U, 4U}) {
    const auto best = static_cast<double>(mesh::largest_cost(mesh::divided_by_cost(costs, ranks), costs));
    const mesh::LeafDivision by_count(tree.size(), ranks);
    ASSERT_GT(static_cast<double>(mesh::largest_cost(by_count, costs)), mesh::least_gain_of_division * best);
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      RunningAmr run(parameters, 1, world);
      EXPECT_EQ(run.solver().grids().share().division, by_count) << "nothing is known at the begin";
      run.steps(2);
      const mesh::LeafDivision division = run.solver().grids().share().division;
      EXPECT_EQ(static_cast<double>(mesh::largest_cost(division, costs)), best);
      run.steps(2);
      EXPECT_EQ(run.solver().grids().share().division, division);
      world.synchronise();
    });
  }
}

TEST(AmrRanks, AnExplosionIsPutInByAllRanksTogether) {
  for (const char* amr : {"root = [4, 4, 4]\nfinest = 1\nregrid_every = 2\n", "root = [4, 4]\nfinest = 4\n"}) {
    expect_same_on_ranks(parameters_of(std::string("initial.setup = \"sedov\"\n[amr]\n") + amr), 3);
  }
}

void expect_goes_on(const AmrParameters& parameters, std::size_t before, std::size_t after) {
  const test::TemporaryFolder folder;
  const Outcome whole = outcome_of(parameters, {.ranks = 2, .steps = before + after});
  for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{1, 4}, {3, 1}}) {
    const auto path = folder / fmt::format("{} {}", first, second);
    const Outcome early = outcome_of(parameters, {.ranks = first, .steps = before, .to = path});
    EXPECT_FALSE(early.leaves == whole.leaves) << "nothing was adapted";
    const Outcome later = outcome_of(
        parameters, {.ranks = second, .steps = after, .from = path, .begin = early.numbers[0], .before = before});
    EXPECT_TRUE(later == whole) << first << " to " << second;
  }
}

TEST(AmrRanks, ARunGoesOnOnAnotherNumberOfRanks) { expect_goes_on(adaptive_gas(moving_explosion), 5, 6); }

TEST(AmrRanks, ARunOfThreeStagesGoesOnOnAnotherNumberOfRanks) {
  expect_goes_on(adaptive_gas(moving_explosion + std::string("reconstruction = \"ppm\"\nintegrator = \"rk3\"\n")), 5,
                 6);
}

/// Has two kinds of gas lose angular momentum, and the frame turn with them.
AmrParameters followed(AmrParameters parameters) {
  parameters.follows_stars = true;
  parameters.follow_every = 1;
  parameters.driving = Driving{.rate = 0.5};
  return parameters;
}

/// Fields are in no checkpoint, and are found again; how the frame turns, and what driving has taken, is in it.
TEST(AmrRanks, ARunWithGravityGoesOnOnAnotherNumberOfRanks) {
  expect_goes_on(followed(adaptive_gas("root = [1, 1, 1]\nlevel = 2\nfinest = 3\nregrid_every = 2\nrefine_above = 0.4\n"
                                       "coarsen_below = 0.3\nlow = \"outflow\"\nspecies = 2\nframe = \"rotating\"\n"
                                       "frame_rotation = 0.7\n[gravity]\nself = true\n")),
                 1, 1);
}

/// What ranks see of each other is brought up to date for it: a restart has not sent anything yet.
TEST(AmrRanks, TheFirstThingAfterARestartMayBeANewTree) {
  const test::TemporaryFolder folder;
  const AmrParameters parameters = adaptive_gas(moving_explosion);
  const auto path = folder / "checkpoint";
  static_cast<void>(outcome_of(parameters, {.steps = 7, .to = path}));
  const auto tree_on = [&](std::size_t ranks) {
    std::vector<mesh::Node> leaves;
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      const io::FileReader checkpoint(path);
      RunningAmr run(parameters, 1, world, &checkpoint);
      const std::vector<mesh::Node> before(run.solver().tree().leaves().begin(), run.solver().tree().leaves().end());
      run.adapt();
      if (number(world.rank()) == 0) {
        leaves.assign(run.solver().tree().leaves().begin(), run.solver().tree().leaves().end());
        EXPECT_NE(leaves, before) << "nothing was adapted";
      }
      world.synchronise();
    });
    return leaves;
  };
  const std::vector<mesh::Node> alone = tree_on(1);
  EXPECT_EQ(tree_on(2), alone);
  EXPECT_EQ(tree_on(4), alone);
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(AmrRanks, FilesHaveTheBytesOfOneRank) {
  const test::TemporaryFolder folder;
  const AmrParameters parameters = adaptive_gas(moving_explosion);
  for (const std::size_t ranks : {1U, 3U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      RunningAmr run(parameters, 1, world);
      run.steps(5);
      for (const bool is_double : {false, true}) {
        // A level that some rank has nothing of is among them.
        io::FileWriter file(folder / fmt::format("checkpoint {}", ranks), 0, world);
        run.solver().save(file);
        file.commit();
        run.solver().write_snapshot(folder / fmt::format("snapshot {} {}", is_double, ranks),
                                    {.double_precision = is_double});
      }
      world.synchronise();
    });
    for (const char* name : {"checkpoint", "snapshot true", "snapshot false"}) {
      const std::string alone = text_of(folder / fmt::format("{} 1", name));
      EXPECT_GT(alone.size(), 10000U);
      EXPECT_TRUE(text_of(folder / fmt::format("{} {}", name, ranks)) == alone) << name << " of " << ranks;
    }
  }
}

TEST(AmrRanks, GasThatFailsIsNamedOnAllRanksInTheSameWords) {
  AmrParameters parameters = rough_gas("root = [4, 2]\n");
  parameters.cfl = 40.0;
  parameters.halvings = 1;  // which is not enough
  std::set<std::string> texts;
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    std::atomic<std::size_t> heard{0};
    std::mutex mutex;
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      RunningAmr run(parameters, 1, world);
      try {
        run.steps(8);
      } catch (const engine::NumericsError& error) {
        heard += error.flaw().element.has_value() && error.flaw().is_known_to_all ? 1 : 0;
        const std::lock_guard lock(mutex);
        texts.insert(error.what());
      }
      world.synchronise();
    });
    EXPECT_EQ(heard, ranks);
  }
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts.begin()->find("of the cell ("), std::string::npos) << *texts.begin();
}

TEST(AmrRanks, WhatCopiesTakeIsPredicted) {
  for (const char* amr : {"root = [8, 8, 8]\n", "root = [4, 4, 4]\nregions = [1, 0.2, 0.8, 0.2, 0.8, 0.2, 0.8]\n",
                          "root = [16, 16]\nregions = [2, 0.2, 0.8, 0.2, 0.8]\n", "root = [64]\n"}) {
    const AmrParameters parameters = rough_gas(amr);
    const mesh::Octree tree = make_tree(parameters.domain);
    for (const std::size_t ranks : {1U, 2U, 8U, 20U}) {
      double bytes = 0.0;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const SubGrids grids(parameters.domain, share_of(parameters.domain, tree, ranks, comm::RankId{rank}));
        bytes += static_cast<double>(grids.copied().size() * grids.cells() * kernels::variables * sizeof(double));
      }
      // Parts of a curve are no cubes, and those at sides of the box see less.
      const double predicted = memory_of_copies(parameters, static_cast<double>(tree.size()), ranks);
      EXPECT_GE(predicted, 0.6 * bytes) << amr << ranks;
      EXPECT_LE(predicted, 2.0 * bytes) << amr << ranks;
    }
  }
}

TEST(AmrRanks, TooManySubGridsEndTheRunOnAllRanks) {
  AmrParameters parameters = parameters_of(
      "initial.setup = \"sedov\"\n[amr]\nroot = [8, 8]\nfinest = 2\nregrid_every = 2\nmost_sub_grids = 160\n");
  std::atomic<std::size_t> heard{0};
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    RunningAmr run(parameters, 1, world);
    try {
      run.until(1.0);
    } catch (const engine::NumericsError& error) {
      heard += std::string(error.what()).find("more than amr.most_sub_grids = 160;") != std::string::npos ? 1 : 0;
    }
    world.synchronise();
  });
  EXPECT_EQ(heard, 2U);
}

}  // namespace
}  // namespace tacit::amr
