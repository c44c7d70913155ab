// The main loop with a solver that only counts: steps, files, stopping, restarting, failing.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sample_run.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/io/verify.hpp"

namespace tacit::engine::simulation_test {
namespace {

namespace fs = std::filesystem;

/// Two threads, four snapshots and a run of two time units, in a directory of its own.
class EngineSimulation : public ::testing::Test {
 protected:
  EngineSimulation() { testing::reset_control(); }

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
  [[nodiscard]] std::string failed() const { return (directory() / "failed.hdf5").string(); }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory())) names.insert(entry.path().filename());
    return names;
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

const std::set<std::string> all_results{
    ".tacit.lock",         "parameters.toml",    "statistics.csv",     "summary.json",       "trace.json",
    "restart_000008.hdf5", "snapshot_0000.hdf5", "snapshot_0001.hdf5", "snapshot_0002.hdf5", "snapshot_0003.hdf5"};

TEST_F(EngineSimulation, RunsToTheEndAndLeavesEverything) {
  const Summary summary = run();
  // Stops at 0.75, 1.5 and 2, all multiples of the stable 0.25.
  EXPECT_EQ(summary.steps, 8U);
  EXPECT_EQ(summary.updates, 80U);
  EXPECT_EQ(summary.coordinate, 2.0);
  EXPECT_EQ(summary.threads, 2U);
  EXPECT_TRUE(summary.finished);
  EXPECT_EQ(files(), all_results);
  EXPECT_EQ(test::content(directory() / "snapshot_0000.hdf5"), "test 0 0.000000");
  EXPECT_EQ(test::content(directory() / "snapshot_0001.hdf5"), "test 3 0.750000");
  EXPECT_EQ(test::content(directory() / "snapshot_0003.hdf5"), "test 8 2.000000");
  EXPECT_EQ(statistics_lines().size(), 1U + 5U);  // header; 0, 0.5, 1, 1.5, 2
  // Eight steps add 0.0625 each; the internal energy begins at 1, kinetic energy is the largest scale.
  EXPECT_EQ(summary.conservation.find("energy")->max_drift(), 0.5 / 4.0);
  EXPECT_EQ(summary.conservation.find("momentum")->max_drift(), 0.5 / 10.0);
  const auto json = nlohmann::json::parse(test::content(directory() / "summary.json"));
  EXPECT_EQ(json.at("steps"), 8);
  EXPECT_EQ(json.at("output_bytes"), summary.output_bytes);
  EXPECT_TRUE(nlohmann::json::accept(test::content(directory() / "trace.json")));
  EXPECT_EQ(listener.last.step, 8U);
  EXPECT_EQ(listener.last.coordinate, 2.0);
  EXPECT_TRUE(listener.notes.empty());
}

using Calls = std::vector<std::string>;

// A planned snapshot follows its step; but a checkpoint, which counts it as written, does not go before it.
TEST_F(EngineSimulation, StepsTakeSnapshotsAlong) {
  testing::control().plans_snapshots = true;
  run("output.checkpoint_steps = 3\n");
  const Calls expected{"plan snapshot_0000.hdf5",
                       "step 0",
                       "write snapshot_0000.hdf5",
                       "step 1",
                       "step 2",
                       "plan snapshot_0001.hdf5",
                       "write snapshot_0001.hdf5",
                       "save",
                       "step 3",
                       "step 4",
                       "step 5",
                       "plan snapshot_0002.hdf5",
                       "write snapshot_0002.hdf5",
                       "save",
                       "step 6",
                       "step 7",
                       "save"};
  EXPECT_EQ(testing::control().calls, expected);
  EXPECT_EQ(test::content(directory() / "snapshot_0000.hdf5"), "test 0 0.000000");
  EXPECT_EQ(test::content(directory() / "snapshot_0001.hdf5"), "test 3 0.750000");
  EXPECT_EQ(test::content(directory() / "snapshot_0003.hdf5"), "test 8 2.000000");  // the end is written at once
}

TEST_F(EngineSimulation, NoSnapshotIsPlannedWhereFilesAreWrittenAtOnce) {
  testing::control().plans_snapshots = true;
  run("output.staging_memory = 0\n");
  for (const std::string& call : testing::control().calls) EXPECT_EQ(call.find("plan"), std::string::npos) << call;
  EXPECT_EQ(test::content(directory() / "snapshot_0001.hdf5"), "test 3 0.750000");
}

TEST_F(EngineSimulation, AStepThatFailsLeavesThePlannedSnapshotBeforeIt) {
  testing::control().plans_snapshots = true;
  testing::control().fail_at_step = 3;
  EXPECT_THROW(run(), NumericsError);
  EXPECT_EQ(test::content(directory() / "snapshot_0001.hdf5"), "test 3 0.750000");
}

TEST_F(EngineSimulation, WritesTheSeriesOfASolver) {
  testing::control().series_every = 0.9;
  run();
  std::set<std::string> expected = all_results;
  // Begin, the first steps of 0.25 past 0.9 and 1.8, of which the latter is the end.
  for (const char* name :
       {"spectra_000000.hdf5", "spectra_000004.hdf5", "spectra_000008.hdf5", "slice_000000.txt", "slice_000008.txt"}) {
    expected.insert(name);
  }
  EXPECT_EQ(files(), expected);
  EXPECT_EQ(test::content(directory() / "spectra_000004.hdf5"), "test 4 1.000000");
}

TEST_F(EngineSimulation, ASeriesWithoutAnIntervalHasBeginAndEnd) {
  testing::control().series_every = 0.0;
  run();
  std::set<std::string> expected = all_results;
  for (const char* name : {"spectra_000000.hdf5", "spectra_000008.hdf5", "slice_000000.txt", "slice_000008.txt"}) {
    expected.insert(name);
  }
  EXPECT_EQ(files(), expected);
}

TEST_F(EngineSimulation, ParametersAsUsedGiveTheSameRunAgain) {
  run("time.dt_max = 0.2\n");
  const auto again = config::Document(directory() / "parameters.toml", {}).read(key_tables());
  EXPECT_EQ(read_run_parameters(again).directory, directory());
  EXPECT_EQ(read_run_parameters(again).threads, 2U);
  const TimeParameters time = read_time_parameters(again, 0.0);
  EXPECT_EQ(time.end, 2.0);
  EXPECT_EQ(time.dt_max, 0.2);
  EXPECT_EQ(time.snapshot_every, 0.75);
}

TEST_F(EngineSimulation, ASecondRunSetsTheFirstAside) {
  run();
  const std::string first = statistics();
  run();
  EXPECT_EQ(test::content(directory() / "earlier-1/statistics.csv"), first);
  auto expected = all_results;
  expected.insert("earlier-1");
  EXPECT_EQ(files(), expected);
  ASSERT_EQ(listener.notes.size(), 1U);
  EXPECT_EQ(listener.notes[0],
            "an earlier run stood in " + directory().string() + "; moved to " + (directory() / "earlier-1").string());
}

TEST_F(EngineSimulation, MaxStepsEndsIt) {
  const Summary summary = run("time.max_steps = 5\n");
  EXPECT_EQ(summary.steps, 5U);
  EXPECT_EQ(summary.coordinate, 1.25);
  EXPECT_FALSE(summary.finished);
  EXPECT_EQ(checkpoints_in(directory()).size(), 1U);
}

TEST_F(EngineSimulation, AStopEndsItAfterTheStepInHand) {
  testing::control().stop_after_step = 3;
  const Summary summary = run("", {.requests = &testing::control().requests});
  EXPECT_EQ(summary.steps, 4U);
  EXPECT_FALSE(summary.finished);
  EXPECT_EQ(checkpoints_in(directory()).size(), 1U);
  EXPECT_TRUE(files().contains("summary.json"));
}

TEST_F(EngineSimulation, ARestartedRunEndsLikeAnUninterruptedOne) {
  const Summary whole = run();
  const auto lines = statistics_lines();
  const std::string last_snapshot = test::content(directory() / "snapshot_0003.hdf5");
  for (const std::uint64_t interrupted_after : {0U, 2U, 3U, 5U, 7U}) {
    fs::remove_all(directory());
    run("time.max_steps = " + std::to_string(interrupted_after) + "\n");
    const Summary rest = run("", {.restart = Restart::always});
    EXPECT_EQ(rest.steps, whole.steps - interrupted_after);
    EXPECT_EQ(rest.coordinate, 2.0);
    EXPECT_TRUE(rest.finished);
    EXPECT_EQ(rest.conservation.find("energy")->max_drift(), whole.conservation.find("energy")->max_drift());
    auto expected = all_results;  // two checkpoints are kept
    expected.insert(checkpoint_name(interrupted_after));
    EXPECT_EQ(files(), expected) << "interrupted after " << interrupted_after;
    EXPECT_EQ(statistics_lines(), lines) << "interrupted after " << interrupted_after;
    EXPECT_EQ(test::content(directory() / "snapshot_0003.hdf5"), last_snapshot);
    EXPECT_EQ(listener.last.step, 8U);
  }
}

TEST_F(EngineSimulation, ARestartCutsStatisticsThatFollowTheCheckpoint) {
  run("time.max_steps = 4\n");
  const auto lines = statistics_lines();
  test::put(directory() / "statistics.csv", statistics() + "6,1.5,0.25,9,9,9,9,9,9,9,9,,,,0.1\n");
  fs::remove(directory() / "summary.json");  // as if killed before its end was written
  run("time.max_steps = 4\n", {.restart = Restart::always});
  EXPECT_TRUE(files().contains("summary.json"));
  EXPECT_EQ(statistics_lines(), lines);
  EXPECT_EQ(listener.notes.back(), "continues from step 4 at t = 1");
}

TEST_F(EngineSimulation, ARestartWithNothingToDoChangesNothing) {
  for (const std::string& end : {std::string(), std::string("time.max_steps = 3\n")}) {
    fs::remove_all(directory());
    run(end);
    listener.notes.clear();
    std::map<std::string, std::string> before;
    for (const std::string& name : files()) before[name] = test::content(directory() / name);
    {
      const Simulation again(parameters(end), testing::counting_entry, testing::alone(), {.restart = Restart::always},
                             listener);
      EXPECT_TRUE(again.has_nothing_to_do());
      EXPECT_EQ(again.is_out_of_steps(), !end.empty());
      EXPECT_EQ(again.place(), end.empty() ? "t = 2" : "t = 0.75");
    }
    EXPECT_TRUE(listener.notes.empty());
    std::map<std::string, std::string> after;
    for (const std::string& name : files()) after[name] = test::content(directory() / name);
    for (auto* contents : {&before, &after}) contents->erase(".tacit.lock");  // signed by the last one to hold it
    EXPECT_EQ(before, after);
    const Simulation longer(parameters("time.max_steps = 30\n"), testing::counting_entry, testing::alone(),
                            {.restart = Restart::always}, listener);
    EXPECT_EQ(longer.has_nothing_to_do(), end.empty());  // a larger number of steps gives the second one work
  }
}

// Were it kept, a run that is killed before it writes its own would look as if it had ended well.
TEST_F(EngineSimulation, ARunThatContinuesTakesTheSummaryOfItsEarlierPartAway) {
  run("time.max_steps = 3\n");
  ASSERT_TRUE(fs::exists(directory() / "summary.json"));
  const Simulation next(parameters(""), testing::counting_entry, testing::alone(), {.restart = Restart::always},
                        listener);
  EXPECT_FALSE(next.has_nothing_to_do());
  EXPECT_FALSE(fs::exists(directory() / "summary.json"));
}

TEST_F(EngineSimulation, TheUnfinishedTraceOfAKilledRunIsRemoved) {
  const std::string partial = "trace.json.partial";
  for (const Restart restart : {Restart::never, Restart::always}) {
    run("time.max_steps = 2\n");
    test::put(directory() / partial, "{");
    // Removed at once: the trace of this run would replace it only at its end.
    const Simulation next(parameters(), testing::counting_entry, testing::alone(), {.restart = restart}, listener);
    EXPECT_FALSE(files().contains(partial));
  }
}

TEST_F(EngineSimulation, ARestartWithoutCheckpointIsRefused) {
  EXPECT_EQ(test::message_of<base::SystemError>([&] { run("", {.restart = Restart::always}); }),
            directory().string() + ": there is no checkpoint to continue from; leave out --restart to start again");
}

TEST_F(EngineSimulation, AFailingStepLeavesADirectoryThatCanBeUsed) {
  run("time.max_steps = 4\n");
  testing::control().fail_at_step = 6;
  EXPECT_EQ(test::message_of<NumericsError>([&] { run("", {.restart = Restart::always}); }),
            "step 6: x is not finite\n  The failed state is in " + failed() + ".\n  The last valid checkpoint is " +
                checkpoint() + ", of step 4, t = 1.");
  EXPECT_TRUE(files().contains("failed.hdf5"));
  testing::reset_control();
  const Summary rest = run("", {.restart = Restart::always});
  EXPECT_EQ(rest.steps, 4U);
  auto expected = all_results;
  expected.insert("failed.hdf5");
  expected.insert(checkpoint_name(4));
  EXPECT_EQ(files(), expected);
  EXPECT_EQ(statistics_lines().size(), 6U);
}

TEST_F(EngineSimulation, AFailedStateCanBeReadButNotContinued) {
  testing::control().spoil_after_step = 5;
  try {
    run("output.checkpoint_every = 1e-9\n");
    ADD_FAILURE() << "the run has not failed";
  } catch (const NumericsError& error) {
    EXPECT_EQ(error.flaw().field, "momentum along x");
    EXPECT_FALSE(error.flaw().element.has_value());
    EXPECT_EQ(error.step(), 6U);
    EXPECT_NE(std::string(error.what()).find("of step 5, t = 1.25."), std::string::npos) << error.what();
  }
  {
    const io::FileReader failed_state(failed());
    double x = 0.0;
    failed_state.read("Counting/x", std::span(&x, 1));
    EXPECT_TRUE(std::isinf(x));
    EXPECT_EQ(failed_state.attribute("Failure", "step"), std::vector<double>{6.0});
    EXPECT_TRUE(failed_state.text_attribute("Failure", "error").starts_with("step 6, t = 1.5: the momentum along x"));
    EXPECT_EQ(failed_state.text_attribute("Provenance", "input"), "nothing");
  }
  EXPECT_THROW(static_cast<void>(open_checkpoint(failed(), "counting")), base::FormatError);
  testing::reset_control();
  EXPECT_EQ(run("", {.restart = Restart::always}).steps, 3U);
}

TEST_F(EngineSimulation, SaysWhyAFailedStateCannotBeWritten) {
  testing::control().spoil_after_step = 3;
  testing::control().cannot_save_failed = true;
  const std::string message = test::message_of<NumericsError>([&] { run(); });
  EXPECT_NE(message.find("\n  The failed state cannot be written: half of it is gone\n"), std::string::npos) << message;
  EXPECT_FALSE(files().contains("failed.hdf5"));
}

TEST_F(EngineSimulation, AnElementBelowDtMinEndsItWithACheckpoint) {
  std::string message;
  try {
    run("time.dt_min = 0.5\n");
  } catch (const NumericsError& error) {
    message = error.what();
    EXPECT_EQ(error.flaw().element, 3U);
    EXPECT_EQ(error.step(), 0U);
  }
  EXPECT_EQ(message,
            "at t = 0: x needs a time step of 0.25, below time.dt_min = 0.5\n"
            "  Look at the last snapshot: is it good? If all is as it should be, lower time.dt_min.\n"
            "  The last valid checkpoint is " +
                checkpoint() + ", of step 0, t = 0.");
  EXPECT_FALSE(files().contains("failed.hdf5"));  // its state is good
  EXPECT_EQ(run("", {.restart = Restart::always}).steps, 8U);
}

TEST_F(EngineSimulation, KeepsAsManyCheckpointsAsAskedFor) {
  run("output.checkpoint_steps = 2\noutput.checkpoints = 3\n");
  EXPECT_EQ(checkpoints_in(directory()), (std::vector<std::uint64_t>{8, 6, 4}));
}

TEST_F(EngineSimulation, TakesTheCheckpointBeforeADamagedOne) {
  const Summary whole = run("output.checkpoint_steps = 3\n");
  ASSERT_EQ(checkpoints_in(directory()), (std::vector<std::uint64_t>{8, 6}));
  const fs::path newest = directory() / checkpoint_name(8);
  std::string content = test::content(newest);
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  test::put(newest, content);
  const Summary rest = run("", {.restart = Restart::always});
  EXPECT_EQ(rest.steps, 2U);
  ASSERT_EQ(rest.warnings.size(), 1U);
  EXPECT_EQ(rest.warnings[0].find("warning: a newer checkpoint cannot be continued from: " + newest.string() + ": "),
            0U)
      << rest.warnings[0];
  EXPECT_EQ(rest.coordinate, whole.coordinate);
  EXPECT_EQ(checkpoints_in(directory()), (std::vector<std::uint64_t>{8, 6}));
  EXPECT_EQ(io::find_damage(newest), std::nullopt) << "it has been written again";
}

TEST_F(EngineSimulation, ARestartIfThereIsAnyBeginsOrContinues) {
  EXPECT_EQ(run("time.max_steps = 3\n", {.restart = Restart::if_any}).steps, 3U);
  EXPECT_EQ(run("", {.restart = Restart::if_any}).steps, 5U);
}

TEST_F(EngineSimulation, WritesACheckpointOnRequestAndGoesOn) {
  testing::control().requests.checkpoint = true;
  const Summary summary = run("output.checkpoints = 9\n", {.requests = &testing::control().requests});
  EXPECT_TRUE(summary.finished);
  EXPECT_EQ(checkpoints_in(directory()), (std::vector<std::uint64_t>{8, 0}));
  EXPECT_FALSE(testing::control().requests.checkpoint.load());
}

TEST_F(EngineSimulation, AFileNamedStopEndsIt) {
  fs::create_directory(directory());
  test::put(directory() / "STOP", "");
  {
    Simulation simulation(parameters(), testing::counting_entry, testing::alone(), {}, listener);
    EXPECT_EQ(simulation.run().steps, 0U);
    EXPECT_TRUE(simulation.was_stopped());
  }
  EXPECT_EQ(listener.notes.back(), "stops: " + (directory() / "STOP").string() + " asks for it");
  EXPECT_FALSE(files().contains("STOP"));
  EXPECT_EQ(run("", {.restart = Restart::always}).steps, 8U);
}

TEST_F(EngineSimulation, LeavesTimeForACheckpointOfWhichItKnowsOnlyTheBytes) {
  testing::control().bytes.checkpoint = 1;
  EXPECT_EQ(run("run.wall_limit = 1000\n").steps, 8U);
  testing::control().bytes.checkpoint = std::uint64_t{1} << 60U;
  EXPECT_NE(test::message_of<config::Error>([&] { run("run.wall_limit = 1000\n"); }), "nothing");
  EXPECT_TRUE(std::ranges::any_of(listener.notes, [](const std::string& note) {
    return note.starts_with(
        "stops: its wall-clock time of 1000 s is nearly over (a step has taken up to 0 s, a "
        "checkpoint would take about ");
  }));
}

TEST_F(EngineSimulation, ARestartKnowsWhereItsInputCameFrom) {
  run("time.max_steps = 3\n");
  run("", {.restart = Restart::always});
  const auto json = nlohmann::json::parse(test::content(directory() / "summary.json"));
  EXPECT_EQ(json.at("provenance").at("input"), "nothing");
}

TEST_F(EngineSimulation, AStateThatIsNotFiniteIsNoSnapshot) {
  testing::control().spoil_after_step = 3;  // statistics are due then; the last snapshot was that of step 3
  EXPECT_EQ(
      test::message_of<NumericsError>([&] { run(); }),
      "step 4, t = 1: the momentum along x is inf\n"
      "  Look at the last snapshot, or at the initial conditions if there is none; shorter steps (cfl, time.dt_max) "
      "may help.\n  The failed state is in " +
          failed() + ".\n  There is no checkpoint to continue from.");
  EXPECT_TRUE(files().contains("snapshot_0001.hdf5"));
  EXPECT_FALSE(files().contains("snapshot_0002.hdf5"));
  EXPECT_TRUE(checkpoints_in(directory()).empty());
  EXPECT_FALSE(files().contains("summary.json"));
  EXPECT_EQ(statistics_lines().size(), 1U + 2U);  // header; 0, 0.5
}

TEST_F(EngineSimulation, AStartThatIsNotFiniteIsNoSnapshot) {
  testing::control().is_spoiled_at_start = true;
  const std::string message = test::message_of<NumericsError>([&] { run(); });
  EXPECT_TRUE(message.starts_with("step 0, t = 0: the momentum along x is nan\n")) << message;
  EXPECT_FALSE(files().contains("snapshot_0000.hdf5"));
}

TEST_F(EngineSimulation, WhoLooksWhileWritingIsNotAskedBesides) {
  run();
  EXPECT_GT(testing::control().looks, 1U);
  testing::control().looks = 0;
  testing::control().looks_while_writing = true;
  run();  // a checkpoint at the end, of a state that the last snapshot has looked at
  EXPECT_EQ(testing::control().looks, 0U);
  testing::control().is_spoiled_at_start = true;
  const std::string message = test::message_of<NumericsError>([&] { run(); });
  EXPECT_TRUE(message.starts_with("step 0, t = 0: the momentum along x is nan\n")) << message;
  EXPECT_FALSE(files().contains("snapshot_0000.hdf5"));
}

TEST_F(EngineSimulation, ACheckpointOfAStateThatIsNotFiniteIsNotWrittenEither) {
  testing::control().spoil_after_step = 0;
  EXPECT_FALSE(test::message_of<NumericsError>([&] { run("time.max_steps = 1\n"); }).empty());
  EXPECT_TRUE(files().contains("snapshot_0000.hdf5"));
  EXPECT_TRUE(checkpoints_in(directory()).empty());
}

TEST_F(EngineSimulation, TooShortAStepIsANumericsError) {
  testing::control().dt = 0.0;
  EXPECT_EQ(test::message_of<NumericsError>([&] { run(); }),
            "at t = 0: the solver needs a time step of 0, below what a double can resolve\n"
            "  The state may have become unphysical: look at the last snapshot, or lower the Courant number.\n"
            "  The last valid checkpoint is " +
                (directory() / checkpoint_name(0)).string() + ", of step 0, t = 0.");
  EXPECT_TRUE(files().contains("snapshot_0000.hdf5"));
}

TEST_F(EngineSimulation, ADirectoryServesOneRunAtATime) {
  const Simulation first(parameters(), testing::counting_entry, testing::alone(), {}, listener);
  const std::string before = statistics();
  const std::string message = test::message_of<base::SystemError>([&] { run(); });
  EXPECT_TRUE(message.starts_with(directory().string() + ": another run writes here (process ")) << message;
  EXPECT_EQ(statistics(), before);
  EXPECT_FALSE(fs::exists(directory() / "earlier-1"));
}

TEST_F(EngineSimulation, AWrongInputHarmsNoEarlierResults) {
  run();
  const auto before = files();
  const std::string lines = statistics();
  EXPECT_THROW(run("time.begin = 5\n"), config::Error);
  EXPECT_EQ(files(), before);
  EXPECT_EQ(statistics(), lines);
}

TEST_F(EngineSimulation, TooMuchDriftEndsIt) {
  const auto message = [&](const std::string& more) { return test::message_of<NumericsError>([&] { run(more); }); };
  // The energy drifts by 1/64 in each step, and lines of statistics come after every second one.
  EXPECT_EQ(message("output.checkpoint_steps = 1\n[drift]\nenergy = 0.05\n"),
            "step 4, t = 1: the energy has drifted by 0.0625 of its scale, more than drift.energy = 0.05 allows\n"
            "  Look at statistics.csv; shorter steps (cfl, time.dt_max) may help; if it may drift so far, raise "
            "drift.energy.\n"
            "  The failed state is in " +
                failed() + ".\n  The last valid checkpoint is " + (directory() / checkpoint_name(3)).string() +
                ", of step 3, t = 0.75.");
  EXPECT_EQ(statistics_lines().size(), 1U + 3U);  // the line that shows it, too
  const io::FileReader state(failed());
  EXPECT_EQ(state.text_attribute("Failure", "field"), "energy");
  EXPECT_EQ(state.attribute("Failure", "step"), std::vector<double>{4.0});
  // The momentum comes first, and drifts by 1/160 in each step.
  EXPECT_TRUE(message("[drift]\nlimit = 0.02\nenergy = 1\n")
                  .starts_with("step 4, t = 1: the momentum has drifted by "
                               "0.025 of its scale, more than drift.limit"));
  EXPECT_EQ(run("[drift]\nlimit = 0.06\nenergy = 0.13\n").steps, 8U);
}

TEST_F(EngineSimulation, RefusesALimitForWhatIsNotConserved) {
  run();
  const auto before = files();
  EXPECT_TRUE(test::message_of<config::Error>([&] {
                run("[drift]\nangular_momentum = 0.1\n");
              }).find("drift.angular_momentum: limits what this run does not conserve\n") != std::string::npos);
  EXPECT_EQ(files(), before);
}

TEST_F(EngineSimulation, NoRoomOnTheDiskEndsItBeforeAFileIsBegun) {
  testing::control().bytes.checkpoint = std::uint64_t{1} << 60U;
  const std::string message = test::message_of<OutputError>([&] { run("output.checkpoint_steps = 3\n"); });
  EXPECT_TRUE(message.starts_with((directory() / checkpoint_name(3)).string() + ": cannot be written: needs 1.2 EB, "))
      << message;
  EXPECT_NE(message.find(" free; free some space in "), std::string::npos) << message;
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_EQ(files(), (std::set<std::string>{".tacit.lock", "parameters.toml", "snapshot_0000.hdf5",
                                            "snapshot_0001.hdf5", "statistics.csv"}));
}

TEST_F(EngineSimulation, NoRoomForAnotherFileNamesTheCheckpointBefore) {
  run("time.max_steps = 2\n");
  testing::control().bytes.snapshot = std::uint64_t{1} << 60U;
  const std::string message =
      test::message_of<OutputError>([&] { run("output.compression = 0\n", {.restart = Restart::always}); });
  EXPECT_TRUE(message.starts_with((directory() / "snapshot_0001.hdf5").string() + ": cannot be written: needs "));
  EXPECT_TRUE(message.ends_with("\n  The last valid checkpoint is " + (directory() / checkpoint_name(2)).string() +
                                ", of step 2, t = 0.5."))
      << message;
  EXPECT_FALSE(io::find_damage(directory() / checkpoint_name(2)).has_value());
}

TEST_F(EngineSimulation, TheFirstCompressedSnapshotMayTakeAllThatItsArraysDo) {
  testing::control().bytes.snapshot = std::uint64_t{1} << 60U;
  const std::string message = test::message_of<OutputError>([&] { run(); });
  EXPECT_TRUE(
      message.starts_with((directory() / "snapshot_0000.hdf5").string() + ": cannot be written: needs 1.2 EB, "))
      << message;
  EXPECT_NE(message.find("\n  Needed is what it has before compression"), std::string::npos) << message;
  EXPECT_FALSE(files().contains("snapshot_0000.hdf5"));
  testing::control().bytes.snapshot = 0;
  run("time.max_steps = 2\n");
  testing::control().bytes.snapshot = std::uint64_t{1} << 60U;
  EXPECT_EQ(run("", {.restart = Restart::always}).steps, 6U);  // now the one before says how much it shrinks
}

TEST_F(EngineSimulation, ARestartRefusesByNameWhatMayNotChange) {
  run("time.max_steps = 5\n");
  const auto before = files();
  const auto message = [&](const std::string& more) {
    return test::message_of<config::Error>([&] { run(more, {.restart = Restart::always}); });
  };
  const std::string path = (directory() / checkpoint_name(5)).string();
  const std::string said = message("[units]\nlength = \"2 cm\"\n");
  EXPECT_NE(said.find(": units.length: is 2.0, but " + path +
                      " was written with 1.0; this key may not change on a restart\n  hint: write 1.0 again, or "),
            std::string::npos)
      << said;
  EXPECT_NE(message("time.begin = -1\n").find(": time.begin: is -1.0, but " + path + " was written without it;"),
            std::string::npos);
  EXPECT_EQ(files(), before);
  const Summary rest = run("time.dt_max = 0.125\nrun.name = \"b\"\n", {.restart = Restart::always});
  EXPECT_EQ(rest.steps, 6U);  // 0.75 time units are left
}

TEST_F(EngineSimulation, CheckpointsComeByWallTime) {
  // Any step lasts longer than a nanosecond: a checkpoint after each, all under one name.
  const Summary often = run("output.checkpoint_every = 1e-9\n");
  fs::remove_all(directory());
  const Summary once = run("output.checkpoint_every = 0\n");
  EXPECT_GT(often.output_bytes, 5 * once.output_bytes);
  EXPECT_EQ(files(), all_results);
}

}  // namespace
}  // namespace tacit::engine::simulation_test
