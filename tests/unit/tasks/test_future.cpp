// Tests of futures: values, errors, continuations, cancelling, waiting.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/when.hpp"

namespace tacit::tasks::future_tests {

/// 1, 2 and 4 workers.
class Futures : public ::testing::TestWithParam<std::size_t> {
 protected:
  trace::Recorder recorder{GetParam()};
  Scheduler scheduler{GetParam(), recorder};
};
INSTANTIATE_TEST_SUITE_P(Workers, Futures, ::testing::Values(1, 2, 4));

/// The message of the error that `action` throws.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST_P(Futures, GiveValuesOfAllSorts) {
  EXPECT_EQ(spawn(scheduler, [] { return 7; }).get(), 7);
  int done = 0;
  spawn(scheduler, [&done] { done = 1; }).get();
  EXPECT_EQ(done, 1);
  Future<std::unique_ptr<int>> owned = spawn(scheduler, [] { return std::make_unique<int>(3); });
  EXPECT_EQ(*owned.get(), 3);
  const std::unique_ptr<int> taken = owned.take();
  EXPECT_EQ(*taken, 3);
  EXPECT_FALSE(owned.is_valid());
  EXPECT_EQ(make_ready(scheduler, std::string("text")).get(), "text");
  make_ready(scheduler).get();
}

TEST_P(Futures, TakeCopiesWhileAnotherHandleExists) {
  Future<std::vector<int>> kept = spawn(scheduler, [] { return std::vector<int>(100, 1); });
  Future<std::vector<int>> given = kept;
  EXPECT_EQ(given.take().size(), 100U);
  EXPECT_EQ(kept.get().size(), 100U);
  EXPECT_EQ(kept.take().size(), 100U);
}

TEST_P(Futures, ThenPassesTheValueOn) {
  Future<int> first = spawn(scheduler, [] { return 1; });
  const Future<int> second = first.then([](int value) { return value + 1; });
  const Future<int> other = first.then([](const int& value) { return value + 10; });
  EXPECT_EQ(second.get(), 2);
  EXPECT_EQ(other.get(), 11);
  EXPECT_EQ(first.get(), 1);
  bool told = false;
  spawn(scheduler, [] {}).then([&told] { told = true; }).get();
  EXPECT_TRUE(told);
}

TEST_P(Futures, ThenMovesTheValueOfAHandleThatIsGivenUp) {
  Future<std::unique_ptr<int>> owned = make_ready(scheduler, std::make_unique<int>(5));
  Future<std::unique_ptr<int>> more = std::move(owned).then([](std::unique_ptr<int> value) {
    ++*value;
    return value;
  });
  EXPECT_FALSE(owned.is_valid());  // NOLINT(bugprone-use-after-move): that it is empty is the promise
  EXPECT_EQ(*more.get(), 6);
}

TEST_P(Futures, ThenUnwrapsFutures) {
  Promise<int> promise(scheduler);
  const Future<int> inner = promise.future();
  const Future<int> outer = spawn(scheduler, [inner] { return inner; });
  const Future<std::unique_ptr<int>> owned =
      outer.then([this](int value) { return spawn(scheduler, [value] { return std::make_unique<int>(value); }); });
  EXPECT_FALSE(outer.is_ready());
  promise.set_value(4);
  EXPECT_EQ(*owned.get(), 4);
  EXPECT_THROW(spawn(scheduler, [] { return Future<int>(); }).get(), base::PreconditionError);
}

TEST_P(Futures, ErrorsTravelPastContinuations) {
  int called = 0;
  const Future<void> failed = spawn(scheduler, []() -> int {
                                throw base::Error("flux is not finite");
                              }).then([&called](int value) {
                                  return called += value;
                                }).then([&called](int value) { called += value; });
  EXPECT_EQ(message_of([&] { failed.get(); }), "flux is not finite");
  EXPECT_EQ(called, 0);
  const Future<int> later = make_ready(scheduler, 1).then([this](int value) {
    return spawn(scheduler, [value]() -> int { throw std::out_of_range(std::to_string(value)); });
  });
  EXPECT_THROW(later.get(), std::out_of_range);
}

TEST_P(Futures, ABrokenPromiseSaysSo) {
  Future<int> future;
  {
    const Promise<int> promise(scheduler);
    future = promise.future();
  }
  EXPECT_EQ(message_of([&] { future.get(); }),
            "the promise of this future was destroyed before a value or an error was set");
}

TEST_P(Futures, APromiseIsKeptOnce) {
  Promise<void> promise(scheduler);
  const Future<void> future = promise.future();
  promise.set_error(std::make_exception_ptr(base::Error("lost")));
  EXPECT_EQ(message_of([&] { future.get(); }), "lost");
  EXPECT_THROW(promise.set_value(), base::PreconditionError);
}

TEST_P(Futures, EmptyHandlesAreRefused) {
  Future<int> empty;
  EXPECT_FALSE(empty.is_valid());
  EXPECT_THROW(empty.get(), base::PreconditionError);
  EXPECT_THROW(empty.then([](int) {}), base::PreconditionError);
}

TEST_P(Futures, CancelDropsWhatHasNotStarted) {
  Promise<void> gate(scheduler);
  int called = 0;
  Future<void> dropped = gate.future().then([&called] { ++called; });
  const Future<void> after = dropped.then([&called] { ++called; });
  EXPECT_TRUE(dropped.cancel());
  EXPECT_TRUE(dropped.is_ready());
  EXPECT_FALSE(dropped.cancel());
  EXPECT_THROW(dropped.get(), CancelledError);
  EXPECT_THROW(after.get(), CancelledError);
  gate.set_value();
  spawn(scheduler, [] {}).get();
  EXPECT_EQ(called, 0);
  EXPECT_FALSE(after.cancel());
}

TEST_P(Futures, ACancelledPromiseKnows) {
  Promise<int> promise(scheduler);
  const Future<int> future = promise.future();
  EXPECT_FALSE(promise.is_cancelled());
  EXPECT_TRUE(future.cancel());
  EXPECT_TRUE(promise.is_cancelled());
  promise.set_value(1);
  EXPECT_THROW(future.get(), CancelledError);
}

TEST_P(Futures, CancelAndStartAgree) {
  constexpr int rounds = testing::under_tsan ? 100 : 3000;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> ran = 0;
    const Future<void> job = spawn(scheduler, [&ran] { ++ran; });
    const bool cancelled = job.cancel();
    bool threw = false;
    try {
      job.get();
    } catch (const CancelledError&) {
      threw = true;
    }
    EXPECT_EQ(threw, cancelled);
    EXPECT_EQ(ran == 0, cancelled);
    spawn(scheduler, [] {}).get();
  }
}

TEST_P(Futures, DataflowPassesAllValues) {
  Future<int> a = spawn(scheduler, [] { return 1; });
  const Future<void> nothing = spawn(scheduler, [] {});
  Future<std::unique_ptr<int>> owned = spawn(scheduler, [] { return std::make_unique<int>(2); });
  const Future<int> sum = dataflow(
      scheduler, [](const int& x, std::unique_ptr<int> y) { return x + *y; }, a, nothing, std::move(owned));
  EXPECT_EQ(sum.get(), 3);
  EXPECT_EQ(a.get(), 1);
}

TEST_P(Futures, WhenAllGathersValues) {
  const auto all = when_all(spawn(scheduler, [] { return 1; }), spawn(scheduler, [] {}),
                            spawn(scheduler, [] { return std::make_unique<int>(2); }));
  EXPECT_EQ(std::get<0>(all.get()), 1);
  EXPECT_EQ(*std::get<2>(all.get()), 2);
  std::vector<Future<int>> parts;
  for (int i = 0; i < 100; ++i) parts.push_back(spawn(scheduler, [i] { return i; }));
  const Future<std::vector<int>> list = when_all(scheduler, std::move(parts));
  EXPECT_EQ(std::accumulate(list.get().begin(), list.get().end(), 0), 4950);
  EXPECT_EQ(list.get()[17], 17);
  when_all(scheduler, std::vector<Future<void>>(3, make_ready(scheduler))).get();
  EXPECT_TRUE(when_all(scheduler, std::vector<Future<int>>()).get().empty());
}

TEST_P(Futures, WhenAllFailsWithTheFirstErrorByPositionOnceAllAreReady) {
  Promise<int> late(scheduler);
  const auto all = when_all(late.future(), spawn(scheduler, []() -> int { throw base::Error("second"); }),
                            spawn(scheduler, []() -> int { throw base::Error("third"); }));
  spawn(scheduler, [] {}).get();
  EXPECT_FALSE(all.is_ready());
  late.set_value(0);
  EXPECT_EQ(message_of([&] { all.get(); }), "second");
}

TEST_P(Futures, WhenAnyNamesTheFirst) {
  std::vector<Promise<int>> promises;
  std::vector<Future<int>> futures;
  for (int i = 0; i < 5; ++i) futures.push_back(promises.emplace_back(scheduler).future());
  const Future<std::size_t> first = when_any(futures);
  const Future<std::size_t> same = when_any(futures[0], futures[3]);
  EXPECT_FALSE(first.is_ready());
  promises[3].set_error(std::make_exception_ptr(base::Error("an error counts too")));
  EXPECT_EQ(first.get(), 3U);
  EXPECT_EQ(same.get(), 1U);
  promises[0].set_value(1);
  EXPECT_EQ(when_any(futures).get(), 0U);
  EXPECT_THROW(static_cast<void>(when_any(std::vector<Future<int>>())), base::PreconditionError);
}

TEST_P(Futures, ACancelledRaceLetsTheOthersRun) {
  Promise<int> promise(scheduler);
  const Future<std::size_t> race = when_any(promise.future(), promise.future());
  EXPECT_TRUE(race.cancel());
  EXPECT_THROW(race.get(), CancelledError);
  promise.set_value(1);
}

TEST_P(Futures, JobsWaitForJobsThreeDeep) {
  const auto nested = [this] {
    return spawn(scheduler, [this] { return spawn(scheduler, [] { return 5; }).get() + 1; }).get() + 1;
  };
  EXPECT_EQ(spawn(scheduler, nested).get(), 7);
}

int fib_by_waits(Scheduler& scheduler, int n) {
  if (n < 2) return n;
  const Future<int> left = spawn(scheduler, [&scheduler, n] { return fib_by_waits(scheduler, n - 1); });
  const int right = fib_by_waits(scheduler, n - 2);
  return left.get() + right;
}

TEST_P(Futures, FibonacciByWaits) {
  constexpr int n = testing::under_tsan ? 10 : 20;
  EXPECT_EQ(fib_by_waits(scheduler, n), testing::under_tsan ? 55 : 6765);
}

TEST_P(Futures, ForeignThreadsSleepUntilTheValueComes) {
  Promise<int> promise(scheduler);
  const Future<int> future = promise.future();
  std::atomic<int> sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { sum += future.get(); });
  promise.set_value(2);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 6);
}

TEST_P(Futures, JobsComeFromForeignThreads) {
  std::atomic<bool> over = false;
  std::atomic<int> sum = 0;
  std::thread foreign([&] {
    for (int i = 0; i < 50; ++i) sum += spawn(scheduler, [i] { return i; }).get();
    over = true;
  });
  scheduler.work_until([&] { return over.load(); });
  foreign.join();
  EXPECT_EQ(sum, 1225);
}

TEST(FuturesAtTheEnd, JobsThatAreLeftRunBeforeTheSchedulerGoes) {
  for (const std::size_t workers : {1U, 2U}) {
    std::atomic<int> runs = 0;
    {
      trace::Recorder recorder(workers);
      Scheduler scheduler(workers, recorder);
      for (int i = 0; i < 10; ++i) static_cast<void>(spawn(scheduler, [&runs] { ++runs; }));
      // One that leaves another behind.
      static_cast<void>(spawn(scheduler, [&] { static_cast<void>(spawn(scheduler, [&runs] { ++runs; })); }));
    }
    EXPECT_EQ(runs, 11) << workers;
  }
}

TEST_P(Futures, JobsShowInTheTimeLineUnderTheirKind) {
  const JobOptions options{.kind = recorder.kind("restrict"), .key = 3};
  spawn(
      scheduler, [] { return 1; }, options)
      .then([](int) {}, options)
      .get();
  scheduler.settle();
  std::uint64_t count = 0;
  for (const auto& sum : recorder.sums()) count += sum.name == "restrict" ? sum.count : 0;
  EXPECT_EQ(count, 2U);
}

// ---- long chains: 10^6 links must not nest on the stack, in any build ---------------------------------------------

constexpr int chain_links = testing::under_tsan ? 20'000 : 1'000'000;

TEST_P(Futures, AChainThatWaitsMayBeLong) {
  Promise<int> start(scheduler);
  Future<int> end = start.future();
  for (int i = 0; i < chain_links; ++i) end = end.then([](int value) { return value + 1; });
  start.set_value(0);
  EXPECT_EQ(end.get(), chain_links);
}

TEST_P(Futures, AChainWhoseLinksAreReadyMayBeLong) {
  Future<int> end = make_ready(scheduler, 0);
  for (int i = 0; i < chain_links; ++i) end = std::move(end).then([](int value) { return value + 1; });
  EXPECT_EQ(end.get(), chain_links);
}

TEST_P(Futures, AnErrorPassesALongChain) {
  Promise<int> start(scheduler);
  Future<int> end = start.future();
  for (int i = 0; i < chain_links; ++i) end = end.then([](int value) { return value + 1; });
  start.set_error(std::make_exception_ptr(base::Error("at the start")));
  EXPECT_EQ(message_of([&] { end.get(); }), "at the start");
}

Future<int> countdown(Scheduler& scheduler, int left) {
  return make_ready(scheduler, left).then([&scheduler](int n) {
    return n == 0 ? make_ready(scheduler, 0) : countdown(scheduler, n - 1);
  });
}

TEST_P(Futures, FuturesInFuturesUnwrapToAnyDepth) { EXPECT_EQ(countdown(scheduler, chain_links).get(), 0); }

TEST_P(Futures, NestedGathersAndRacesMayBeDeep) {
  Promise<void> start(scheduler);
  Future<void> gathered = start.future();
  Future<std::size_t> race = when_any(gathered);
  for (int i = 0; i < chain_links / 10; ++i) {
    gathered = when_all(scheduler, std::vector<Future<void>>(2, gathered));
    race = when_any(std::vector<Future<std::size_t>>(2, race));
  }
  start.set_value();
  gathered.get();
  EXPECT_EQ(race.get(), 0U);
}

struct Link {
  Future<Link> next;
};

TEST_P(Futures, ValuesThatHoldFuturesDieToAnyDepth) {
  Future<Link> head = make_ready(scheduler, Link{});
  for (int i = 0; i < chain_links; ++i) head = make_ready(scheduler, Link{head});
  head = Future<Link>();  // the whole list
  SUCCEED();
}

// ---- misuse and corners --------------------------------------------------------------------------------------------

TEST_P(Futures, AnEmptyInputIsRefusedWhereItIsPassed) {
  const Future<int> ready = make_ready(scheduler, 1);
  const Future<int> empty;
  const auto add = [](int a, int b) { return a + b; };
  EXPECT_THROW(static_cast<void>(dataflow(scheduler, add, ready, empty)), base::PreconditionError);
  EXPECT_THROW(static_cast<void>(when_all(ready, empty)), base::PreconditionError);
  EXPECT_THROW(static_cast<void>(when_all(scheduler, std::vector{ready, empty})), base::PreconditionError);
  EXPECT_THROW(static_cast<void>(when_any(ready, empty)), base::PreconditionError);
  const Promise<int> promise(scheduler);
  // Nothing waits for the promise then; a leak checker sees it if something does.
  EXPECT_THROW(static_cast<void>(when_any(std::vector{promise.future(), empty})), base::PreconditionError);
}

TEST_P(Futures, GatheringOnePairOrTupleKeepsItWhole) {
  const auto pair = when_all(make_ready(scheduler, std::pair(1, 2)));
  EXPECT_EQ(std::get<0>(pair.get()), std::pair(1, 2));
  const auto nested = when_all(when_all(make_ready(scheduler, 3)));
  EXPECT_EQ(std::get<0>(std::get<0>(nested.get())), 3);
}

TEST_P(Futures, AssigningToAPromiseBreaksTheOldOne) {
  Promise<int> promise(scheduler);
  const Future<int> old = promise.future();
  Promise<int> other(scheduler);
  const Future<int> kept = other.future();
  promise = std::move(other);
  EXPECT_TRUE(old.is_ready());
  EXPECT_THROW(old.get(), BrokenPromiseError);
  promise.set_value(5);
  EXPECT_EQ(kept.get(), 5);
}

}  // namespace tacit::tasks::future_tests
