// Exceptions: from each worker, the first of several, through nested jobs; and that everything works afterwards.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "error_of.hpp"
#include "fake_source.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace errors_test {
namespace {

using testing::FakeSource;

class Errors : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::string run(Activation& activation) {
    return testing::error_of([&] { scheduler.run(graph, activation, {}); });
  }
  std::string run() {
    Activation all = graph.activate_all();
    return run(all);
  }

  trace::Recorder recorder{4, 1U << 8U};
  Graph graph;
  Scheduler scheduler{GetParam(), recorder};
};

INSTANTIATE_TEST_SUITE_P(Workers, Errors, ::testing::Values(1, 2, 4));

Task<> wait_for(FakeSource& source, double delay_s) {
  co_await completion(source, [&](base::Token token) { source.post(token, delay_s); });
}

/// Worker 0 has failed and may be the only one that polls, while another waits for an operation.
TEST(ErrorsWhilePolling, TheFailedRunGoesOnPolling) {
  for (const Polling polling : {Polling::idle_workers, Polling::one_worker, Polling::thread}) {
    trace::Recorder recorder(2);
    FakeSource source;
    Scheduler scheduler({.workers = 2, .polling = polling, .stall_timeout_s = 60.0}, recorder);
    scheduler.attach(source);
    std::atomic<bool> waits = false;
    Graph graph;
    for (int i = 0; i < 2; ++i) {
      graph.add("task", {}, [&](StepContext& step) {
        if (step.worker() == 0) {
          while (!waits) std::this_thread::yield();
          throw base::FormatError("gas.hdf5", "too short");
        }
        Future<void> arrived = spawn(scheduler, wait_for(source, 0.02));
        waits = true;
        arrived.get();
      });
    }
    EXPECT_THROW(scheduler.run(graph, graph.activate_all(), {}), base::FormatError);
    scheduler.detach(source);
  }
}

/// What was begun in a run that failed may be half done: tasks of later runs can ask.
TEST_P(Errors, AreKnownToLaterRuns) {
  bool throws = false;
  std::vector<bool> follows;
  graph.add("task", {}, [&](StepContext& step) {
    follows.push_back(step.follows_failure());
    if (throws) throw base::FormatError("gas.hdf5", "too short");
  });
  Activation all = graph.activate_all();
  scheduler.run(graph, all, {});
  EXPECT_FALSE(graph.has_failed());
  throws = true;
  EXPECT_THROW(scheduler.run(graph, all, {}), base::FormatError);
  EXPECT_TRUE(graph.has_failed());
  throws = false;
  scheduler.run(graph, all, {});
  EXPECT_EQ(follows, (std::vector<bool>{false, false, true}));
  const std::uint64_t number = graph.number();
  graph = Graph();
  EXPECT_FALSE(graph.has_failed());
  EXPECT_NE(graph.number(), number);
}

/// As many tasks as workers wait for each other, so that each worker has one; then the chosen worker throws.
TEST_P(Errors, ComeFromEachWorkerWithTheTaskNamed) {
  const auto workers = static_cast<std::uint32_t>(scheduler.workers());
  constexpr std::uint32_t no_task = 99;
  std::uint32_t thrower = no_task;
  std::atomic<std::uint32_t> inside = 0;
  std::atomic<std::uint32_t> named = no_task;  // the task that threw
  std::atomic<int> later = 0;
  const DatumId x = graph.add_datum();
  for (std::uint32_t i = 0; i < workers; ++i) {
    graph.add("meet", reads(x),
              [&, i](StepContext& step) {
                ++inside;
                while (inside < workers) std::this_thread::yield();
                if (step.worker() != thrower) return;
                named = i;
                throw base::FormatError("gas.hdf5", "too short");
              },
              {.key = i});
  }
  for (int i = 0; i < 10; ++i) graph.add("rest", writes(x), [&](StepContext&) { ++later; });
  Activation all = graph.activate_all();
  for (thrower = 0; thrower < workers; ++thrower) {
    inside = 0;
    later = 0;
    const std::string said = run(all);
    EXPECT_EQ(said, "gas.hdf5: too short\n  in task meet[" + std::to_string(named) + "]");
    EXPECT_EQ(later, 0);
    inside = 0;
    const std::uint32_t next = thrower;
    thrower = no_task;
    EXPECT_EQ(run(all), "no error");
    EXPECT_EQ(later, 10);
    thrower = next;
  }
}

TEST(ErrorsOfTwo, TheFirstWins) {
  trace::Recorder recorder(2, 16);
  FakeSource source;
  Scheduler scheduler(2, recorder);
  scheduler.attach(source);
  const Future<void> outstanding = spawn(scheduler, wait_for(source, FakeSource::never));  // so that workers ask
  scheduler.work_until([&] { return source.outstanding() == 1; });
  Graph graph;
  std::atomic<int> inside = 0;
  std::atomic<int> thrower = -1;
  graph.add("first", {}, [&](StepContext& step) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    thrower = static_cast<int>(step.worker());
    throw std::runtime_error("first");
  });
  graph.add("second", {}, [&](StepContext&) {
    ++inside;
    while (thrower < 0) std::this_thread::yield();
    source.await_poll(static_cast<std::size_t>(thrower));
    throw std::runtime_error("second");
  });
  EXPECT_EQ(testing::error_of([&] { scheduler.run(graph, graph.activate_all(), {}); }), "first");
  source.finish(source.posted().at(0));
  outstanding.get();
  scheduler.detach(source);
}

TEST_P(Errors, OfOthersThanOursPassUnchanged) {
  graph.add("bad", {}, [](StepContext&) { throw std::out_of_range("beyond"); });
  Activation all = graph.activate_all();
  EXPECT_THROW(scheduler.run(graph, all, {}), std::out_of_range);
  EXPECT_EQ(run(all), "beyond");
}

TEST_P(Errors, OfANestedJobComeThroughTheTaskThatWaits) {
  graph.add("outer", {},
            [&](StepContext&) {
              spawn(scheduler, [&] {
                spawn(scheduler, [] { throw base::FormatError("gas.hdf5", "too short"); }).get();
              }).get();
            },
            {.key = 3});
  EXPECT_EQ(run(), "gas.hdf5: too short\n  in task outer[3]");
}

Task<int> descend(Scheduler& scheduler, int depth) {
  if (depth == 0) throw base::FormatError("gas.hdf5", "too short");
  co_await on(scheduler);
  co_return 1 + co_await descend(scheduler, depth - 1);
}

TEST_P(Errors, OfACoroutineComeThroughTheTaskThatWaits) {
  graph.add("outer", {}, [&](StepContext&) { spawn(scheduler, descend(scheduler, 5)).get(); }, {.key = 4});
  EXPECT_EQ(run(), "gas.hdf5: too short\n  in task outer[4]");
}

TEST_P(Errors, OfAJobThatNobodyWaitsForDisturbNoRun) {
  const Future<void> bad = spawn(scheduler, [] { throw base::FormatError("gas.hdf5", "too short"); });
  std::atomic<int> runs = 0;
  for (int i = 0; i < 20; ++i) graph.add("task", {}, [&](StepContext&) { ++runs; });
  EXPECT_EQ(run(), "no error");
  EXPECT_EQ(runs, 20);
  EXPECT_THROW(bad.get(), base::FormatError);
}

/// Jobs are not part of the run: those of a task that has failed go on.
TEST_P(Errors, EndARunButNoJobs) {
  std::atomic<int> done = 0;
  std::vector<Future<void>> jobs;
  graph.add("bad", {}, [&](StepContext&) {
    for (int i = 0; i < 50; ++i) jobs.push_back(spawn(scheduler, [&] { ++done; }));
    throw std::runtime_error("bad");
  });
  EXPECT_EQ(run(), "bad");
  for (const Future<void>& job : jobs) job.get();
  EXPECT_EQ(done, 50);
}

/// A graph with all that a run may leave half done: joins, locks, followers.
class ManyErrors : public Errors {
 protected:
  ManyErrors() {
    const DatumId whole = graph.add_datum();
    const DatumId left = graph.add_datum(whole);
    const DatumId right = graph.add_datum(whole);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 6; ++i) add(reads(left));
      for (int i = 0; i < 6; ++i) add(commutes(right));
      for (int i = 0; i < 3; ++i) add(commutes(whole));
      for (int i = 0; i < 6; ++i) add(i % 2 == 0 ? commutes(left) : commutes(right));
      add(writes(whole));
    }
  }
  void add(const AccessList<1>& accesses) {
    const auto i = static_cast<int>(graph.size());
    graph.add("task", accesses, [this, i](StepContext&) {
      if (thrower == i) throw std::runtime_error("bad");
      ++ended;
    });
  }
  std::atomic<int> ended = 0;
  int thrower = -1;
};

INSTANTIATE_TEST_SUITE_P(Workers, ManyErrors, ::testing::Values(1, 2, 3));

TEST_P(ManyErrors, LeaveNothingBehind) {
  constexpr int repeats = testing::under_tsan ? 4 : 50;
  const auto tasks = static_cast<int>(graph.size());
  Activation all = graph.activate_all();
  for (int i = 0; i < repeats * tasks; ++i) {
    thrower = i % tasks;
    ended = 0;
    ASSERT_EQ(run(all), "bad");
    ASSERT_LT(ended, tasks);
    thrower = -1;
    ended = 0;
    ASSERT_EQ(run(all), "no error");
    ASSERT_EQ(ended, tasks);
  }
}

TEST_P(ManyErrors, AnActivationMayBeMadeAnewAfterThem) {
  Activation part;
  for (std::uint32_t i = 0; i < 40; ++i) {
    std::vector<TaskId> tasks;
    for (std::uint32_t t = 0; t < graph.size(); ++t) {
      if ((t + i) % 3 != 0) tasks.push_back(static_cast<TaskId>(t));
    }
    graph.activate(tasks, part);
    EXPECT_FALSE(part.has_run());
    thrower = static_cast<int>(tasks[i % tasks.size()]);
    EXPECT_EQ(run(part), "bad");
    EXPECT_FALSE(part.has_run());
    thrower = -1;
    ended = 0;
    EXPECT_EQ(run(part), "no error");
    EXPECT_EQ(ended, static_cast<int>(tasks.size()));
    EXPECT_TRUE(part.has_run());
  }
}

}  // namespace
}  // namespace errors_test
}  // namespace tacit::tasks
