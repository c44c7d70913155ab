// Running graphs: order by priority, errors, workers, trace, wrong use.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "fake_source.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace scheduler_test {

void nothing(StepContext&) {}

TEST(TasksScheduler, LongestPathGoesFirst) {
  Graph graph;
  const DatumId x = graph.add_datum();
  std::vector<std::uint32_t> order;
  const auto note = [&](std::uint32_t i) { return [&order, i](StepContext&) { order.push_back(i); }; };
  graph.add("short", {}, note(0), {.cost = 2.0});
  graph.add("begin", writes(x), note(1), {.cost = 1.0});
  graph.add("end", reads(x), note(2), {.cost = 2.5});
  graph.add("long", {}, note(3), {.cost = 3.0});
  trace::Recorder recorder(1, 16);
  Scheduler scheduler(1, recorder);
  scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 3, 2, 0}));  // 3.5, 3.0, 2.5, 2.0
}

TEST(TasksScheduler, TasksGetStepAndWorker) {
  Graph graph;
  std::atomic<int> good = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    graph.add("task", {}, [&](StepContext& step) {
      const bool right = step.time == 1.5 && step.dt == 0.5 && step.step == 7;
      good += right && step.worker() < 3 ? 1 : 0;
      step.time = -1.0;  // each task has a context of its own
    });
  }
  trace::Recorder recorder(3, 256);
  Scheduler scheduler(3, recorder);
  EXPECT_EQ(scheduler.workers(), 3U);
  StepContext step;
  step.time = 1.5;
  step.dt = 0.5;
  step.step = 7;
  scheduler.run(graph, graph.activate_all(), step);
  EXPECT_EQ(good, 200);
}

TEST(TasksScheduler, WorkersRunAtOnceEachUnderItsNumber) {
  Graph graph;
  std::atomic<int> inside = 0;
  std::atomic<std::uint32_t> seen = 0;
  std::atomic<bool> caller_is_zero = true;
  const auto caller = std::this_thread::get_id();
  for (int i = 0; i < 3; ++i) {
    graph.add("meet", {}, [&](StepContext& step) {
      seen |= 1U << step.worker();
      if ((step.worker() == 0) != (std::this_thread::get_id() == caller)) caller_is_zero = false;
      ++inside;
      while (inside < 3) std::this_thread::yield();  // passes only if all three run at the same time
    });
  }
  trace::Recorder recorder(3, 16);
  Scheduler scheduler(3, recorder);
  scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(seen, 7U);
  EXPECT_TRUE(caller_is_zero);
}

TEST(TasksScheduler, NothingToDoReturnsAtOnce) {
  Graph graph;
  trace::Recorder recorder(8, 16);
  Scheduler scheduler(8, recorder);
  scheduler.run(graph, graph.activate_all(), {});
  int runs = 0;
  graph.add("one", {}, [&](StepContext&) { ++runs; });
  for (int i = 0; i < 100; ++i) scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(runs, 100);
}

TEST(TasksScheduler, SleepingWorkersWakeForTheNextRun) {
  Graph graph;
  std::atomic<int> inside = 0;
  for (int i = 0; i < 2; ++i) {
    graph.add("meet", {}, [&](StepContext&) {
      ++inside;
      while (inside < 2) std::this_thread::yield();
    });
  }
  trace::Recorder recorder(2, 16);
  Scheduler scheduler(2, recorder);
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // far beyond the time of spinning
    inside = 0;
    scheduler.run(graph, graph.activate_all(), {});
    EXPECT_EQ(inside, 2);
  }
}

TEST(TasksScheduler, FirstErrorWinsWithItsTypeAndTheTaskNamed) {
  Graph graph;
  const DatumId x = graph.add_datum();
  std::atomic<int> later = 0;
  bool broken = true;
  graph.add("density", writes(x),
            [&](StepContext&) {
              if (broken) throw base::FormatError("gas.hdf5", "too short");
            },
            {.key = 12});
  for (int i = 0; i < 20; ++i) graph.add("force", reads(x), [&](StepContext&) { ++later; });
  for (const std::size_t workers : {1U, 2U, 4U}) {
    trace::Recorder recorder(workers, 64);
    Scheduler scheduler(workers, recorder);
    Activation all = graph.activate_all();
    later = 0;
    broken = true;
    try {
      scheduler.run(graph, all, {});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const base::FormatError& error) {
      EXPECT_STREQ(error.what(), "gas.hdf5: too short\n  in task density[12]");
    }
    EXPECT_EQ(later, 0);
    broken = false;
    scheduler.run(graph, all, {});  // as good as new
    EXPECT_EQ(later, 20);
  }
}

namespace {

Task<> wait_for(testing::FakeSource& source) {
  co_await completion(source, [&](base::Token token) { source.post(token); });
}

}  // namespace

/// Two tasks meet, so that each worker has one; that of the chosen worker throws, and the other goes on until the
/// scheduler knows of it. What it releases then must not run.
TEST(TasksScheduler, RunningTasksFinishAndOthersAreDropped) {
  for (const std::uint32_t thrower : {0U, 1U}) {
    testing::FakeSource source;
    trace::Recorder recorder(2, 64);
    Scheduler scheduler(2, recorder);
    scheduler.attach(source);
    const Future<void> outstanding = spawn(scheduler, wait_for(source));  // so that workers ask
    scheduler.work_until([&] { return source.outstanding() == 1; });
    std::atomic<int> inside = 0;
    std::atomic<bool> throws = false;
    std::atomic<bool> finished = false;
    std::atomic<int> later = 0;
    Graph graph;
    for (int i = 0; i < 2; ++i) {
      const DatumId x = graph.add_datum();
      graph.add("meet", writes(x), [&](StepContext& step) {
        ++inside;
        while (inside < 2) std::this_thread::yield();
        if (step.worker() == thrower) {
          throws = true;
          throw 42;  // not even a std::exception
        }
        while (!throws) std::this_thread::yield();
        source.await_poll(thrower);
        finished = true;
      });
      for (int j = 0; j < 10; ++j) graph.add("rest", reads(x), [&](StepContext&) { ++later; });
    }
    EXPECT_THROW(scheduler.run(graph, graph.activate_all(), {}), int);
    EXPECT_TRUE(finished);
    EXPECT_EQ(later, 0);
    source.finish(source.posted().at(0));
    outstanding.get();
    scheduler.detach(source);
  }
}

TEST(TasksScheduler, AnErrorWhileHoldingALockLeavesItFree) {
  Graph graph;
  const DatumId x = graph.add_datum();
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    graph.add("add", commutes(x), [&](StepContext&) {
      if (++calls == 2) throw std::runtime_error("once");
    });
  }
  trace::Recorder recorder(1, 64);
  Scheduler scheduler(1, recorder);
  Activation all = graph.activate_all();
  EXPECT_THROW(scheduler.run(graph, all, {}), std::runtime_error);
  scheduler.run(graph, all, {});
  EXPECT_EQ(calls, 5);
}

TEST(TasksScheduler, LocksOfWholeAndPartsExcludeEachOther) {
  Graph graph;
  const DatumId whole = graph.add_datum();
  const DatumId left = graph.add_datum(whole);
  const DatumId right = graph.add_datum(whole);
  std::array<int, 2> values{};  // guarded by the locks; sanitizers see it if they fail
  for (int i = 0; i < 300; ++i) {
    graph.add("whole", commutes(whole), [&](StepContext&) { ++values[0], ++values[1]; });
    graph.add("left", commutes(left), [&](StepContext&) { ++values[0]; });
    graph.add("right", commutes(right), [&](StepContext&) { ++values[1]; });
    graph.add("both", commutes(left, right), [&](StepContext&) { ++values[0], ++values[1]; });
  }
  trace::Recorder recorder(4, 64);
  Scheduler scheduler(4, recorder);
  scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(values, (std::array{900, 900}));
}

TEST(TasksScheduler, EveryTaskIsRecorded) {
  Graph graph;
  const DatumId x = graph.add_datum();
  for (std::uint32_t i = 0; i < 10; ++i) {
    graph.add("work", commutes(x), [](StepContext&) { std::this_thread::sleep_for(std::chrono::microseconds(200)); },
              {.key = i});
  }
  graph.add("end", writes(x), nothing);
  trace::Recorder recorder(2, 64);
  const trace::KindId foreign = recorder.kind("something else");
  double wall = 0.0;
  {  // a worker may look for work and book it as long as it lives
    Scheduler scheduler(2, recorder);
    const base::Stopwatch watch;
    scheduler.run(graph, graph.activate_all(), {});
    wall = watch.seconds();
  }
  EXPECT_EQ(recorder.counters().tasks, 11U);
  EXPECT_EQ(recorder.track(0).sum(foreign).count, 0U);
  const auto sums = recorder.sums();
  const auto work = std::ranges::find(sums, "work", &trace::Recorder::KindSum::name);
  ASSERT_NE(work, sums.end());
  EXPECT_EQ(work->count, 10U);
  EXPECT_GE(work->seconds, 0.999 * 10 * 200e-6);  // sleep_for never returns early; clocks differ by 1e-4
  EXPECT_LE(work->seconds, 2 * 1.001 * wall);     // two workers
  std::multiset<std::uint32_t> keys;
  for (std::size_t lane = 0; lane < 2; ++lane) {
    std::int64_t end = 0;
    for (const trace::Event& event : recorder.track(lane).events()) {
      EXPECT_GE(event.begin, end) << "events of one worker overlap";
      EXPECT_GE(event.end, event.begin);
      end = event.end;
      if (recorder.category(event.kind) == trace::Category::task) keys.insert(event.key);
    }
  }
  EXPECT_EQ(keys, (std::multiset<std::uint32_t>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(TasksScheduler, WrongUseIsNamed) {
  trace::Recorder recorder(2, 16);
  EXPECT_THROW(Scheduler(0, recorder), base::PreconditionError);
  EXPECT_THROW(Scheduler(3, recorder), base::PreconditionError);
  Scheduler scheduler(2, recorder);
  Graph graph;
  graph.add("nested", {}, [&](StepContext& step) { scheduler.run(graph, graph.activate_all(), step); });
  EXPECT_THROW(scheduler.run(graph, graph.activate_all(), {}), base::PreconditionError);
}

}  // namespace scheduler_test
}  // namespace tacit::tasks
