// A solver that counts trajectories: a field that a Markov chain moves, without any time.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

#include "sample_run.hpp"
#include "tacit/base/random.hpp"
#include "tacit/engine/axis.hpp"

namespace tacit::engine::axis_test {
namespace {

namespace fs = std::filesystem;
constexpr Axis trajectories{.name = "trajectory", .kind = Axis::Kind::counted};

/// A random walk of one number. An iteration halves another one, and has converged below 1/100.
class ChainSolver final : public Solver {
 public:
  explicit ChainSolver(const io::FileReader* restart) {
    if (restart != nullptr) restart->read("Chain/state", std::span(state_));
  }
  void step(const tasks::StepContext& step) override {
    state_[0] += base::uniform(7, step.step, 0) - 0.5;
    state_[1] *= 0.5;
  }
  [[nodiscard]] Conserved conserved() const override { return {.quantities = {{"charge", {1.0}, 1.0}}}; }
  [[nodiscard]] std::vector<Statistic> statistics() const override { return {{"action", state_[0]}}; }
  [[nodiscard]] bool has_converged() const override { return is_solve && state_[1] < 0.01; }
  [[nodiscard]] std::uint64_t elements() const override { return 1; }
  [[nodiscard]] Series snapshots() const override { return {.name = "configuration", .suffix = ".lime"}; }
  std::uint64_t write_snapshot(const fs::path& path, const FileContext& context) const override {
    io::write_atomically(path, context.axis.at(context.coordinate) + " " + std::to_string(state_[0]));
    return 1;
  }
  void save(io::FileWriter& checkpoint) const override {
    checkpoint.array("Chain/state", state_, std::array<std::uint64_t, 1>{2}, io::Number::float64);
  }

  static inline bool is_solve = false;

 private:
  std::array<double, 2> state_{0.0, 1.0};
};

const SolverEntry chain_entry{"chain",
                              "walks",
                              [] { return std::span<const config::KeyTable>{}; },
                              &testing::make<ChainSolver>,
                              &testing::predict_nothing,
                              trajectories};

class CountedRun : public ::testing::Test {
 protected:
  CountedRun() { ChainSolver::is_solve = false; }
  [[nodiscard]] config::Parameters parameters(const std::string& text) const {
    test::put(scratch / "chain.toml", "run.threads = 1\noutput.directory = \"" + directory().string() + "\"\n" + text);
    return config::Document(scratch / "chain.toml", {}).read(key_tables(trajectories));
  }
  [[nodiscard]] fs::path directory() const { return scratch / "out"; }
  Summary run(const std::string& text, bool restart = false) {
    Simulation simulation(parameters(text), chain_entry, testing::alone(),
                          {.restart = restart ? Restart::always : Restart::never}, listener);
    return simulation.run();
  }
  /// Without the column wall_s.
  [[nodiscard]] std::string statistics() const {
    std::istringstream text(test::content(directory() / "statistics.csv"));
    std::string lines;
    for (std::string line; std::getline(text, line);) {
      const std::size_t action = line.rfind(',');
      lines += line.substr(0, line.rfind(',', action - 1)) + line.substr(action) + "\n";
    }
    return lines;
  }

  test::Scratch scratch;
  testing::Listener listener;
};

TEST_F(CountedRun, RunsSnapshotsAndRestarts) {
  const std::string text = "trajectory.end = 10\noutput.snapshot_every = 4\noutput.statistics_every = 2\n";
  const Summary whole = run(text);
  EXPECT_TRUE(whole.finished);
  EXPECT_EQ(whole.steps, 10U);
  EXPECT_EQ(whole.coordinate, 10.0);
  EXPECT_EQ(listener.last.coordinate, 10.0);
  const std::string lines = statistics();
  EXPECT_TRUE(lines.starts_with("step,trajectory,charge,action\n0,0,1,0\n2,2,1,")) << lines;
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1 + 6);
  std::set<std::string> configurations;
  for (const auto& entry : fs::directory_iterator(directory())) {
    if (entry.path().extension() == ".lime") configurations.insert(test::content(entry.path()));
  }
  EXPECT_EQ(configurations.size(), 4U);  // 0, 4, 8, 10
  EXPECT_TRUE(test::content(directory() / "configuration_0002.lime").starts_with("trajectory 8 "));
  const std::string last = test::content(directory() / "configuration_0003.lime");

  fs::remove_all(directory());
  run("trajectory.end = 5\noutput.snapshot_every = 4\noutput.statistics_every = 2\n");
  EXPECT_EQ(run(text, true).steps, 5U);
  EXPECT_EQ(listener.notes.back(), "continues from step 5 at trajectory 5");
  EXPECT_EQ(test::content(directory() / "configuration_0004.lime"), last);  // one more, of trajectory 5
  const auto json = nlohmann::json::parse(test::content(directory() / "summary.json"));
  EXPECT_EQ(json.at("trajectory"), 10);
}

TEST_F(CountedRun, AConvergedSolveEnds) {
  ChainSolver::is_solve = true;
  const std::string text = "trajectory.end = 1000\n";
  const Summary summary = run(text);
  EXPECT_TRUE(summary.finished);
  EXPECT_EQ(summary.steps, 7U);  // 2^-7 < 1/100
  EXPECT_TRUE(test::content(directory() / "configuration_0001.lime").starts_with("trajectory 7 "));
  const Simulation again(parameters(text), chain_entry, testing::alone(), {.restart = Restart::always}, listener);
  EXPECT_TRUE(again.has_nothing_to_do());
  EXPECT_EQ(again.place(), "trajectory 7");
}

TEST_F(CountedRun, HasKeysOfItsOwn) {
  EXPECT_THROW(static_cast<void>(parameters("trajectory.end = 3\ntime.end = 1\n")), config::Error);
  const TimeParameters by_default = read_time_parameters(parameters("trajectory.end = 250\n"), trajectories, 0.0);
  EXPECT_EQ(by_default.end, 250.0);
  EXPECT_EQ(by_default.snapshot_every, 250.0);
  EXPECT_EQ(by_default.statistics_every, 2.0);
  EXPECT_THROW(static_cast<void>(parameters("trajectory.end = 2.5\n")), config::Error);
  const auto listed = [this](const std::string& list) {
    const std::string text = "trajectory.end = 50\noutput.snapshot_times = " + list + "\n";
    return read_time_parameters(parameters(text), trajectories, 0.0).snapshot_times;
  };
  EXPECT_EQ(listed("[0, 10, 50, 80]"), std::vector{10.0});  // the others are due anyway, or outside
  EXPECT_TRUE(test::message_of<config::Error>([&] {
                static_cast<void>(listed("[10, 12.5]"));
              }).ends_with("output.snapshot_times: 12.5 is no trajectory; expected integers"));
  EXPECT_THROW(static_cast<void>(parameters("trajectory.end = 5\noutput.snapshot_every = 0\n")), config::Error);
  EXPECT_THROW(static_cast<void>(read_time_parameters(parameters("trajectory.end = 5\n"), trajectories, 5.0)),
               config::Error);
}

TEST_F(CountedRun, TimeKeepsItsKeys) {
  const auto of_time = key_tables(Axis{});
  ASSERT_EQ(of_time.size(), key_tables().size());
  for (std::size_t i = 0; i < of_time.size(); ++i) EXPECT_EQ(of_time[i].keys.data(), key_tables()[i].keys.data());
}

}  // namespace
}  // namespace tacit::engine::axis_test
