// Steps by futures: the bits of those of the graph, on any ranks and workers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "unit/solvers/amr/outcomes.hpp"

namespace tacit::amr {
namespace {

using testing::adaptive_gas;
using testing::moving_explosion;
using testing::Outcome;
using testing::outcome_of;
using testing::parameters_of;
using testing::rough_gas;

void expect_bits_of_the_graph(AmrParameters parameters, std::size_t steps, bool moves = false) {
  parameters.order = StepOrder::graph;
  const Outcome graph = outcome_of(parameters, {.steps = steps});
  parameters.order = StepOrder::futures;
  for (const auto& [ranks, workers] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 2}, {2, 2}, {4, 1}}) {
    const Outcome found = outcome_of(parameters, {.ranks = ranks, .workers = workers, .steps = steps});
    EXPECT_TRUE(found == graph) << ranks << " ranks of " << workers << " workers, " << graph.leaves.size()
                                << " sub-grids";
    if (moves && ranks > 1) {
      EXPECT_FALSE(found.moved.empty()) << "no sub-grid has changed its rank";
    }
  }
}

/// Levels meet along each axis, around a periodic box and in its corners: sub-grids see others that do not see them,
/// and fluxes go to coarser ones of other ranks.
TEST(AmrFutures, LevelsHaveTheBitsOfTheGraph) {
  expect_bits_of_the_graph(rough_gas("root = [5, 2]\nlow = [\"outflow\", \"reflecting\"]\n"), 6);
  expect_bits_of_the_graph(rough_gas("root = [4, 3]\nregions = [3, 0.45, 0.55, 0.3, 0.5]\n"), 6);
  expect_bits_of_the_graph(rough_gas("root = [2, 2, 2]\nregions = [1, 0.0, 0.3, 0.0, 0.3, 0.0, 0.3]\n"), 4);
}

TEST(AmrFutures, SubGridsThatFollowTheGasHaveTheBitsOfTheGraph) {
  expect_bits_of_the_graph(adaptive_gas(moving_explosion), 8, true);
}

TEST(AmrFutures, ParabolasAndThreeStagesHaveTheBitsOfTheGraph) {
  expect_bits_of_the_graph(rough_gas("root = [4, 3]\nregions = [3, 0.45, 0.55, 0.3, 0.5]\n"
                                     "reconstruction = \"ppm\"\nintegrator = \"rk3\"\n"),
                           6);
}

/// Both stages are runs of their own then.
TEST(AmrFutures, GravityHasTheBitsOfTheGraph) {
  expect_bits_of_the_graph(rough_gas("root = [1, 1, 1]\nlevel = 1\nregions = [2, 0.3, 0.7, 0.3, 0.7, 0.6, 1.0]\n"
                                     "low = \"outflow\"\n[gravity]\nself = true\n"),
                           2);
}

/// A coroutine waits for the device, or computes where no slot is free.
TEST(AmrFutures, LaunchSlotsHaveTheBitsOfTheGraph) {
  AmrParameters parameters = rough_gas("root = [4, 3]\nregions = [2, 0.45, 0.55, 0.3, 0.5]\n[gpu]\nslots = 3\n");
  parameters.launches.device.failing_share = 0.2;
  parameters.launches.device.random_delay_s = 1e-5;
  parameters.launches.poisons = true;
  expect_bits_of_the_graph(parameters, 4);
}

}  // namespace
}  // namespace tacit::amr
