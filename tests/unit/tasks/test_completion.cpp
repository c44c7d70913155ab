// Tasks and coroutines that await operations: when followers start, failure, cancellation, locks, many at once.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "error_of.hpp"
#include "fake_source.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace completion_test {
namespace {

using testing::FakeSource;

struct Setting {
  std::size_t workers;
  Polling polling;
  FakeSource::Descriptor descriptor;
};

class Completions : public ::testing::TestWithParam<Setting> {
 protected:
  Completions() { scheduler.attach(source); }
  ~Completions() override { scheduler.detach(source); }
  /// Runs all of the graph and returns what was thrown.
  std::string run(Activation& activation) {
    return testing::error_of([&] { scheduler.run(graph, activation, {}); });
  }
  std::string run() {
    Activation all = graph.activate_all();
    return run(all);
  }

  trace::Recorder recorder{3, 1U << 10U};
  FakeSource source{"wire", GetParam().descriptor};
  Graph graph;
  Scheduler scheduler{{.workers = GetParam().workers, .polling = GetParam().polling}, recorder};
};

constexpr auto none = FakeSource::Descriptor::none;
constexpr auto timer = FakeSource::Descriptor::timer;

const Setting settings[] = {
    {1, Polling::idle_workers, none}, {2, Polling::idle_workers, none},
    {3, Polling::idle_workers, none},  // more than the processors of a small machine
    {1, Polling::one_worker, none},   {2, Polling::one_worker, none},
    {1, Polling::thread, none},       {2, Polling::thread, none},
    {1, Polling::thread, timer},      {2, Polling::thread, timer},
};

std::string name_of(const ::testing::TestParamInfo<Setting>& tested) {
  const char* const pollers[] = {"idle_workers", "one_worker", "thread"};
  return std::to_string(tested.param.workers) + "_" + pollers[static_cast<int>(tested.param.polling)] +
         (tested.param.descriptor == none ? "_polled" : "_descriptor");
}

INSTANTIATE_TEST_SUITE_P(Settings, Completions, ::testing::ValuesIn(settings), name_of);

TEST_P(Completions, FollowersStartOnlyAfterTheCompletion) {
  const DatumId ghosts = graph.add_datum();
  std::atomic<int> too_early = 0;
  std::atomic<int> followers = 0;
  for (std::uint32_t i = 0; i < 5; ++i) {
    graph.add("exchange", writes(ghosts), [&](StepContext& step) { source.post(step.await(source), 1e-3); });
    for (int k = 0; k < 3; ++k) {
      graph.add("rim", reads(ghosts), [&](StepContext&) {
        too_early += source.outstanding() > 0 ? 1 : 0;
        ++followers;
      });
    }
  }
  Activation all = graph.activate_all();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(run(all), "no error");
    EXPECT_EQ(followers, 15 * i);
    EXPECT_EQ(source.posted().size(), 5U * static_cast<std::size_t>(i));
  }
  EXPECT_EQ(too_early, 0);
}

TEST_P(Completions, TheRunEndsOnlyWithTheLastOne) {
  graph.add("exchange", {}, [&](StepContext& step) { source.post(step.await(source), 5e-3); });
  EXPECT_EQ(run(), "no error");
  EXPECT_EQ(source.outstanding(), 0U);
}

/// The operation ends only when the other task has run, so the worker must go on with that.
TEST_P(Completions, TheWorkerGoesOnWithOtherTasks) {
  const DatumId ghosts = graph.add_datum();
  std::vector<std::string> order;
  std::atomic<bool> is_posted = false;
  graph.add("exchange", writes(ghosts), [&](StepContext& step) {
    order.emplace_back("exchange");
    source.post(step.await(source));
    is_posted = true;
  });
  graph.add("rim", reads(ghosts), [&](StepContext&) { order.emplace_back("rim"); });
  graph.add("interior", {},
            [&](StepContext&) {
              while (!is_posted) std::this_thread::yield();
              order.emplace_back("interior");
              source.finish(source.posted().at(0));
            },
            {.cost = 0.5});
  EXPECT_EQ(run(), "no error");
  EXPECT_EQ(order, (std::vector<std::string>{"exchange", "interior", "rim"}));
}

TEST_P(Completions, OneTaskMayAwaitSeveral) {
  const DatumId ghosts = graph.add_datum();
  std::atomic<int> left = -1;
  graph.add("exchange", writes(ghosts), [&](StepContext& step) {
    for (const double delay_s : {1e-3, 0.0, 3e-3, 2e-3}) source.post(step.await(source), delay_s);
  });
  graph.add("rim", reads(ghosts), [&](StepContext&) { left = static_cast<int>(source.outstanding()); });
  EXPECT_EQ(run(), "no error");
  EXPECT_EQ(left, 0);
  EXPECT_EQ(source.posted().size(), 4U);
}

/// All that the task awaited has ended before its function has: it must not end before.
TEST_P(Completions, TheFunctionCountsToo) {
  const bool others_poll =
      GetParam().polling == Polling::thread || (GetParam().polling == Polling::idle_workers && GetParam().workers > 1);
  const DatumId ghosts = graph.add_datum();
  std::atomic<bool> is_over = false;
  std::atomic<bool> was_over = false;
  graph.add("exchange", writes(ghosts), [&](StepContext& step) {
    for (int i = 0; i < 2; ++i) {
      source.post(step.await(source), 0.0);
      while (others_poll && source.outstanding() > 0) std::this_thread::yield();
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2));  // for the thread that has polled to do what it should not
    is_over = true;
  });
  graph.add("rim", reads(ghosts), [&](StepContext&) { was_over = is_over.load(); });
  EXPECT_EQ(run(), "no error");
  EXPECT_TRUE(was_over);
}

TEST_P(Completions, FailureNamesSourceAndTask) {
  const DatumId ghosts = graph.add_datum();
  std::int32_t error = 3;
  std::atomic<int> later = 0;
  graph.add("exchange", writes(ghosts), [&](StepContext& step) { source.post(step.await(source), 1e-3, error); },
            {.key = 5});
  graph.add("rim", reads(ghosts), [&](StepContext&) { ++later; });
  Activation all = graph.activate_all();
  for (int i = 1; i <= 3; ++i) {
    error = 3;
    EXPECT_EQ(run(all), "wire: rank 3 is gone\n  in task exchange[5]");
    error = 0;
    EXPECT_EQ(run(all), "no error");
    EXPECT_EQ(later, i);
  }
  EXPECT_TRUE(source.cancelled().empty()) << "what has failed is over";
}

TEST_P(Completions, OneFailureCancelsTheOthers) {
  for (std::uint32_t i = 0; i < 6; ++i) {
    graph.add("exchange", {},
              [&, i](StepContext& step) {
                const base::Token token = step.await(source);
                if (i == 4) {
                  source.post(token, 1e-3, 9);
                } else {
                  source.post(token);
                }
              },
              {.key = i});
  }
  EXPECT_EQ(run(), "wire: rank 9 is gone\n  in task exchange[4]");
  EXPECT_EQ(source.outstanding(), 0U);
  EXPECT_EQ(source.cancelled().size(), source.posted().size() - 1);
}

std::vector<base::Token> sorted(std::vector<base::Token> tokens) {
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

/// Three tasks with two operations each, and one that throws when all are posted.
TEST_P(Completions, AnErrorElsewhereCancelsWhatIsOutstanding) {
  bool broken = true;
  std::atomic<int> ended = 0;
  const DatumId ghosts = graph.add_datum();
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.add("exchange", reads(ghosts), [&](StepContext& step) {
      for (int k = 0; k < 2; ++k) source.post(step.await(source), broken ? FakeSource::never : 1e-3);
    });
  }
  graph.add("rim", writes(ghosts), [&](StepContext&) { ++ended; });
  graph.add("bad", {},
            [&](StepContext&) {
              while (broken && source.outstanding() < 6) std::this_thread::yield();
              if (broken) throw base::FormatError("gas.hdf5", "too short");
            },
            {.cost = 0.1});
  Activation all = graph.activate_all();
  EXPECT_EQ(run(all), "gas.hdf5: too short\n  in task bad[0]");
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(sorted(source.cancelled()), sorted(source.posted()));
  EXPECT_EQ(source.outstanding(), 0U);
  broken = false;
  EXPECT_EQ(run(all), "no error");
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(source.cancelled().size(), 6U);
}

TEST_P(Completions, ATaskMayThrowBetweenAwaitAndPost) {
  bool broken = true;
  std::vector<base::Token> expected;
  graph.add("exchange", {}, [&](StepContext& step) {
    const base::Token token = step.await(source);
    expected = {token};
    if (broken) throw base::FormatError("gas.hdf5", "too short");
    source.post(token, 0.0);
  });
  Activation all = graph.activate_all();
  EXPECT_EQ(run(all), "gas.hdf5: too short\n  in task exchange[0]");
  EXPECT_EQ(source.cancelled(), expected);
  broken = false;
  EXPECT_EQ(run(all), "no error");
}

/// A network cannot always stop what is under way; its end then comes in a later run and must not be taken for another.
TEST_P(Completions, CancelledOperationsThatEndAllTheSameAreNoticedByNobody) {
  source.keep_cancelled();
  bool broken = true;
  std::atomic<bool> is_posted = false;
  std::atomic<int> outstanding = 0;
  const DatumId ghosts = graph.add_datum();
  graph.add("exchange", writes(ghosts), [&](StepContext& step) {
    source.post(step.await(source), broken ? 40e-3 : 80e-3, broken ? 7 : 0);
    is_posted = true;
  });
  graph.add("rim", reads(ghosts), [&](StepContext&) { outstanding = static_cast<int>(source.outstanding()); });
  graph.add("bad", {},
            [&](StepContext&) {
              while (!is_posted) std::this_thread::yield();
              if (broken) throw base::FormatError("gas.hdf5", "too short");
            },
            {.cost = 0.1});
  Activation all = graph.activate_all();
  EXPECT_EQ(run(all), "gas.hdf5: too short\n  in task bad[0]");
  EXPECT_EQ(source.outstanding(), 1U);
  broken = false;
  EXPECT_EQ(run(all), "no error");  // the first ends in the meantime, with an error
  EXPECT_EQ(outstanding, 0);
}

/// Tasks that commute keep their locks to the end of what they await, and no worker blocks on them.
TEST_P(Completions, LocksAreKeptUntilTheCompletion) {
  const DatumId sum = graph.add_datum();
  std::atomic<int> violations = 0;
  std::atomic<int> others = 0;
  for (std::uint32_t i = 0; i < 6; ++i) {
    graph.add("reduce", commutes(sum), [&](StepContext& step) {
      violations += source.outstanding() > 0 ? 1 : 0;
      source.post(step.await(source), 1e-3);
    });
    graph.add("work", {}, [&](StepContext&) { ++others; });
  }
  Activation all = graph.activate_all();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(run(all), "no error");
    EXPECT_EQ(others, 6 * i);
  }
  EXPECT_EQ(violations, 0);
  EXPECT_EQ(source.posted().size(), 18U);
}

TEST_P(Completions, ALockedPartKeepsTheWholeWaiting) {
  const DatumId whole = graph.add_datum();
  const DatumId left = graph.add_datum(whole);
  const DatumId right = graph.add_datum(whole);
  std::atomic<int> violations = 0;
  for (int i = 0; i < 4; ++i) {
    for (const DatumId part : {left, right}) {
      graph.add("part", commutes(part), [&](StepContext& step) { source.post(step.await(source), 5e-4); });
    }
    graph.add("whole", commutes(whole), [&](StepContext& step) {
      violations += source.outstanding() > 0 ? 1 : 0;
      if (step.dt > 0.0) source.post(step.await(source), 5e-4);
    });
  }
  Activation all = graph.activate_all();
  EXPECT_EQ(run(all), "no error");
  EXPECT_EQ(violations, 0);
  EXPECT_EQ(source.posted().size(), 8U);
}

/// More end at once than one call of poll returns.
TEST_P(Completions, ManyEndAtOnce) {
  constexpr std::uint32_t many = testing::under_tsan ? 200 : 1000;
  std::atomic<std::uint32_t> later = 0;
  for (std::uint32_t i = 0; i < many; ++i) {
    const DatumId ghosts = graph.add_datum();
    graph.add("exchange", writes(ghosts), [&](StepContext& step) { source.post(step.await(source)); }, {.key = i});
    graph.add("rim", reads(ghosts), [&](StepContext&) { ++later; });
  }
  graph.add("end", {},
            [&](StepContext&) {
              while (source.outstanding() < many) std::this_thread::yield();
              for (const base::Token token : source.posted()) source.finish(token);
            },
            {.cost = 0.0});
  EXPECT_EQ(run(), "no error");
  EXPECT_EQ(later, many);
}

TEST_P(Completions, SeveralSourcesAtOnce) {
  std::array<FakeSource, 3> others{FakeSource("a"), FakeSource("b", timer), FakeSource("c", timer)};
  for (FakeSource& other : others) scheduler.attach(other);
  std::atomic<std::uint32_t> later = 0;
  constexpr std::uint32_t many = 60;
  for (std::uint32_t i = 0; i < many; ++i) {
    const DatumId ghosts = graph.add_datum();
    graph.add("exchange", writes(ghosts), [&, i](StepContext& step) {
      FakeSource& first = others[i % 3];
      FakeSource& second = i % 2 == 0 ? source : others[(i + 1) % 3];
      first.post(step.await(first), 1e-5 * (i % 17));
      second.post(step.await(second), 1e-5 * (i % 13));
    });
    graph.add("rim", reads(ghosts), [&](StepContext&) { ++later; });
  }
  Activation all = graph.activate_all();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(all), "no error");
  EXPECT_EQ(later, 5 * many);
  for (FakeSource& other : others) {
    EXPECT_EQ(other.outstanding(), 0U);
    scheduler.detach(other);
  }
}

Task<int> fetch(FakeSource& source, int blocks) {
  int sum = 0;
  for (int i = 0; i < blocks; ++i) {
    co_await completion(source, [&](base::Token token) { source.post(token, 2e-4); });
    sum += i;
  }
  co_return sum;
}

TEST_P(Completions, TasksMayWaitForCoroutinesThatAwait) {
  std::array<int, 8> results{};
  for (std::uint32_t i = 0; i < results.size(); ++i) {
    graph.add("outer", {}, [&, i](StepContext&) { results[i] = spawn(scheduler, fetch(source, 3)).get(); });
    graph.add("exchange", {}, [&](StepContext& step) { source.post(step.await(source), 3e-4); });
  }
  EXPECT_EQ(run(), "no error");
  EXPECT_EQ(results, (std::array{3, 3, 3, 3, 3, 3, 3, 3}));
}

TEST_P(Completions, CoroutinesAwaitOutsideOfRuns) {
  std::vector<Future<int>> futures;
  for (int i = 0; i < 10; ++i) futures.push_back(spawn(scheduler, fetch(source, 4)));
  for (const Future<int>& future : futures) EXPECT_EQ(future.get(), 6);
}

/// A failed coroutine that a task waits for fails the task.
TEST_P(Completions, AFailureTravelsThroughCoroutineAndTask) {
  const auto broken = [](FakeSource& from) -> Task<int> {
    co_await completion(from, [&](base::Token token) { from.post(token, 1e-4, 2); });
    co_return 1;
  };
  graph.add("outer", {}, [&](StepContext&) { spawn(scheduler, broken(source)).get(); }, {.key = 8});
  EXPECT_EQ(run(), "wire: rank 2 is gone\n  in task outer[8]");
}

TEST_P(Completions, AnErrorLeavesCoroutinesWaiting) {
  const Future<int> waiting = spawn(scheduler, fetch(source, 1));
  scheduler.work_until([&] { return source.posted().size() == 1; });
  graph.add("bad", {}, [](StepContext&) { throw std::runtime_error("bad"); });
  EXPECT_EQ(run(), "bad");
  EXPECT_TRUE(source.cancelled().empty());
  EXPECT_EQ(waiting.get(), 0);
}

TEST_P(Completions, ErrorsWithAwaitsInFlightDoNotUpsetLaterRuns) {
  constexpr int repeats = testing::under_tsan ? 50 : 400;
  const DatumId ghosts = graph.add_datum();
  const DatumId sum = graph.add_datum();
  std::atomic<int> thrower = -1;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 12; ++i) {
    const AccessList<2> accesses = i % 4 == 3 ? writes(ghosts) + commutes(sum) : reads(ghosts) + commutes(sum);
    graph.add("exchange", accesses, [&, i](StepContext& step) {
      ++ended;
      source.post(step.await(source), 1e-6 * (i % 5));
      if (thrower == i) throw std::runtime_error("bad");
    });
  }
  Activation all = graph.activate_all();
  for (int i = 0; i < repeats; ++i) {
    thrower = i % 12;
    EXPECT_EQ(run(all), "bad");
    thrower = -1;
    ended = 0;
    EXPECT_EQ(run(all), "no error");
    ASSERT_EQ(ended, 12);
  }
  EXPECT_EQ(source.outstanding(), 0U);
}

}  // namespace
}  // namespace completion_test
}  // namespace tacit::tasks
