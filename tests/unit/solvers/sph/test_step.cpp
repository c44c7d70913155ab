// The task graph of a step: its tasks and exactly the edges that the lists of neighbours ask for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "samples.hpp"
#include "tacit/solvers/sph/step.hpp"

namespace tacit::sph::step_test {
namespace {

/// Four cells in a row; the second sees further than the others.
struct Row {
  explicit Row(bool periodic) : grid({{}, {4.0, 1.0, 1.0}, periodic}, 1.0, 10), cells(4), reports(4), scratch(1) {
    grid.link(reach, 0.0);
    physics.smoothing.h_max = 1.0;
  }
  [[nodiscard]] StepData data() { return {physics, grid, reach, cells, reports, scratch}; }

  SphParameters physics = testing::plain_parameters();
  particles::CellGrid grid;
  std::vector<double> reach{0.5, 1.5, 0.5, 0.5};
  std::vector<CellData> cells;
  std::vector<CellReport> reports;
  std::vector<kernels::NeighbourCache> scratch;
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
Lists lists_of(const particles::CellGrid& grid, std::size_t c) {
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
  const StepGraph step = build_step(row.data(), tasks::Conflicts::any_order);
  EXPECT_EQ(step.graph.size(), 16U);
  EXPECT_EQ(step.drift.size(), 4U);
  EXPECT_EQ(step.densities.size(), 4U);
  EXPECT_EQ(step.evaluate.size(), 8U);
  EXPECT_EQ(step.advance.size(), 12U);
  EXPECT_EQ(step.close.size(), 4U);
  EXPECT_EQ(step.drift.edges(), 0U);
  EXPECT_EQ(step.densities.edges(), 0U);  // every density writes its own cell alone
  EXPECT_EQ(step.close.edges(), 0U);
}

TEST(SphStep, PictureOfOneCellIsTheDrawnOne) {
  SphParameters physics = testing::plain_parameters();
  particles::CellGrid grid({{}, {1.0, 1.0, 1.0}, false}, 1.0, 1);
  const std::vector<double> reach{0.5};
  grid.link(reach, 0.0);
  std::vector<CellData> cells(1);
  std::vector<CellReport> reports(1);
  std::vector<kernels::NeighbourCache> scratch(1);
  const StepGraph step = build_step({physics, grid, reach, cells, reports, scratch}, tasks::Conflicts::any_order);
  const std::string picture = dot(step.graph, step.graph.activate_all());
  for (const char* name : {"kick_drift", "density", "force", "kick"}) {
    EXPECT_NE(picture.find(fmt::format("  \"{}[0]\";\n", name)), std::string::npos) << picture;
  }
  EXPECT_TRUE(has_edge(picture, "kick_drift", 0, "density", 0)) << picture;
  EXPECT_TRUE(has_edge(picture, "density", 0, "force", 0)) << picture;
  EXPECT_TRUE(has_edge(picture, "force", 0, "kick", 0)) << picture;
  EXPECT_FALSE(has_edge(picture, "density", 0, "kick_drift", 0)) << picture;
}

TEST(SphStep, EdgesFollowTheListsOfNeighbours) {
  for (const bool periodic : {false, true}) {
    Row row(periodic);
    const StepGraph step = build_step(row.data(), tasks::Conflicts::ordered);
    const std::string picture = dot(step.graph, step.graph.activate_all());
    std::size_t partial = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      const Lists lists = lists_of(row.grid, c);
      if (lists.all != lists.own) ++partial;
      for (std::size_t d = 0; d < 4; ++d) {
        EXPECT_EQ(has_edge(picture, "kick_drift", d, "density", c), lists.own.contains(d)) << c << d << picture;
        EXPECT_EQ(has_edge(picture, "density", d, "force", c), lists.all.contains(d)) << c << d << picture;
        EXPECT_EQ(has_edge(picture, "force", d, "kick", c), c == d) << c << d << picture;
      }
    }
    EXPECT_EQ(partial, 1U);  // only the last cell is reached by one that it does not reach
  }
}

TEST(SphStep, EveryTaskDeclaresWhatItTouches) {
  // With TACIT_CHECKS an undeclared access throws; particles in all cells and reaches of all kinds make every access.
  InitialConditions gas = testing::uniform_gas(6, 0.5);
  for (std::size_t i = 0; i < gas.size(); ++i) gas.u[i] = base::uniform(3, i, 0);
  testing::SmallRun run(testing::plain_parameters(), gas);
  EXPECT_NO_THROW(run.advance(5));
  EXPECT_GT(run.solver.cells(), 1U);
}

}  // namespace tacit::sph::step_test
