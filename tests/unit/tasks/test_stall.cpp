// The watchdog: when it ends a run, what it says, and when it does not.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <regex>
#include <string>
#include <thread>
#include <tuple>

#include "fake_source.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace stall_test {
namespace {

using testing::FakeSource;

constexpr double timeout_s = 0.1;

/// Runs `act` and returns what the StalledError says; its times since the post become T.
template <class Act>
std::string complaint(Act act) {
  try {
    act();
  } catch (const StalledError& error) {
    return std::regex_replace(error.what(), std::regex("posted [0-9]+\\.[0-9] s ago"), "posted T ago");
  }
  return "no error";
}

/// Repeats what is to say the right thing, and returns what it has said. Where other programs take all processors for
/// longer than the timeout, nothing does happen for so long: a run that would succeed, or go further, stalls. Then not
/// each time; what is wrong is so each time.
template <class Act, class IsRight>
std::string repeat(Act act, IsRight is_right) {
  std::string said;
  for (int i = 0; i < 20; ++i) {
    said = act();
    if (is_right(said)) break;
  }
  return said;
}
template <class Act>
std::string repeat_until(const std::string& wanted, Act act) {
  return repeat(act, [&](const std::string& said) { return said == wanted; });
}

/// When a wait that should have been ended gives up.
std::int64_t much_later_ns() { return base::now_ns() + 60'000'000'000; }

class Stall : public ::testing::TestWithParam<std::tuple<std::size_t, Polling>> {
 protected:
  Stall() { scheduler.attach(source); }
  std::string run(Activation& activation) {
    source.forget();
    return complaint([&] { scheduler.run(graph, activation, {}); });
  }
  /// The same when it must not stall.
  std::string succeed(Activation& activation) {
    healed = true;
    return repeat_until("no error", [&] { return run(activation); });
  }
  std::string succeed() {
    Activation all = graph.activate_all();
    return succeed(all);
  }
  std::string run() {
    Activation all = graph.activate_all();
    return run(all);
  }
  /// A task that posts what never ends, until `healed`.
  auto exchange() {
    return [this](StepContext& step) { source.post(step.await(source), healed ? 1e-4 : FakeSource::never); };
  }

  trace::Recorder recorder{3, 1U << 10U};
  FakeSource source{"wire"};
  bool healed = false;
  Graph graph;
  Scheduler scheduler{
      {.workers = std::get<0>(GetParam()), .polling = std::get<1>(GetParam()), .stall_timeout_s = timeout_s}, recorder};
};

std::string name_of(const ::testing::TestParamInfo<Stall::ParamType>& tested) {
  const char* const pollers[] = {"idle_workers", "one_worker", "thread"};
  return std::to_string(std::get<0>(tested.param)) + "_" + pollers[static_cast<int>(std::get<1>(tested.param))];
}

INSTANTIATE_TEST_SUITE_P(Settings, Stall,
                         ::testing::Combine(::testing::Values(1U, 3U),
                                            ::testing::Values(Polling::idle_workers, Polling::one_worker,
                                                              Polling::thread)),
                         name_of);

TEST_P(Stall, NamesTaskOperationSourceAndWhatComesAfter) {
  const DatumId ghosts = graph.add_datum();
  const DatumId rho = graph.add_datum();
  graph.add("interior", {}, [](StepContext&) {});
  graph.add("exchange", writes(ghosts), exchange(), {.key = 5});
  graph.add("rim", reads(ghosts), writes(rho), [](StepContext&) {}, {.key = 1});
  graph.add("rim", reads(ghosts), [](StepContext&) {}, {.key = 2});
  graph.add("advance", reads(rho), [](StepContext&) {});
  Activation all = graph.activate_all();
  const std::string expected =
      "nothing has happened for 0.1 s\n"
      "  task exchange[5] waits for 64 kB from rank 0 on wire, posted T ago; behind it wait rim[1], rim[2]\n"
      "  1 of 5 tasks have ended";
  EXPECT_EQ(repeat_until(expected, [&] { return run(all); }), expected);
  EXPECT_EQ(source.cancelled(), source.posted());
  EXPECT_EQ(succeed(all), "no error");
}

TEST_P(Stall, LooksBehindJoinsAndShortensLists) {
  const DatumId ghosts = graph.add_datum();
  graph.add("start", writes(ghosts), [](StepContext&) {});
  graph.add("look", reads(ghosts), [](StepContext&) {});
  graph.add("exchange", reads(ghosts), exchange());
  for (std::uint32_t i = 0; i < 7; ++i) graph.add("add", commutes(ghosts), [](StepContext&) {}, {.key = i});
  Activation all = graph.activate_all();
  ASSERT_EQ(all.joins(), 1U);
  const std::string end = " and 2 more\n  2 of 10 tasks have ended";
  const std::string said =
      repeat([&] { return run(all); }, [&](const std::string& text) { return text.find(end) != std::string::npos; });
  EXPECT_NE(said.find("; behind it wait add["), std::string::npos) << said;
  EXPECT_NE(said.find(end), std::string::npos) << said;
}

TEST_P(Stall, NamesTheDatumAndWhoHasLockedIt) {
  const DatumId other = graph.add_datum();
  const DatumId sum = graph.add_datum();
  graph.add("first", writes(other), [](StepContext&) {}, {.cost = 3.0});
  graph.add("reduce", commutes(sum), exchange(), {.cost = 2.0, .key = 4});
  graph.add("reduce", reads(other) + commutes(sum), [](StepContext&) {}, {.cost = 0.5, .key = 6});
  std::atomic<bool> later = false;
  graph.add("other", {}, [&](StepContext&) { later = true; }, {.cost = 0.1});
  Activation all = graph.activate_all();
  const std::string waits = "  task reduce[4] waits for 64 kB from rank 0 on wire, posted T ago\n";
  const std::string parked = "  task reduce[6] waits for datum 1, which reduce[4] has locked\n";
  const std::string begin = "nothing has happened for 0.1 s\n" + waits;
  // With several workers the other one may have come first.
  const auto is_right = [&](const std::string& text) {
    return text == begin + parked + "  2 of 4 tasks have ended" || text == begin + "  3 of 4 tasks have ended";
  };
  const std::string said = repeat([&] { return run(all); }, is_right);
  EXPECT_TRUE(is_right(said)) << said;
  EXPECT_TRUE(later);
  EXPECT_EQ(succeed(all), "no error");
}

/// One worker, so that it is known who comes first.
TEST(StallOfLocks, NamesWhoHasLockedAPartOfWhatIsWanted) {
  trace::Recorder recorder(1, 64);
  Scheduler scheduler({.workers = 1, .stall_timeout_s = timeout_s}, recorder);
  FakeSource source("wire");
  scheduler.attach(source);
  Graph graph;
  const DatumId whole = graph.add_datum();
  const DatumId left = graph.add_datum(whole);
  const DatumId right = graph.add_datum(whole);
  const auto waiting = [&](StepContext& step) { source.post(step.await(source)); };
  graph.add("left", commutes(left), waiting, {.cost = 9.0, .key = 1});
  graph.add("right", commutes(right), waiting, {.cost = 8.0, .key = 2});
  graph.add("whole", commutes(whole), [](StepContext&) {}, {.cost = 7.0, .key = 3});
  graph.add("right", commutes(right), [](StepContext&) {}, {.cost = 6.0, .key = 4});
  // The only worker is idle when all that it can do is done, whatever it has waited for before.
  EXPECT_EQ(complaint([&] { scheduler.run(graph, graph.activate_all(), {}); }),
            "nothing has happened for 0.1 s\n"
            "  task left[1] waits for 64 kB from rank 0 on wire, posted T ago\n"
            "  task right[2] waits for 64 kB from rank 1 on wire, posted T ago\n"
            "  task whole[3] waits for datum 0, which left[1], right[2] has locked\n"
            "  task right[4] waits for datum 2, which right[2] has locked\n"
            "  0 of 4 tasks have ended");
}

TEST_P(Stall, ListsTwentyAndCountsTheRest) {
  for (std::uint32_t i = 0; i < 25; ++i) graph.add("exchange", {}, exchange(), {.key = i});
  const std::string end = "\n  and 5 more\n  0 of 25 tasks have ended";
  const std::string said =
      repeat([&] { return run(); }, [&](const std::string& text) { return text.find(end) != std::string::npos; });
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 22) << said;
  EXPECT_NE(said.find(end), std::string::npos) << said;
}

Task<int> fetch(FakeSource& source) {
  co_await completion(source, [&](base::Token token) { source.post(token); });
  co_return 1;
}

TEST_P(Stall, NamesTheCoroutineThatWaits) {
  const Future<int> future = spawn(scheduler, fetch(source), {.kind = recorder.kind("transfer"), .key = 3});
  const std::string expected =
      "nothing has happened for 0.1 s\n"
      "  coroutine transfer[3] waits for 64 kB from rank 0 on wire, posted T ago";
  EXPECT_EQ(repeat_until(expected, [&] { return complaint([&] { future.get(); }); }), expected);
  EXPECT_TRUE(source.cancelled().empty());
  source.finish(source.posted().at(0));
  EXPECT_EQ(repeat_until("no error", [&] { return complaint([&] { future.get(); }); }), "no error");
  EXPECT_EQ(future.get(), 1);
}

TEST_P(Stall, SaysSoWhenAFutureIsWaitedForThatNobodyWillSet) {
  Promise<int> promise(scheduler);
  const Future<int> future = promise.future();
  EXPECT_EQ(complaint([&] { future.get(); }),
            "nothing has happened for 0.1 s\n"
            "  no operation is outstanding and no job is left: what is waited for is a future that will never be set");
  promise.set_value(2);
  EXPECT_EQ(future.get(), 2);
}

TEST_P(Stall, EndsAWaitInsideATaskAndNamesIt) {
  graph.add("outer", {}, [&](StepContext&) { spawn(scheduler, fetch(source)).get(); }, {.key = 2});
  const auto end_coroutines = [&] {  // or they would outlive the test
    for (const base::Token token : source.posted()) source.finish(token);
    return complaint([&] { scheduler.work_until([&] { return source.outstanding() == 0; }); });
  };
  // The worker that waits and worker 0, if that is another, both watch.
  const auto is_right = [](const std::string& text) {
    return text.starts_with(
        "nothing has happened for 0.1 s\n"
        "  coroutine job[0] waits for 64 kB from rank 0 on wire, posted T ago\n"
        "  0 of 1 tasks have ended");
  };
  const auto act = [&] {
    std::string said = run();
    EXPECT_EQ(repeat_until("no error", end_coroutines), "no error");
    return said;
  };
  const std::string said = repeat(act, is_right);
  EXPECT_TRUE(is_right(said)) << said;
}

/// Whichever worker notices first, the others must come back too.
TEST_P(Stall, EndsWaitsInsideTasksOnAllWorkers) {
  const auto give_up = much_later_ns();
  std::atomic<bool> gave_up = false;
  std::atomic<std::size_t> inside = 0;
  for (std::size_t i = 0; i < scheduler.workers(); ++i) {
    graph.add("outer", {}, [&](StepContext&) {
      ++inside;
      while (inside < scheduler.workers()) std::this_thread::yield();
      scheduler.work_until([&] {
        if (base::now_ns() > give_up) gave_up = true;
        return gave_up.load();
      });
    });
  }
  EXPECT_EQ(run().rfind("nothing has happened for 0.1 s\n", 0), 0U);
  EXPECT_FALSE(gave_up) << "the run ended only because the waits did";
}

TEST_P(Stall, EndsAWaitOnAnotherWorkerThanZero) {
  if (scheduler.workers() == 1) return;  // has no other
  const auto give_up = much_later_ns();
  std::atomic<bool> gave_up = false;
  std::atomic<bool> waits = false;
  for (int i = 0; i < 2; ++i) {
    graph.add("outer", {}, [&](StepContext& step) {
      if (step.worker() == 0) {
        while (!waits) std::this_thread::yield();  // so the other task is with another worker
        return;
      }
      waits = true;
      scheduler.work_until([&] {
        if (base::now_ns() > give_up) gave_up = true;
        return gave_up.load();
      });
    });
  }
  for (int i = 0; i < 3; ++i) {  // who notices first is a matter of luck
    waits = false;
    EXPECT_EQ(run().rfind("nothing has happened for 0.1 s\n", 0), 0U);
    ASSERT_FALSE(gave_up) << "the run ended only because the wait did";
  }
}

void spin(double seconds) {
  const base::Stopwatch watch;
  while (watch.seconds() < seconds) {
  }
}

TEST_P(Stall, OneLongTaskIsProgress) {
  const DatumId x = graph.add_datum();
  graph.add("long", writes(x), [](StepContext&) { spin(4 * timeout_s); });
  graph.add("after", reads(x), [](StepContext&) {});
  EXPECT_EQ(succeed(), "no error");
}

TEST_P(Stall, OneLongJobIsProgress) {
  const auto outside = [&] { return complaint([&] { spawn(scheduler, [] { spin(2 * timeout_s); }).get(); }); };
  EXPECT_EQ(repeat_until("no error", outside), "no error");
  graph.add("outer", {}, [&](StepContext&) { spawn(scheduler, [] { spin(2 * timeout_s); }).get(); });
  EXPECT_EQ(succeed(), "no error");
}

/// Each operation takes a fifth of the timeout, all of them four times as long as it.
TEST_P(Stall, CompletionsAreProgress) {
  const DatumId ghosts = graph.add_datum();
  for (int i = 0; i < 20; ++i) {
    graph.add("exchange", writes(ghosts), [&](StepContext& step) { source.post(step.await(source), 0.2 * timeout_s); });
  }
  for (int i = 0; i < 2; ++i) graph.add("idle beside it", {}, [](StepContext&) {});
  EXPECT_EQ(succeed(), "no error");
}

TEST(StallOff, WaitsForEver) {
  trace::Recorder recorder(1, 16);
  Scheduler scheduler(1, recorder);
  FakeSource source;
  scheduler.attach(source);
  Graph graph;
  graph.add("exchange", {}, [&](StepContext& step) { source.post(step.await(source), 4 * timeout_s); });
  EXPECT_EQ(complaint([&] { scheduler.run(graph, graph.activate_all(), {}); }), "no error");
}

}  // namespace
}  // namespace stall_test
}  // namespace tacit::tasks
