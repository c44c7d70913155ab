// What the program prints: amounts, quoted words, the line of progress, the command that continues a run.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "amounts.hpp"
#include "input.hpp"
#include "quoted_text.hpp"
#include "terminal_reporter.hpp"

namespace tacit::apps {
namespace {

TEST(Amounts, HaveThreeDigits) {
  EXPECT_EQ(bytes_text(0.0), "0 B");
  EXPECT_EQ(bytes_text(999.0), "999 B");
  EXPECT_EQ(bytes_text(999.7), "1 kB");
  EXPECT_EQ(bytes_text(23.64e9), "23.6 GB");
  EXPECT_EQ(bytes_text(60.5e18), "60.5 EB");
  EXPECT_EQ(rate_text(410.0), "410 updates/s");
  EXPECT_EQ(rate_text(12'345.0), "12.3 k updates/s");
  EXPECT_EQ(rate_text(999'600.0), "1 M updates/s");
  EXPECT_EQ(rate_text(2.05e6), "2.05 M updates/s");
  EXPECT_EQ(rate_text(3.1e9), "3.1 G updates/s");
}

TEST(Amounts, OfTimeAreInWordsWhereTheyAreAbsurd) {
  EXPECT_EQ(duration_text(1.0), "1 s");
  EXPECT_EQ(duration_text(119.0), "119 s");
  EXPECT_EQ(duration_text(3600.0), "60 min");
  EXPECT_EQ(duration_text(27'000.0), "7.5 h");
  EXPECT_EQ(duration_text(1e6), "12 days");
  EXPECT_EQ(duration_text(1e9), "32 years");
  EXPECT_EQ(duration_text(1e12), "more than 1000 years");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "more than 1000 years");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "more than 1000 years");
}

TEST(ShellText, IsReadBackAsOneWord) {
  EXPECT_EQ(shell_text("output/blast-2_b.toml"), "output/blast-2_b.toml");
  EXPECT_EQ(shell_text("time.end=0.1"), "time.end=0.1");
  EXPECT_EQ(shell_text(""), "''");
  EXPECT_EQ(shell_text("my run"), "'my run'");
  EXPECT_EQ(shell_text("a;b&$HOME~*[1]"), "'a;b&$HOME~*[1]'");
  EXPECT_EQ(shell_text("it's"), "'it'\\''s'");
}

TEST(ContinuingCommand, IsTheWholeOne) {
  RunArguments arguments;
  arguments.file = "run.toml";
  EXPECT_EQ(continuing_command(arguments), "tacit run run.toml --restart");
  arguments.file = "my runs/run.toml";
  arguments.settings = {"sph.eta=1.3", "run.name=a b"};
  arguments.threads = "16";
  arguments.output = "out";
  arguments.restart = engine::Restart::always;
  EXPECT_EQ(continuing_command(arguments),
            "tacit run 'my runs/run.toml' --set sph.eta=1.3 --set 'run.name=a b' --threads 16 --output out --restart");
}

TEST(ContinuingCommand, RaisesWhatHasEndedTheRun) {
  RunArguments arguments;
  arguments.file = "run.toml";
  EXPECT_EQ(continuing_command(arguments, "time.max_steps=66"), "tacit run run.toml --set time.max_steps=66 --restart");
  arguments.settings = {"time.max_steps = 33", "time.end=2"};
  EXPECT_EQ(continuing_command(arguments, "time.max_steps=66"),
            "tacit run run.toml --set time.end=2 --set time.max_steps=66 --restart");
}

constexpr engine::Progress halfway{.step = 123'456,
                                   .coordinate = 0.012345,
                                   .begin = 0.0,
                                   .end = 0.02469,
                                   .dt = 2.1e-5,
                                   .wall_s = 5000.0,
                                   .updates_per_s = 410'000.0,
                                   .energy_drift = 1e-3};

TEST(ProgressLine, HasAllWhereThereIsRoom) {
  EXPECT_EQ(progress_line(halfway),
            "t 0.01235 of 0.02469  50 %  step 123456  dt 2.1e-05  410 k updates/s  83 min left  dE 1.0e-03");
}

TEST(ProgressLine, LeavesOutWhatMattersLeast) {
  EXPECT_EQ(progress_line(halfway, 79), "t 0.01235 of 0.02469  50 %  step 123456  410 k updates/s  83 min left");
  EXPECT_EQ(progress_line(halfway, 49), "t 0.01235 of 0.02469  50 %  83 min left");
  EXPECT_EQ(progress_line(halfway, 20), "50 %  83 min left");
  EXPECT_EQ(progress_line(halfway, 3), "50 ");
  for (std::size_t width = 1; width < 120; ++width) EXPECT_LE(progress_line(halfway, width).size(), width);
}

TEST(ProgressLine, CountsWhatTheSolverCounts) {
  constexpr engine::Progress quarter{.step = 50,
                                     .axis = {.name = "trajectory", .kind = engine::Axis::Kind::counted},
                                     .coordinate = 50.0,
                                     .end = 200.0,
                                     .dt = 1.0,
                                     .wall_s = 30.0,
                                     .updates_per_s = 410.0};
  EXPECT_EQ(progress_line(quarter), "trajectory 50 of 200  25 %  410 updates/s  90 s left");
}

}  // namespace
}  // namespace tacit::apps
