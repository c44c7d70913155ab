// Rehearsals, and what follows from them for a run: steps of a solver that only counts, and of numbers made up.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/coarser.hpp"
#include "tacit/engine/run_estimate.hpp"

namespace tacit::engine::run_estimate_test {
namespace {

using testing::control, testing::counting_entry;

constexpr std::array numbers{config::Key::integer("box.points", config::positive, "Along x."),
                             config::Key::integer("box.points_y", config::positive, "Along y."),
                             config::Key::numbers("box.cells", "Along each axis.")};
const std::array<config::KeyTable, 1> tables{{{"Box", numbers}}};

config::Parameters read(const test::Scratch& scratch, std::string_view text) {
  std::vector<config::KeyTable> all{tables.begin(), tables.end()};
  for (const config::KeyTable& table : key_tables()) all.push_back(table);
  test::put(scratch / "run.toml", std::string("time.end = 1.0\n").append(text));
  return config::Document(scratch / "run.toml", {}).read(all);
}

std::vector<std::string> settings_of(const std::optional<Coarser>& coarser) {
  return coarser ? coarser->settings : std::vector<std::string>{"none"};
}

}  // namespace

using Texts = std::vector<std::string>;
constexpr std::array<std::string_view, 2> points{"box.points", "box.points_y"};

TEST(Coarser, RoundsANumberUpToAMultiple) {
  const test::Scratch scratch;
  const config::Parameters parameters = read(scratch, "box.points = 40");
  EXPECT_EQ(settings_of(coarser_count(parameters, points, 8, {.least = 8, .unit = 4})), Texts{"box.points=20"});
  const auto quarter = coarser_count(parameters, points, 16, {.least = 8, .unit = 4});
  ASSERT_TRUE(quarter);
  EXPECT_EQ(quarter->settings, Texts{"box.points=12"});
  EXPECT_DOUBLE_EQ(quarter->factor, 40.0 / 12.0);
  EXPECT_FALSE(coarser_count(parameters, points, 64, {.least = 8, .unit = 4}));
  EXPECT_EQ(settings_of(coarser_count(parameters, points, 6, {.least = 8, .unit = 4})), Texts{"box.points=28"});
}

TEST(Coarser, KeepsTheShapeOfSeveral) {
  const test::Scratch scratch;
  const config::Parameters both = read(scratch, "box.points = 40\nbox.points_y = 20");
  EXPECT_EQ(settings_of(coarser_count(both, points, 8)), (Texts{"box.points=20", "box.points_y=10"}));
  EXPECT_FALSE(coarser_count(both, points, 32));
  const config::Parameters list = read(scratch, "box.cells = [64, 32]");
  EXPECT_EQ(settings_of(coarser_list(list, "box.cells", 32)), Texts{"box.cells=[8, 4]"});
  EXPECT_FALSE(coarser_list(list, "box.cells", 64));
  EXPECT_EQ(settings_of(coarser_list(list, "box.cells", 6, {.unit = 8})), Texts{"box.cells=[48, 24]"});
  const config::Parameters cube = read(scratch, "box.cells = [10, 10, 10]");
  EXPECT_EQ(settings_of(coarser_list(cube, "box.cells", 16, {.least = 3})), Texts{"box.cells=[3, 3, 3]"});
  EXPECT_FALSE(coarser_list(both, "box.cells", 8));
  EXPECT_FALSE(coarser_count(list, points, 8));
}

TEST(Rehearsal, TakesTheStepsOfARun) {
  const test::Scratch scratch;
  testing::reset_control();
  control().dt = 0.15;
  const std::string text = "[run]\nthreads = 1\n[time]\nend = 1.0\n[output]\nsnapshot_every = 0.5\ndirectory = \"" +
                           (scratch / "out").string() + "\"\n";
  const config::Parameters parameters = testing::read(scratch / "run.toml", text);
  const Rehearsal rehearsal = rehearse(counting_entry, parameters, 1, {});
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));  // it writes nothing
  testing::Listener listener;
  const Summary run = Simulation(parameters, counting_entry, testing::alone(), {}, listener).run();
  EXPECT_TRUE(rehearsal.is_whole);
  EXPECT_EQ(rehearsal.steps.size(), run.steps);
  EXPECT_EQ(rehearsal.updates(), run.updates);
  EXPECT_EQ(rehearsal.steps.back().end, 1.0);
  EXPECT_EQ(rehearsal.first_dt, 0.15);
}

TEST(Rehearsal, EndsAtItsLimit) {
  const test::Scratch scratch;
  testing::reset_control();
  const config::Parameters parameters = testing::read(scratch / "run.toml", "time.end = 1e3");
  const Rehearsal some = rehearse(counting_entry, parameters, 1, {.updates = 100.0, .updates_of_step = 15.0});
  EXPECT_FALSE(some.is_whole);
  EXPECT_EQ(some.steps.size(), 5U);  // of ten elements, each as 25 updates
  EXPECT_EQ(rehearse(counting_entry, parameters, 1, {.seconds = 0.0}).steps.size(), 1U);
}

TEST(Rehearsal, MakesLinesOfStatisticsIfAsked) {
  const test::Scratch scratch;
  testing::reset_control();
  const config::Parameters parameters =
      testing::read(scratch / "run.toml", "[time]\nend = 1.0\n[output]\nstatistics_every = 0.5\n");
  EXPECT_EQ(rehearse(counting_entry, parameters, 1, {}).statistics_s, 0.0);
  EXPECT_GT(rehearse(counting_entry, parameters, 1, {.lines = Lines::as_in_a_run}).statistics_s, 0.0);
}

/// Steps of equal length from 0 to 1.
Rehearsal run_of(std::uint64_t elements, std::size_t steps, std::uint64_t updates_of_step) {
  Rehearsal run{.elements = elements, .first_dt = 1.0 / static_cast<double>(steps), .is_whole = true};
  for (std::size_t i = 1; i <= steps; ++i) {
    run.steps.push_back({.end = static_cast<double>(i) / static_cast<double>(steps), .updates = updates_of_step});
  }
  return run;
}

TEST(Rehearsal, CountsWhatCameAfterATime) {
  const Rehearsal run = run_of(10, 4, 100);
  EXPECT_DOUBLE_EQ(run.after(0.0).steps, 4.0);
  EXPECT_DOUBLE_EQ(run.after(0.375).steps, 2.5);
  EXPECT_DOUBLE_EQ(run.after(0.375).updates, 250.0);
  EXPECT_DOUBLE_EQ(run.after(2.0).updates, 0.0);
}

TEST(StepEstimate, GoesOnByThePowersOfTheResolution) {
  // Steps by the first power, updates by the fourth.
  const std::vector<RehearsedRun> runs{{8.0, run_of(8, 10, 8)}, {4.0, run_of(64, 20, 64)}};
  const StepEstimate estimate = extrapolate(runs, nullptr, 4096.0, 0.001);
  EXPECT_DOUBLE_EQ(estimate.steps, 80.0);
  EXPECT_DOUBLE_EQ(estimate.updates, 80.0 * 4096.0);
  EXPECT_EQ(estimate.basis, "by runs at 1/8 and 1/4 of the resolution");
}

/// Those that are known count as they are, and coarser runs only from there on.
TEST(StepEstimate, BeginsWithTheFirstSteps) {
  const std::vector<RehearsedRun> runs{{8.0, run_of(8, 10, 8)}, {4.0, run_of(64, 20, 64)}};
  Rehearsal first{.elements = 4096};
  for (int i = 1; i <= 40; ++i)
    first.steps.push_back({.end = 0.0125 * i, .updates = 4096});  // likewise by the first power
  const StepEstimate estimate = extrapolate(runs, &first, 4096.0, 0.001);
  EXPECT_DOUBLE_EQ(estimate.steps, 40.0 + 40.0);
  EXPECT_DOUBLE_EQ(estimate.updates, 80.0 * 4096.0);
}

/// Of runs whose steps are of the length of the first power, steps of the run itself as by the second: these show a
/// quarter of the finest run, and so count as one half.
TEST(StepEstimate, GoesByTheFirstStepsAsFarAsTheyReach) {
  std::vector<RehearsedRun> runs{{8.0, run_of(8, 10, 8)}, {4.0, run_of(64, 20, 64)}};
  Rehearsal first{.elements = 4096};
  for (int i = 1; i <= 80; ++i) first.steps.push_back({.end = 0.25 / 80.0 * i, .updates = 2048});
  const StepEstimate estimate = extrapolate(runs, &first, 4096.0, 0.001);
  EXPECT_NEAR(estimate.steps, 80.0 + 15.0 * std::pow(4.0, 1.5), 1e-9);
  // Updates of each element by 4^1, and by 4^1.5 in the first steps.
  EXPECT_NEAR(estimate.updates, 4096.0 * (40.0 + 15.0 * std::pow(4.0, 1.25)), 1e-6);
  runs.back().rehearsal.has_converged = true;  // a solve is over when it is
  EXPECT_NEAR(extrapolate(runs, &first, 4096.0, 0.001).steps, 80.0 + 15.0 * 4.0, 1e-9);
}

/// Where elements come and go, how many there are at the begin says nothing.
TEST(StepEstimate, CountsAllUpdatesWhereElementsComeAndGo) {
  std::vector<RehearsedRun> runs{{4.0, run_of(1, 10, 100)}, {2.0, run_of(50, 20, 400)}};
  for (RehearsedRun& run : runs) run.rehearsal.keeps_elements = false;
  const StepEstimate estimate = extrapolate(runs, nullptr, 3.0, 0.001);
  EXPECT_DOUBLE_EQ(estimate.steps, 40.0);
  EXPECT_DOUBLE_EQ(estimate.updates, 40.0 * 1600.0);
}

TEST(StepEstimate, OfOneRunGoesByTheFirstStep) {
  const std::vector<RehearsedRun> runs{{2.0, run_of(100, 10, 50)}};
  const StepEstimate shorter = extrapolate(runs, nullptr, 400.0, 0.025);
  EXPECT_DOUBLE_EQ(shorter.steps, 40.0);
  EXPECT_DOUBLE_EQ(shorter.updates, 8000.0);  // half of the elements in each step, as there
  EXPECT_DOUBLE_EQ(extrapolate(runs, nullptr, 400.0, 0.1).steps, 10.0);
}

TEST(StepEstimate, OfAllOfItIsWhatItTakes) {
  const std::vector<RehearsedRun> runs{{2.0, run_of(100, 10, 50)}, {1.0, run_of(400, 33, 303)}};
  const StepEstimate estimate = extrapolate(runs, nullptr, 400.0, 0.04);
  EXPECT_EQ(estimate.steps, 33.0);
  EXPECT_EQ(estimate.updates, 9999.0);
}

}  // namespace tacit::engine::run_estimate_test
