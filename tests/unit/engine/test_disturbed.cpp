// Runs that are stopped, replaced or left half written, with a solver that only counts.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/checkpoint_ring.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine::disturbed_test {

namespace fs = std::filesystem;

/// Two threads, four snapshots and a run of two time units, in a directory of its own.
class EngineDisturbed : public ::testing::Test {
 protected:
  EngineDisturbed() { testing::reset_control(); }

  [[nodiscard]] config::Parameters parameters(const std::string& more = "") const {
    return testing::read(scratch / "test.toml",
                         "run.threads = 2\ntime.end = 2\noutput.snapshot_every = 0.75\n"
                         "output.statistics_every = 0.5\noutput.directory = \"" +
                             directory().string() + "\"\n" + more);
  }
  [[nodiscard]] fs::path directory() const { return scratch / "out"; }
  [[nodiscard]] std::string checkpoint() const {
    const std::vector<std::uint64_t> steps = checkpoints_in(directory());
    return (directory() / (steps.empty() ? "none" : checkpoint_name(steps.front()))).string();
  }
  Summary run(const std::string& more = "", const RunOptions& options = {}) {
    Simulation simulation(parameters(more), testing::counting_entry, testing::alone(), options, listener);
    return simulation.run();
  }
  [[nodiscard]] std::string statistics() const { return test::content(directory() / "statistics.csv"); }
  /// The lines of statistics.csv without the wall time that ends them.
  [[nodiscard]] std::vector<std::string> statistics_lines() const {
    std::vector<std::string> lines;
    std::istringstream text(statistics());
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(0, line.rfind(',')));
    return lines;
  }

  test::Scratch scratch;
  testing::Listener listener;
};

TEST_F(EngineDisturbed, AWallClockTimeTooShortForAStepIsAnError) {
  // With the code of a run that goes on, jobs would follow each other for ever.
  const auto message = [&](const RunOptions& options) {
    return test::message_of<config::Error>([&] { run("run.wall_limit = 1e-9\n", options); });
  };
  const std::string expected =
      ": run.wall_limit: leaves no time for a first step and a checkpoint: a restart would come no further either\n"
      "  hint: write a longer time, or leave it out";
  EXPECT_TRUE(message({}).ends_with(expected)) << message({});
  run("time.max_steps = 3\n");
  EXPECT_TRUE(message({.restart = Restart::always}).ends_with(expected));
  EXPECT_EQ(run("", {.restart = Restart::always}).steps, 5U) << "the checkpoint before stays";
}

TEST_F(EngineDisturbed, ACheckpointIsThatOfTheStepInItsName) {
  run("time.max_steps = 3\n");
  fs::rename(directory() / checkpoint_name(3), directory() / checkpoint_name(7));
  EXPECT_EQ(test::message_of<base::FormatError>([&] { run("", {.restart = Restart::always}); }),
            (directory() / checkpoint_name(7)).string() + ": is the checkpoint of step 3: name it " +
                checkpoint_name(3) + ", or take it away");
  fs::rename(directory() / checkpoint_name(7), directory() / checkpoint_name(3));
  EXPECT_EQ(run("", {.restart = Restart::always}).steps, 5U);
}

TEST_F(EngineDisturbed, UpdatesAreCountedOnAfterARestart) {
  const auto updates = [&] { return io::FileReader(checkpoint()).attribute("Engine", "updates").at(0); };
  EXPECT_EQ(run("time.max_steps = 3\n").updates, 30U);
  EXPECT_EQ(updates(), 30.0);
  EXPECT_EQ(run("", {.restart = Restart::always}).updates, 50U) << "of this part";
  EXPECT_EQ(updates(), 80.0) << "of all";
}

TEST_F(EngineDisturbed, AFolderThatWasReplacedIsNamed) {
  for (const bool is_made_again : {false, true}) {
    testing::reset_control();
    Simulation simulation(parameters(), testing::counting_entry, testing::alone(), {}, listener);
    fs::rename(directory(), scratch / (is_made_again ? "moved" : "gone"));
    if (is_made_again) fs::create_directory(directory());
    EXPECT_EQ(
        test::message_of<OutputError>([&] { simulation.run(); }),
        directory().string() +
            " is no longer the folder in which this run began: it was moved, removed or replaced; nothing more is "
            "written");
    EXPECT_EQ(fs::exists(directory()) ? test::entries(directory()) : 0U, 0U);
  }
}

TEST_F(EngineDisturbed, StatisticsThatAreNotWholeAreCutBackWithAWord) {
  run();
  const auto lines = statistics_lines();
  fs::remove_all(directory());
  run("time.max_steps = 5\n");
  const std::string whole = statistics();
  const std::string path = (directory() / "statistics.csv").string();
  struct Case {
    std::string text;
    std::string note;
    bool loses_lines = true;
  };
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (const Case& one :
       {Case{whole + std::string(200, '\0'), "cut back to there", false},
        {whole.substr(0, last) + std::string(whole.size() - last, '\0'), "cut back to there; lines up"},
        {whole.substr(0, last + 3), "cut back to there; lines up"},
        {whole.substr(0, last), "; lines up to step"},
        {"", " is empty: begun again; lines up to step"}}) {
    fs::remove_all(directory());
    run("time.max_steps = 5\n");
    test::put(path, one.text);
    listener.notes.clear();
    const Summary summary = run("", {.restart = Restart::always});
    ASSERT_EQ(summary.warnings.size(), 1U);
    EXPECT_NE(summary.warnings[0].find(one.note), std::string::npos) << summary.warnings[0];
    EXPECT_TRUE(summary.warnings[0].starts_with("warning: " + path)) << summary.warnings[0];
    EXPECT_EQ(statistics_lines().front(), lines.front()) << "the header";
    EXPECT_EQ(statistics_lines().back(), lines.back());
    EXPECT_EQ(statistics_lines() == lines, !one.loses_lines);
  }
}

}  // namespace tacit::engine::disturbed_test
