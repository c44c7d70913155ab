// A run that is stepped from outside: the same as one that runs by itself.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/simulation.hpp"

namespace tacit::engine::stepping_test {
namespace {

namespace fs = std::filesystem;

class EngineStepping : public ::testing::Test {
 protected:
  EngineStepping() { testing::reset_control(); }

  [[nodiscard]] config::Parameters parameters(const fs::path& directory) const {
    return testing::read(scratch / "test.toml",
                         "run.threads = 2\ntime.end = 2\noutput.snapshot_every = 0.75\n"
                         "output.statistics_every = 0.5\noutput.directory = \"" +
                             directory.string() + "\"\n");
  }
  /// The lines of statistics.csv without the wall time that ends them.
  [[nodiscard]] static std::vector<std::string> statistics_in(const fs::path& directory) {
    std::vector<std::string> lines;
    std::istringstream text(test::content(directory / "statistics.csv"));
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(0, line.rfind(',')));
    return lines;
  }

  test::Scratch scratch;
  testing::Listener listener;
};

TEST_F(EngineStepping, LeavesWhatARunByItselfLeaves) {
  const fs::path whole = scratch / "whole";
  const fs::path steps = scratch / "steps";
  Simulation(parameters(whole), testing::counting_entry, testing::alone(), {}, listener).run();
  {
    Simulation simulation(parameters(steps), testing::counting_entry, testing::alone(), {}, listener);
    simulation.begin();
    std::uint64_t taken = 0;
    while (simulation.step()) EXPECT_EQ(simulation.time(), 0.25 * static_cast<double>(++taken));
    EXPECT_EQ(simulation.steps(), taken);
    EXPECT_EQ(simulation.last_step(), 0.25);
    EXPECT_TRUE(simulation.is_over());
    simulation.write_snapshot_to(scratch / "beside.hdf5");
    EXPECT_TRUE(simulation.end().finished);
  }
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(whole)) {
    EXPECT_TRUE(fs::exists(steps / entry.path().filename())) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 8U);
  EXPECT_EQ(statistics_in(steps), statistics_in(whole));
  for (const char* const name : {"snapshot_0000.hdf5", "snapshot_0001.hdf5", "snapshot_0003.hdf5"}) {
    EXPECT_EQ(test::content(steps / name), test::content(whole / name));
  }
  EXPECT_EQ(test::content(scratch / "beside.hdf5"), test::content(whole / "snapshot_0003.hdf5"));
}

TEST_F(EngineStepping, LostStatisticsCostTheAveragesAndNotTheRun) {
  const fs::path directory = scratch / "out";
  config::Parameters averaged = testing::read(scratch / "test.toml",
                                              "run.threads = 2\ntime.end = 2\noutput.average_from = 0.5\n"
                                              "output.directory = \"" +
                                                  directory.string() + "\"\n");
  Simulation simulation(averaged, testing::counting_entry, testing::alone(), {}, listener);
  simulation.begin();
  while (simulation.step()) {
  }
  fs::remove(directory / "statistics.csv");
  const Summary summary = simulation.end();
  EXPECT_TRUE(summary.finished);
  EXPECT_FALSE(summary.averages);
  ASSERT_EQ(summary.warnings.size(), 1U);
  EXPECT_EQ(
      summary.warnings[0].rfind("warning: the result has no averages: " + (directory / "statistics.csv").string(), 0),
      0U)
      << summary.warnings[0];
  EXPECT_NE(test::content(directory / "summary.json").find("has no averages"), std::string::npos);
}

TEST_F(EngineStepping, EndsWithACheckpointWhereItIsAskedToStop) {
  const fs::path directory = scratch / "out";
  {
    Simulation simulation(parameters(directory), testing::counting_entry, testing::alone(),
                          {.requests = &testing::control().requests}, listener);
    simulation.begin();
    ASSERT_TRUE(simulation.step());
    testing::control().requests.stop = true;
    EXPECT_FALSE(simulation.step());
    EXPECT_FALSE(simulation.end().finished);
    EXPECT_TRUE(simulation.was_stopped());
  }
  EXPECT_TRUE(fs::exists(directory / checkpoint_name(1)));
}

TEST_F(EngineStepping, WritesNoStateThatIsNotFinite) {
  testing::control().spoil_after_step = 0;
  Simulation simulation(parameters(scratch / "out"), testing::counting_entry, testing::alone(), {}, listener);
  simulation.begin();
  ASSERT_TRUE(simulation.step());
  EXPECT_THROW(simulation.write_snapshot_to(scratch / "beside.hdf5"), NumericsError);
  EXPECT_FALSE(fs::exists(scratch / "beside.hdf5"));
}

}  // namespace
}  // namespace tacit::engine::stepping_test
