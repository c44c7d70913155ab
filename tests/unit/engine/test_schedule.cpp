// Steps meet output times and the end exactly, for any sequence of stable steps.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../io/scratch.hpp"
#include "tacit/base/random.hpp"
#include "tacit/engine/schedule.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine::schedule_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TimeParameters times(double begin, double end, double snapshot_every) {
  TimeParameters time;
  time.begin = begin;
  time.end = end;
  time.dt_max = infinity;
  time.snapshot_every = snapshot_every;
  time.statistics_every = (end - begin) / 7.0;
  return time;
}

/// A schedule that has taken the outputs of its begin.
Schedule started(const TimeParameters& time) {
  Schedule schedule(time);
  schedule.skip_to(time.begin);
  return schedule;
}

}  // namespace

TEST(Schedule, TheLastTwoStepsShareWhatIsLeft) {
  const Schedule schedule = started(times(0.0, 1.0, 1.0));
  EXPECT_EQ(schedule.step(0.0, 0.25), 0.25);
  EXPECT_EQ(schedule.step(0.5, 0.375), 0.25);  // 0.375 would leave a tiny 0.125
  EXPECT_EQ(schedule.step(0.5, 0.25), 0.25);
  EXPECT_EQ(schedule.step(0.75, 0.25), 0.25);
  EXPECT_EQ(schedule.step(0.75, 10.0), 0.25);
  EXPECT_EQ(schedule.step(0.75, infinity), 0.25);
}

TEST(Schedule, EqualStepsThatDivideTheRunStayEqualAndMeetTheTimesOfStatistics) {
  // Few of these are binary fractions: their sums end a little before or after 0.2, 0.38, and so on.
  for (const double dt : {0.02, 0.01, 0.3, 0.007, 1e-5}) {
    TimeParameters parameters = times(0.0, 1000.0 * dt, 50.0 * dt);
    parameters.statistics_every = dt;
    Schedule schedule = started(parameters);
    double time = 0.0;
    std::size_t taken = 0;
    std::size_t lines = 0;
    for (; !schedule.is_over(time); ++taken) {
      const double step = schedule.step(time, dt);
      EXPECT_NEAR(step / dt, 1.0, 1e-7) << "step " << taken;
      time = schedule.end_of_step(time, step);
      static_cast<void>(schedule.take_snapshot(time));
      if (schedule.take_statistics(time)) ++lines;
    }
    EXPECT_EQ(taken, 1000U) << dt;
    EXPECT_EQ(lines, 1000U) << dt;
  }
}

TEST(Schedule, KeepsToDtMax) {
  TimeParameters time = times(0.0, 1.0, 1.0);
  time.dt_max = 0.125;
  EXPECT_EQ(started(time).step(0.0, 0.5), 0.125);
  EXPECT_EQ(started(time).step(0.0, 0.0625), 0.0625);
}

TEST(Schedule, EqualDtMinAndDtMaxGiveEqualSteps) {
  TimeParameters time = times(0.0, 1.0, 1.0);
  time.dt_max = time.dt_min = 0.125;
  EXPECT_EQ(started(time).step(0.0, 0.5), 0.125);
}

TEST(Schedule, StepsBelowWhatIsAllowedFail) {
  const TimeParameters time = times(0.0, 4.0, 4.0);
  const auto message = [&time](double at, double stable) {
    return test::message_of<NumericsError>([&] { static_cast<void>(started(time).step(at, stable)); });
  };
  EXPECT_EQ(message(2.0, 1e-17),
            "the solver needs a time step of 1e-17, below what a double can resolve\n"
            "  The state may have become unphysical: look at the last snapshot, or lower the Courant number.");
  EXPECT_EQ(message(2.0, 1e-13),
            "the solver needs a time step of 1e-13, below what reaches the end of the run in 1e+12 steps\n"
            "  The state may have become unphysical: look at the last snapshot, or lower the Courant number.");
  EXPECT_EQ(message(2.0, 1e-11), "nothing");
  EXPECT_NE(message(2.0, std::nan("")), "nothing");
  EXPECT_NE(message(2.0, 0.0), "nothing");
  EXPECT_NE(message(2.0, -1.0), "nothing");
}

TEST(Schedule, TheRestOfAStepMayBeAsShortAsItLikes) {
  TimeParameters time = times(0.0, 4.0, 4.0);
  time.dt_min = 0.125;  // for the solver's elements to keep to
  EXPECT_EQ(started(time).step(2.0, 1e-13, StepKind::rest), 1e-13);
  EXPECT_THROW(static_cast<void>(started(time).step(2.0, 1e-13)), NumericsError);
  EXPECT_EQ(started(time).step(2.0, 0.0625), 0.0625);
  EXPECT_THROW(static_cast<void>(started(time).step(2.0, 1e-17, StepKind::rest)), NumericsError);  // 2 + 1e-17 == 2
}

TEST(Schedule, ACountedAxisGoesByOne) {
  TimeParameters time = times(0.0, 10.0, 4.0);
  time.statistics_every = 3.0;
  Schedule schedule(time, {{.name = "loops", .every = 5.0}, {.name = "links"}}, Axis::Kind::counted);
  std::string due;
  for (double n = 0.0;; n = schedule.end_of_step(n, schedule.step(n, 1.0))) {
    due += fmt::format(" {}", n);
    if (schedule.take_snapshot(n)) due += 'S';
    if (schedule.take_statistics(n)) due += 'c';
    if (schedule.take_series(0, n)) due += 'o';
    if (schedule.take_series(1, n)) due += 'i';
    if (schedule.is_over(n)) break;
  }
  EXPECT_EQ(due, " 0Scoi 1 2 3c 4S 5o 6c 7 8S 9c 10Scoi");
}

TEST(Schedule, MayEndEarlier) {
  Schedule schedule = started(times(0.0, 4.0, 4.0));
  EXPECT_FALSE(schedule.is_over(1.0));
  schedule.end_at(1.0);
  EXPECT_TRUE(schedule.is_over(1.0));
  EXPECT_TRUE(schedule.take_snapshot(1.0));
  EXPECT_TRUE(schedule.take_statistics(1.0));
}

TEST(Schedule, RandomStepsMeetEveryOutputAndTheEnd) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const double begin = seed % 3 == 0 ? 0.0 : 20.0 * (base::uniform(seed, 0, 0) - 0.5);
    const double duration = std::pow(10.0, 6.0 * base::uniform(seed, 0, 1) - 3.0);
    const double every = duration / (0.5 + 20.0 * base::uniform(seed, 0, 2));
    const TimeParameters parameters = times(begin, begin + duration, every);
    Schedule schedule(parameters);
    double time = begin;
    std::vector<double> snapshots;
    std::size_t statistics = 0;
    std::uint64_t step = 0;
    while (true) {
      if (schedule.take_statistics(time)) ++statistics;
      if (schedule.take_snapshot(time)) snapshots.push_back(time);
      if (schedule.is_over(time)) break;
      const double stable = every * std::pow(10.0, 3.0 * base::uniform(seed, ++step, 3) - 2.0);
      const double dt = schedule.step(time, stable);
      ASSERT_GT(dt, 0.0);
      ASSERT_LE(dt, stable * (1.0 + 1e-7));
      const double next = schedule.end_of_step(time, dt);
      ASSERT_GT(next, time);
      // What is left is a difference of two times, each rounded to half an ulp.
      EXPECT_NEAR(next - time, dt, 4e-16 * (std::abs(begin) + std::abs(next) + duration));
      time = next;
    }
    EXPECT_EQ(time, parameters.end);
    std::vector<double> expected;
    for (std::uint64_t k = 0; begin + static_cast<double>(k) * every < parameters.end; ++k) {
      expected.push_back(begin + static_cast<double>(k) * every);
    }
    expected.push_back(parameters.end);
    EXPECT_EQ(snapshots, expected) << "seed " << seed;
    EXPECT_GE(statistics, 2U);  // begin and end at least
    EXPECT_LE(statistics, 9U);  // at most one in each of the seven intervals and at both ends
  }
}

TEST(Schedule, ListedTimesAreMetBesideTheOthers) {
  TimeParameters parameters = times(0.0, 1.0, 0.4);
  parameters.snapshot_times = {0.1, 0.25, 0.7};
  const auto taken_from = [&parameters](double time) {
    Schedule schedule(parameters);
    schedule.skip_to(time);
    std::vector<double> taken;
    while (!schedule.is_over(time)) {
      time = schedule.end_of_step(time, schedule.step(time, 0.07));
      if (schedule.take_snapshot(time)) taken.push_back(time);
    }
    return taken;
  };
  EXPECT_EQ(taken_from(0.0), (std::vector{0.1, 0.25, 0.4, 0.7, 0.8, 1.0}));
  EXPECT_EQ(taken_from(0.25), (std::vector{0.4, 0.7, 0.8, 1.0}));  // as after a restart
  EXPECT_EQ(taken_from(0.3), (std::vector{0.4, 0.7, 0.8, 1.0}));
}

TEST(Schedule, ASeriesWithSnapshotsComesWithEachOfThem) {
  TimeParameters parameters = times(0.0, 1.0, 0.4);
  parameters.snapshot_times = {0.1, 0.25, 0.7};
  const std::vector<Series> series{{.name = "with", .every = with_snapshots}, {.name = "own", .every = 0.5}};
  const auto taken_from = [&](double time, bool is_restart) {
    Schedule schedule(parameters, series);
    std::vector<double> taken;
    const auto look = [&] {
      const bool is_snapshot = schedule.take_snapshot(time);
      EXPECT_EQ(schedule.take_series(0, time), is_snapshot) << time;
      EXPECT_FALSE(schedule.take_series(0, time));  // once
      if (is_snapshot) taken.push_back(time);
    };
    if (is_restart) {
      schedule.skip_to(time);
    } else {
      look();
    }
    while (!schedule.is_over(time)) {
      time = schedule.end_of_step(time, schedule.step(time, 0.07));
      look();
    }
    return taken;
  };
  EXPECT_EQ(taken_from(0.0, false), (std::vector{0.0, 0.1, 0.25, 0.4, 0.7, 0.8, 1.0}));
  EXPECT_EQ(taken_from(0.25, true), (std::vector{0.4, 0.7, 0.8, 1.0}));
}

TEST(Schedule, ARestartAsksForNothingTwice) {
  const TimeParameters parameters = times(1.0, 4.0, 1.0);
  for (const double at : {1.0, 1.5, 2.0, 3.999, 4.0}) {
    Schedule schedule(parameters);
    schedule.skip_to(at);
    EXPECT_FALSE(schedule.take_snapshot(at)) << at;
    EXPECT_FALSE(schedule.take_statistics(at)) << at;
  }
  Schedule schedule(parameters);
  schedule.skip_to(2.5);
  EXPECT_EQ(schedule.step(2.5, infinity), 0.5);
  EXPECT_TRUE(schedule.take_snapshot(3.0));
  EXPECT_FALSE(schedule.take_snapshot(3.0));
  EXPECT_EQ(schedule.step(3.0, infinity), 1.0);
}

}  // namespace tacit::engine::schedule_test
