// Sub-grids of several levels: what passes between them, and what their presence may not change.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "running_amr.hpp"
#include "tacit/solvers/amr/levels.hpp"

namespace tacit::amr {
namespace {

using testing::parameters_of;
using testing::RunningAmr;

std::string explosion_in_levels(int level, const std::string& more = "") {
  return fmt::format(
      "initial.setup = \"sedov\"\n[amr]\nroot = [4, 4, 4]\nlevel = {}\nregions = [{}, 0.3, 0.7, 0.3, 0.7, 0.3, "
      "0.7]\n{}",
      level, level + 1, more);
}

TEST(AmrLevels, TheTreeHasTheLevelsOfItsRegionsAndTheirSurroundings) {
  const Domain domain = parameters_of(
                            "initial.setup = \"wave\"\n[amr]\nroot = [2, 2]\nregions = [3, 0.0, 0.1, 0.0, 0.1, 1, 0.9, "
                            "1.0, 0.9, 1.0]\n")
                            .domain;
  const mesh::Octree tree = make_tree(domain);
  EXPECT_EQ(tree.finest(), 3U);
  EXPECT_EQ(tree.coarsest(), 1U) << "all four roots touch one that is divided twice, around corners of the box too";
  EXPECT_EQ(tree.leaf(tree.covering({3, {0, 0, 0}}).value()).level, 3U);
  EXPECT_GE(most_leaves(domain), 4.0);
}

/// Random gas in all cells, without a step.
struct RandomGas {
  explicit RandomGas(const std::string& text)
      : parameters(parameters_of(text)), tree(make_tree(parameters.domain)), grids(parameters.domain, tree.size()) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(0.1, 1.0);
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      const auto U = grids.now(leaf);
      for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
        for (std::size_t k = 0; k < 4; ++k) U.of(k)[cell] = number(random);
        U.of(4)[cell] = kinetic_energy({U.first, U.next}, cell) + number(random);
      }
    }
  }
  AmrParameters parameters;
  mesh::Octree tree;
  SubGrids grids;
};

TEST(AmrLevels, PartsOfACellHaveItsMeanAndAreValid) {
  for (const char* roots : {"[2, 2, 2]", "[2, 2]", "[2]"}) {
    const RandomGas gas(fmt::format("initial.setup = \"wave\"\n[amr]\nroot = {}\n", roots));
    const Levels levels(gas.parameters.domain, gas.parameters.gamma, gas.tree);
    const std::size_t count = std::size_t{1} << gas.parameters.domain.dimensions;
    int sloped = 0;
    for (std::int64_t x = 0; x < 16; ++x) {
      const Levels::Cell cell{x, gas.parameters.domain.dimensions > 1 ? 7 : 0, 0};
      const Levels::Values here = levels.at(0, cell, {gas.grids});
      NearbyLeaves near(gas.tree);
      const auto parts = levels.parts_of(0, cell, {gas.grids}, near);
      sloped += parts[0] != here ? 1 : 0;
      for (std::size_t k = 0; k < kernels::variables; ++k) {
        double mean = 0.0;
        for (std::size_t i = 0; i < count; ++i) mean += parts[i][k] / static_cast<double>(count);
        EXPECT_NEAR(mean, here[k], 8 * 2e-16);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const GasState part = gas_of(kernels::Variables<const double>{parts[i].data(), 1}, 0, gas.parameters.gamma);
        EXPECT_GT(part.rho, 0.0);
        EXPECT_GT(part.P, 0.0);
      }
    }
    EXPECT_GT(sloped, 3);
  }
}

/// Limiters do not see to it that slopes of species add up to that of the gas.
TEST(AmrLevels, PartsOfACellHaveTheSpeciesOfTheirGas) {
  RandomGas gas("initial.setup = \"wave\"\n[amr]\nroot = [2, 2, 2]\nspecies = 3\n");
  const kernels::Fields fields{.species = 3};
  gas.grids = SubGrids(gas.parameters.domain, gas.tree.size(), fields);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(0.1, 1.0);
  for (std::size_t leaf = 0; leaf < gas.tree.size(); ++leaf) {
    const auto U = gas.grids.now(leaf);
    for (std::size_t cell = 0; cell < gas.grids.cells(); ++cell) {
      U.of(0)[cell] = 0.0;
      for (std::size_t k = fields.first_species(); k < fields.count(); ++k)
        U.of(0)[cell] += U.of(k)[cell] = number(random);
      for (std::size_t k = 1; k < 4; ++k) U.of(k)[cell] = number(random);
      U.of(4)[cell] = kinetic_energy({U.first, U.next}, cell) + 5.0;
    }
  }
  const Levels levels(gas.parameters.domain, gas.parameters.gamma, gas.tree);
  int sloped = 0;
  for (std::int64_t x = 0; x < 16; ++x) {
    const Levels::Cell cell{x, 7, 3};
    NearbyLeaves near(gas.tree);
    const auto parts = levels.parts_of(0, cell, {gas.grids}, near);
    sloped += parts[0] != parts[7] ? 1 : 0;
    for (const Levels::Values& part : parts)
      EXPECT_NEAR(part[fields.first_species()] + part[fields.first_species() + 1] + part[fields.first_species() + 2],
                  part[0], 2e-15);
  }
  EXPECT_GT(sloped, 3);
}

/// More nodes than it remembers, in an order in which some are asked for again.
TEST(AmrLevels, NearbyLeavesHasTheAnswersOfTheTree) {
  const mesh::Octree tree = make_tree(parameters_of(explosion_in_levels(1)).domain);
  NearbyLeaves near(tree);
  std::mt19937 random(4);
  std::vector<mesh::Node> asked;
  for (int turn = 0; turn < 2000; ++turn) {
    const auto level = static_cast<std::uint32_t>(random() % 4);
    mesh::Node node{level, {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
      node.at[axis] = static_cast<std::int64_t>(random()) % tree.nodes(axis, level);
    if (turn % 3 > 0) node = asked[asked.size() - 1 - random() % std::min<std::size_t>(asked.size(), 12)];
    asked.push_back(node);
    EXPECT_EQ(near.covering(node), tree.covering(node));
  }
}

TEST(AmrLevels, ACellThatIsDividedIsTheMeanOfItsParts) {
  const RandomGas gas(
      "initial.setup = \"wave\"\n[amr]\nroot = [2, 2, 2]\nregions = [1, 0.0, 0.4, 0.0, 0.4, 0.0, 0.4]\n");
  const Levels levels(gas.parameters.domain, gas.parameters.gamma, gas.tree);
  const Levels::Values mean = levels.at(0, {3, 2, 1}, {gas.grids});
  Levels::Values sum{};
  for (std::int64_t i = 0; i < 8; ++i) {
    const Levels::Values part = levels.at(1, {6 + (i & 1), 4 + (i >> 1 & 1), 2 + (i >> 2)}, {gas.grids});
    for (std::size_t k = 0; k < kernels::variables; ++k) sum[k] += part[k] / 8.0;
  }
  for (std::size_t k = 0; k < kernels::variables; ++k) EXPECT_NEAR(mean[k], sum[k], 8 * 4e-16);
}

TEST(AmrLevels, AUniformFlowStaysAsItIs) {
  RunningAmr run(
      "initial.setup = \"wave\"\nwave.amplitude = 1e-300\n[amr]\nroot = [2, 2, 2]\n"
      "regions = [1, 0.2, 0.6, 0.2, 0.6, 0.2, 0.6]\n");
  const std::vector<double> before = run.state();
  run.steps(5);
  const std::vector<double> after = run.state();
  // Waves of 1e-300 leave momenta of that size; densities and energies are numbers around 1.
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 1e-15);
}

TEST(AmrLevels, SumsAreKeptAcrossThemInEveryDimension) {
  for (const auto& [roots, regions] : {std::array<std::string, 2>{"[2, 2, 2]", "[1, 0.3, 0.7, 0.3, 0.7, 0.3, 0.4]"},
                                       {"[4, 2]", "[2, 0.3, 0.7, 0.1, 0.2]"},
                                       {"[4]", "[3, 0.45, 0.55]"}}) {
    RunningAmr run(fmt::format("initial.setup = \"sedov\"\n[amr]\nroot = {}\nregions = {}\n", roots, regions));
    const auto before = run.solver().conserved();
    run.steps(25);
    const auto after = run.solver().conserved();
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
      const double value = before.quantities[k].value[0];
      EXPECT_NEAR(after.quantities[k].value[0], value, 1e-13 * value) << roots;
    }
    for (const double momentum : after.quantities[1].value) {
      EXPECT_NEAR(momentum, 0.0, 1e-13 * after.quantities[1].scale) << roots;
    }
    EXPECT_GT(after.quantities[1].scale, 1e-3) << "it has come to move";
  }
}

TEST(AmrLevels, OctantsOfAnExplosionAreMirroredBitByBit) {
  const std::string text = explosion_in_levels(0);
  RunningAmr run(text);
  run.steps(25);
  const Domain domain = parameters_of(text).domain;
  std::map<std::array<std::int64_t, 4>, std::array<double, 5>> cells;
  const mesh::Octree& tree = run.solver().tree();
  ASSERT_GT(tree.finest(), tree.coarsest());
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const auto U = run.solver().grids().now(leaf);
    for (std::size_t cell = 0; cell < run.solver().grids().cells(); ++cell) {
      const auto at = coordinates_of(domain, tree.leaf(leaf), cell);
      for (std::size_t k = 0; k < 5; ++k) cells[{tree.leaf(leaf).level, at[0], at[1], at[2]}][k] = U.of(k)[cell];
    }
  }
  for (const auto& [at, values] : cells) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto there = at;
      there[1 + axis] = domain.cells(axis, static_cast<std::uint32_t>(at[0])) - 1 - at[1 + axis];
      auto mirrored = cells.at(there);
      mirrored[1 + axis] = -mirrored[1 + axis];
      ASSERT_EQ(values, mirrored) << at[0] << ": " << at[1] << " " << at[2] << " " << at[3];
    }
  }
}

TEST(AmrLevels, ATubeHasNoVelocityAcross) {
  RunningAmr run(
      "initial.setup = \"sod\"\n[amr]\nroot = [4, 1, 1]\nlow = [\"outflow\"]\n"
      "regions = [1, 0.5, 0.75, 0.0, 1.0, 0.0, 1.0]\n");
  RunningAmr coarse("initial.setup = \"sod\"\n[amr]\nroot = [4, 1, 1]\nlow = [\"outflow\"]\n");
  ASSERT_EQ(run.solver().tree().finest(), 1U);
  run.until(0.2);
  coarse.until(0.2);
  EXPECT_EQ(run.statistic("largest_vy"), 0.0);
  EXPECT_EQ(run.statistic("largest_vz"), 0.0);
  EXPECT_LT(run.statistic("error_density"), coarse.statistic("error_density"));
}

TEST(AmrLevels, ObliqueWavesThroughARefinedRegionHaveOrderOneAndAHalf) {
  const auto error = [](int level) {
    RunningAmr run(
        fmt::format("initial.setup = \"wave\"\nwave.waves = [1, 1]\n[amr]\nroot = [2, 1]\nbox = [1.0, 0.5, "
                    "1.0]\nlevel = {}\nlimiter = \"van_leer\"\nregions = [{}, 0.25, 0.5, 0.125, 0.375]\n",
                    level, level + 1));
    EXPECT_EQ(run.solver().tree().finest(), run.solver().tree().coarsest() + 1);
    run.until(1.0 / (std::sqrt(1.4 * 0.6) * std::sqrt(5.0)));
    return run.statistic("error_density");
  };
  EXPECT_GE(std::log2(error(2) / error(3)), 1.5);
}

TEST(AmrLevels, APulseIsHardlyReflectedWhereTheLevelChanges) {
  const auto reflected = [](int roots, const char* limiter) {
    const std::string text = fmt::format(
        "initial.setup = \"wave\"\nwave.pulse = 0.25\n[amr]\nroot = [{}]\nlow = [\"outflow\"]\nregions = [1, 0.5, "
        "1.0]\nlimiter = \"{}\"\n",
        roots, limiter);
    RunningAmr run(text);
    run.until(0.55 / std::sqrt(1.4 * 0.6));  // now it is at 0.8, and what comes back would be at 0.2
    const Domain domain = parameters_of(text).domain;
    double largest = 0.0;
    for (std::size_t leaf = 0; leaf < run.solver().tree().size(); ++leaf) {
      const auto U = run.solver().grids().now(leaf);
      for (std::size_t cell = 0; cell < run.solver().grids().cells(); ++cell) {
        if (centre_of(domain, run.solver().tree().leaf(leaf), cell)[0] > 0.4) continue;
        largest = std::max(largest, std::abs(U.of(0)[cell] - 1.0) / 1e-6);
      }
    }
    return largest;
  };
  // Of a pulse of 16 coarse cells; with fewer roots of 8, with more of 32.
  EXPECT_LT(reflected(8, "mc"), 0.01);
  EXPECT_LT(reflected(8, "van_leer"), 0.01);
  EXPECT_LT(reflected(8, "van_leer"), 0.5 * reflected(4, "van_leer"));
  EXPECT_LT(reflected(16, "van_leer"), 0.5 * reflected(8, "van_leer"));
}

TEST(AmrLevels, TwoThreadsGiveTheBitsOfOne) {
  RunningAmr one(explosion_in_levels(0), 1);
  RunningAmr two(explosion_in_levels(0), 2);
  one.steps(10);
  two.steps(10);
  EXPECT_EQ(one.state(), two.state());
}

}  // namespace
}  // namespace tacit::amr
