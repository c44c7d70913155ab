// Many runs one after the other, activations that are used again, nested waits, jobs from other threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include "random_graph.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace runs_test {
namespace {

using testing::under_tsan;

std::string dot_of(const Graph& graph, const Activation& activation) {
  std::ostringstream out;
  graph.write_dot(out, activation);
  return out.str();
}

// ---- activations ---------------------------------------------------------------------------------------------------

TEST(TasksActivation, UsedAgainIsAsANewOne) {
  testing::Random random(31);
  trace::Recorder of_one(1, 16);
  trace::Recorder of_three(3, 16);
  Scheduler one(1, of_one);
  Scheduler three(3, of_three);
  for (int i = 0; i < (under_tsan ? 10 : 100); ++i) {
    const testing::Plan plan = testing::random_plan(random, 10, 40);
    testing::Model* target = nullptr;
    const Conflicts conflicts = i % 2 == 0 ? Conflicts::any_order : Conflicts::ordered;
    Graph graph = testing::make_graph(plan, conflicts,
                                      [&](std::size_t t) { return [&target, t](StepContext&) { target->run(t); }; });
    Activation used;
    for (int k = 0; k < 8; ++k) {
      const std::vector<TaskId> part = testing::random_part(random, plan);
      graph.activate(part, used);
      const Activation fresh = graph.activate(part);
      ASSERT_EQ(dot_of(graph, used), dot_of(graph, fresh)) << "case " << i << ", part " << k;
      EXPECT_EQ(used.size(), fresh.size());
      EXPECT_EQ(used.edges(), fresh.edges());
      EXPECT_EQ(used.joins(), fresh.joins());
      EXPECT_FALSE(used.has_run());
      testing::Model serial(plan);
      for (const TaskId task : part) serial.run(static_cast<std::size_t>(task));
      for (Scheduler* scheduler : {&three, &one}) {  // dealt again for another number of workers
        testing::Model parallel(plan);
        target = &parallel;
        scheduler->run(graph, used, {});
        ASSERT_EQ(parallel.difference(serial), "") << "case " << i << ", part " << k;
      }
      EXPECT_TRUE(used.has_run());
    }
  }
}

/// An activation may serve a graph that has grown since, and another graph after that.
TEST(TasksActivation, MayGoFromOneGraphToAnother) {
  trace::Recorder recorder(2, 16);
  Scheduler scheduler(2, recorder);
  std::atomic<int> runs = 0;
  const auto count = [&](StepContext&) { ++runs; };
  Graph large;
  const DatumId x = large.add_datum();
  for (int i = 0; i < 30; ++i) large.add("a", commutes(x), count);
  Graph small;
  small.add("b", {}, count);
  const TaskKind in_large[] = {large.kind("a")};
  const TaskKind in_small[] = {small.kind("b")};
  Activation used;
  large.activate(in_large, used);
  scheduler.run(large, used, {});
  EXPECT_EQ(runs, 30);
  small.activate(in_small, used);
  scheduler.run(small, used, {});
  EXPECT_EQ(runs, 31);
  large.add("a", writes(x), count);
  large.activate(in_large, used);
  scheduler.run(large, used, {});
  EXPECT_EQ(runs, 62);
}

// ---- small runs ----------------------------------------------------------------------------------------------------

TEST(TasksRuns, OfNothingAndOfOneTask) {
  for (const Polling polling : {Polling::idle_workers, Polling::one_worker, Polling::thread}) {
    for (const std::size_t workers : {1U, 2U, 3U}) {
      trace::Recorder recorder(workers, 16);
      {
        Scheduler scheduler({.workers = workers, .polling = polling}, recorder);
        Graph graph;
        Activation empty = graph.activate_all();
        for (int i = 0; i < 20; ++i) scheduler.run(graph, empty, {});
        EXPECT_TRUE(empty.has_run());
        int runs = 0;
        graph.add("one", {}, [&](StepContext&) { ++runs; });
        Activation one = graph.activate_all();
        for (int i = 0; i < 20; ++i) scheduler.run(graph, one, {});
        EXPECT_EQ(runs, 20);
      }
      EXPECT_EQ(recorder.counters().tasks, 20U);
    }
  }
}

/// A step of three stages: each cell is kicked, then all forces are added up, then the sum is looked at.
class Steps {
 public:
  static constexpr std::size_t cells = 8;
  static constexpr std::size_t tasks = 2 * cells + 1;
  Steps() {
    for (std::size_t c = 0; c < cells; ++c) x_.push_back(graph.add_datum());
    const DatumId total = graph.add_datum();
    for (std::size_t c = 0; c < cells; ++c) graph.add("kick", writes(x_[c]), [this, c](StepContext&) { ++values[c]; });
    for (std::size_t c = 0; c < cells; ++c) {
      graph.add("force", reads(x_[c], x_[(c + 1) % cells]) + commutes(total),
                [this, c](StepContext&) { sum_ += values[c] - values[(c + 1) % cells] + 1; });
    }
    graph.add("end", reads(total), [this](StepContext& step) {
      EXPECT_EQ(sum_, static_cast<int>(cells) * (static_cast<int>(step.step) + 1));
    });
  }
  Graph graph;
  std::vector<int> values = std::vector<int>(cells, 0);  // guarded by the order and the locks, as sum_ is

 private:
  std::vector<DatumId> x_;
  int sum_ = 0;
};

TEST(TasksRuns, ManyBackToBack) {
  constexpr int repeats = under_tsan ? 300 : 10'000;
  trace::Recorder recorder(2, 64);
  Steps steps;
  {
    Scheduler scheduler(2, recorder);
    Activation all = steps.graph.activate_all();
    StepContext step;
    for (int i = 0; i < repeats; ++i) {
      step.step = static_cast<std::uint64_t>(i);
      scheduler.run(steps.graph, all, step);
    }
  }
  EXPECT_EQ(steps.values, std::vector<int>(Steps::cells, repeats));
  EXPECT_EQ(recorder.counters().tasks, Steps::tasks * repeats);
}

/// Thieves are awake and look for work while the queues of the next run are opened, one after the other: roots that
/// one of them has taken from the first queue must not be lost when its own is opened. (They once were.)
TEST(TasksRuns, TinyOnesLoseNoRoots) {
  constexpr std::uint32_t tasks = 5;
  for (const std::size_t workers : {2U, 3U}) {
    const int repeats = under_tsan ? 2'000 : workers == 2 ? 100'000 : 20'000;
    trace::Recorder recorder(workers, 16);
    // A lost root would be a hang; the watchdog makes it a failure.
    Scheduler scheduler({.workers = workers, .stall_timeout_s = 60.0}, recorder);
    Graph graph;
    std::atomic<std::uint32_t> runs = 0;
    for (std::uint32_t i = 0; i < tasks; ++i) {
      graph.add("tiny", {}, [&](StepContext&) { runs.fetch_add(1, std::memory_order_relaxed); });
    }
    Activation all = graph.activate_all();
    for (int i = 0; i < repeats; ++i) {
      runs = 0;
      scheduler.run(graph, all, {});
      ASSERT_EQ(runs, tasks) << "run " << i << " on " << workers << " workers";
    }
  }
}

// ---- nested waits --------------------------------------------------------------------------------------------------

TEST(TasksNested, WaitsMayBeDeep) {
  for (const std::size_t workers : {1U, 2U, 3U}) {
    trace::Recorder recorder(workers, 16);
    Scheduler scheduler(workers, recorder);
    const std::function<int(int)> descend = [&](int depth) -> int {
      if (depth == 0) return 0;
      return 1 + spawn(scheduler, [&, depth] { return descend(depth - 1); }).get();
    };
    Graph graph;
    std::atomic<int> sum = 0;
    for (int i = 0; i < 10; ++i) graph.add("outer", {}, [&](StepContext&) { sum += descend(100); });
    scheduler.run(graph, graph.activate_all(), {});
    EXPECT_EQ(sum, 1000) << workers;
    EXPECT_EQ(descend(200), 200) << workers;
  }
}

/// A task that waits runs jobs only: another task on its stack could need what this one has locked.
TEST(TasksNested, AWaitingTaskRunsNoOther) {
  trace::Recorder recorder(1, 16);
  Scheduler scheduler(1, recorder);
  Graph graph;
  int inside = 0;
  int most_inside = 0;
  int jobs = 0;
  for (int i = 0; i < 20; ++i) {
    graph.add("outer", {}, [&](StepContext&) {
      most_inside = std::max(most_inside, ++inside);
      spawn(scheduler, [&] { ++jobs; }).get();
      --inside;
    });
  }
  scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(most_inside, 1);
  EXPECT_EQ(jobs, 20);
}

/// Time is booked on who spends it: a wait inside a task divides the task into two events.
TEST(TasksNested, JobsInsideATaskAreBookedOnce) {
  trace::Recorder recorder(1, 1U << 8U);
  Graph graph;
  {
    Scheduler scheduler(1, recorder);
    graph.add("outer", {}, [&](StepContext&) { spawn(scheduler, [] {}, {.kind = recorder.kind("inner")}).get(); });
    scheduler.run(graph, graph.activate_all(), {});
  }
  std::int64_t end = 0;
  for (const trace::Event& event : recorder.track(0).events()) {
    EXPECT_GE(event.begin, end);
    end = event.end;
  }
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("outer")).count, 2U);
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("inner")).count, 1U);
  EXPECT_EQ(recorder.counters().tasks, 1U);
  EXPECT_EQ(recorder.counters().jobs, 1U);
}

// ---- other threads -------------------------------------------------------------------------------------------------

struct CountingJob : Job {
  explicit CountingJob(std::atomic<int>& to) : count(&to) {
    run = [](Job& job) { ++*static_cast<CountingJob&>(job).count; };
  }
  std::atomic<int>* count;
};

/// Submits from four threads while `act` goes on here.
template <class Act>
void submit_from_threads(Scheduler& scheduler, std::vector<CountingJob>& jobs, Act act) {
  constexpr std::size_t threads = 4;
  std::vector<std::jthread> submitters;
  for (std::size_t t = 0; t < threads; ++t) {
    submitters.emplace_back([&, t] {
      for (std::size_t i = t; i < jobs.size(); i += threads) scheduler.submit(jobs[i]);
    });
  }
  act();
}

TEST(TasksForeignThreads, SubmitJobsWhileWorkersWaitRunAndSleep) {
  constexpr int many = under_tsan ? 400 : 8'000;
  for (const std::size_t workers : {1U, 2U, 3U}) {
    std::atomic<int> done = 0;
    std::vector<CountingJob> jobs(many, CountingJob(done));
    trace::Recorder recorder(workers, 16);
    Scheduler scheduler(workers, recorder);
    submit_from_threads(scheduler, jobs, [&] { scheduler.work_until([&] { return done == many; }); });
    EXPECT_EQ(done, many);
    done = 0;
    Graph graph;
    graph.add("outer", {}, [&](StepContext&) { scheduler.work_until([&] { return done == many; }); });
    submit_from_threads(scheduler, jobs, [&] { scheduler.run(graph, graph.activate_all(), {}); });
    EXPECT_EQ(done, many);
    done = 0;
    submit_from_threads(scheduler, jobs, [&] {
      // With several workers, the others come to it by themselves.
      while (workers > 1 && done < many) std::this_thread::yield();
    });
    scheduler.work_until([&] { return done == many; });
    EXPECT_EQ(done, many);
  }
}

TEST(TasksForeignThreads, CannotRunOrWorkThemselves) {
  trace::Recorder recorder(1, 16);
  Scheduler scheduler(1, recorder);
  Graph graph;
  Activation all = graph.activate_all();
  std::jthread([&] {
    EXPECT_EQ(Scheduler::current(), nullptr);
    EXPECT_THROW(scheduler.run(graph, all, {}), base::PreconditionError);
    EXPECT_THROW(scheduler.work_until([] { return true; }), base::PreconditionError);
  }).join();
  scheduler.run(graph, all, {});  // nothing was upset
}

TEST(TasksForeignThreads, WorkersKnowTheirScheduler) {
  trace::Recorder recorder(2, 16);
  Scheduler scheduler(2, recorder);
  EXPECT_EQ(Scheduler::current(), nullptr);
  Graph graph;
  std::atomic<int> right = 0;
  for (int i = 0; i < 20; ++i) {
    graph.add("task", {}, [&](StepContext& step) {
      right += Scheduler::current() == &scheduler && Scheduler::current_worker() == step.worker() ? 1 : 0;
    });
  }
  scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(right, 20);
  EXPECT_EQ(Scheduler::current(), nullptr);
}

}  // namespace
}  // namespace runs_test
}  // namespace tacit::tasks
