// The task graph of a step: its tasks and exactly the edges that the lists of neighbours ask for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/loops.hpp"
#include "tacit/solvers/sph/step.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::sph::step_test {
namespace {

/// Four cells in a row; the second sees further than the others.
struct Row {
  explicit Row(bool periodic, bool is_individual = false)
      : grid({{}, {4.0, 1.0, 1.0}, periodic}, 1.0, 10), cells(4), reports(4), scratch(1) {
    EXPECT_TRUE(grid.link(reach, 0.0));
    for (const double x : {0.0, 1.0, 2.0, 3.0}) bounds.push_back({{{x, 0.0, 0.0}, {x + 1.0, 1.0, 1.0}}, 0.0});
    physics.smoothing.h_max = 1.0;
    physics.has_individual_steps = is_individual;
  }
  [[nodiscard]] StepData data() {
    return {physics, grid, loops, units, clock, reach, reach, slack, cells, reports, bounds, scratch};
  }

  SphParameters physics = testing::plain_parameters();
  particles::CellTree grid;
  kernels::vector::PairLoops loops = pair_loops(Kernel::cubic_spline, 3);
  CacheUnits units;
  StepClock clock;
  std::vector<double> reach{0.5, 1.5, 0.5, 0.5};
  std::vector<CellData> cells;
  std::vector<CellReport> reports;
  std::vector<double> slack = std::vector<double>(4, 0.0);
  std::vector<CellBounds> bounds;
  std::vector<Scratch> scratch;
};

std::string dot(const tasks::Graph& graph, const tasks::Activation& activation) {
  std::ostringstream out;
  graph.write_dot(out, activation);
  return out.str();
}

bool has_edge(const std::string& picture, const char* from, std::size_t a, const char* to, std::size_t b) {
  return picture.find(fmt::format("\"{}[{}]\" -> \"{}[{}]\";", from, a, to, b)) != std::string::npos;
}

/// For each cell those that its list holds; of these, those it reaches itself.
struct Lists {
  std::set<std::size_t> all, own;
};
Lists lists_of(const particles::CellTree& grid, std::size_t c) {
  Lists lists;
  for (const auto& n : grid.neighbours(c)) {
    lists.all.insert(n.cell);
    if (n.within_own_reach) lists.own.insert(n.cell);
  }
  return lists;
}

}  // namespace

TEST(SphStep, HasTheTasksOfEachPart) {
  Row row(true);
  const StepData data = row.data();
  const StepGraph step = build_step(data, tasks::Conflicts::any_order);
  EXPECT_EQ(step.graph.size(), 16U);
  EXPECT_EQ(step.drift.size(), 4U);
  EXPECT_EQ(step.densities.size(), 4U);
  EXPECT_EQ(step.evaluate.size(), 8U);
  EXPECT_EQ(step.advance.size(), 16U);
  EXPECT_EQ(step.close.size(), 4U);
  EXPECT_EQ(step.drift.edges(), 0U);
  EXPECT_EQ(step.densities.edges(), 0U);  // every density writes its own cell alone
  EXPECT_EQ(step.close.edges(), 0U);
}

TEST(SphStep, PictureOfOneCellIsTheDrawnOne) {
  Row row(false, true);
  row.grid = particles::CellTree({{}, {1.0, 1.0, 1.0}, false}, 1.0, 1);
  row.reach = {0.5};
  ASSERT_TRUE(row.grid.link(row.reach, 0.0));
  row.cells.resize(1);
  const StepData data = row.data();
  const StepGraph step = build_step(data, tasks::Conflicts::any_order);
  const std::string picture = dot(step.graph, step.graph.activate_all());
  for (const char* name : {"drift", "density", "force", "kick", "limit", "wake"}) {
    EXPECT_NE(picture.find(fmt::format("  \"{}[0]\";\n", name)), std::string::npos) << picture;
  }
  EXPECT_TRUE(has_edge(picture, "drift", 0, "density", 0)) << picture;
  EXPECT_TRUE(has_edge(picture, "density", 0, "force", 0)) << picture;
  EXPECT_TRUE(has_edge(picture, "force", 0, "kick", 0)) << picture;
  EXPECT_TRUE(has_edge(picture, "limit", 0, "wake", 0)) << picture;
  EXPECT_FALSE(has_edge(picture, "density", 0, "drift", 0)) << picture;
}

TEST(SphStep, EdgesFollowTheListsOfNeighbours) {
  for (const bool periodic : {false, true}) {
    Row row(periodic);
    const StepData data = row.data();
    const StepGraph step = build_step(data, tasks::Conflicts::ordered);
    const std::string picture = dot(step.graph, step.graph.activate_all());
    std::size_t partial = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      const Lists lists = lists_of(row.grid, c);
      if (lists.all != lists.own) ++partial;
      for (std::size_t d = 0; d < 4; ++d) {
        EXPECT_EQ(has_edge(picture, "drift", d, "density", c), lists.own.contains(d)) << c << d << picture;
        EXPECT_EQ(has_edge(picture, "density", d, "force", c), lists.all.contains(d)) << c << d << picture;
        // A kick writes what the forces of all that see the cell have read.
        EXPECT_EQ(has_edge(picture, "force", d, "kick", c), lists.all.contains(d)) << c << d << picture;
      }
    }
    EXPECT_EQ(partial, 1U);  // only the last cell is reached by one that it does not reach
  }
}

TEST(SphStep, IsTheSameOnAnyNumberOfWorkers) {
  // So many cells that workers share them; some see each other through several images.
  Row row(true, true);
  row.grid = particles::CellTree({{}, {32.0, 8.0, 1.0}, true}, 1.0, 1000);
  const std::size_t cells = row.grid.cells();
  ASSERT_EQ(cells, 256U);
  row.reach.assign(cells, 0.5);
  row.reach[7] = 1.5;
  row.slack.assign(cells, 0.0);
  ASSERT_TRUE(row.grid.link(row.reach, 0.0));
  row.cells.resize(cells);
  row.reports.resize(cells);
  row.bounds.resize(cells);
  row.physics.scheme = Scheme::sphenix;
  const auto pictures = [&row](tasks::Scheduler* workers) {
    const StepData data = row.data();
    const StepGraph step = build_step(data, tasks::Conflicts::ordered, workers);
    std::vector<std::string> all{dot(step.graph, step.graph.activate_all())};
    for (const auto* part : {&step.drift, &step.densities, &step.evaluate, &step.advance, &step.close}) {
      all.push_back(dot(step.graph, *part));
    }
    for (const auto* ids : {&step.drifts, &step.densities_of, &step.gradients_of, &step.forces_of, &step.kicks,
                            &step.limits, &step.wakes}) {
      EXPECT_EQ(ids->size(), row.grid.cells());
      for (std::size_t c = 0; c < ids->size(); ++c)
        EXPECT_TRUE(step.graph.name_of((*ids)[c]).ends_with(fmt::format("[{}]", c)));
    }
    return all;
  };
  const auto alone = pictures(nullptr);
  for (const std::size_t workers : {1U, 2U, 3U}) {
    trace::Recorder recorder(workers, 16);
    tasks::Scheduler scheduler({.workers = workers, .pin = false}, recorder);
    EXPECT_EQ(pictures(&scheduler), alone);
  }
}

TEST(SphStep, WakingWaitsForTheLimitsOfAllNeighbours) {
  Row row(true, true);
  const StepData data = row.data();
  const StepGraph step = build_step(data, tasks::Conflicts::ordered);
  EXPECT_EQ(step.graph.size(), 24U);
  const std::string picture = dot(step.graph, step.graph.activate_all());
  for (std::size_t c = 0; c < 4; ++c) {
    // Limits look at the bins of all neighbours, which waking changes.
    for (const std::size_t d : lists_of(row.grid, c).all)
      EXPECT_TRUE(has_edge(picture, "limit", c, "wake", d)) << c << d;
  }
}

TEST(SphStep, ChoosesTheTasksOfActiveCellsAndTheDriftsTheyNeed) {
  Row row(false, true);
  const StepData data = row.data();
  StepGraph step = build_step(data, tasks::Conflicts::any_order);
  for (std::uint32_t c = 0; c < 4; ++c) {
    const std::array<std::uint32_t, 1> active{c};
    const std::size_t seen = lists_of(row.grid, c).all.size();
    step.choose_advance(data, active, true);
    EXPECT_EQ(step.part.size(), seen + 3);
    step.choose_advance(data, active, false);
    EXPECT_EQ(step.part.size(), 3U);
    step.choose_limits(data, active);
    EXPECT_EQ(step.part.size(), 2U);
  }
  const std::array<std::uint32_t, 2> two{0, 1};
  std::set<std::size_t> seen = lists_of(row.grid, 0).all;
  seen.merge(lists_of(row.grid, 1).all);
  step.choose_advance(data, two, true);
  EXPECT_EQ(step.part.size(), seen.size() + 6);  // no drift twice
  step.choose_advance(data, {}, true);
  EXPECT_EQ(step.part.size(), 0U);
}

TEST(SphStep, DoesNotDriftNeighboursThatNoActiveParticleMaySee) {
  Row row(false, true);
  row.bounds[0].box.high.x = 0.1;
  row.bounds[1].box.low.x = 1.9;
  const StepData data = row.data();
  StepGraph step = build_step(data, tasks::Conflicts::any_order);
  const std::array<std::uint32_t, 1> active{0};
  const auto drifts = [&] {
    step.choose_advance(data, active, true);
    return step.part.size() - 3;
  };
  const std::size_t near = drifts();
  row.slack[0] = row.slack[1] = 0.16;  // 1.8 apart, and 1.5 is the larger reach: with these they may meet
  EXPECT_EQ(drifts(), near + 1);
}

TEST(SphStep, EveryTaskDeclaresWhatItTouches) {
  // With TACIT_CHECKS an undeclared access throws; particles in all cells and reaches of all kinds make every access.
  InitialConditions gas = testing::uniform_gas(12, 0.5);
  for (std::size_t i = 0; i < gas.size(); ++i) gas.u[i] = base::uniform(3, i, 0);
  for (const bool is_individual : {false, true}) {
    SphParameters parameters = testing::plain_parameters();
    parameters.has_individual_steps = is_individual;
    testing::SmallRun run(parameters, gas);
    EXPECT_NO_THROW(run.advance(5));
    EXPECT_GT(run.solver.cells(), 1U);
  }
}

}  // namespace tacit::sph::step_test
