// Tests of coroutines: what they can wait for, deep chains, errors, completions of a hand-made source.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/when.hpp"

namespace tacit::tasks::coroutine_tests {

namespace {  // g++ warns of coroutines with linkage that await unnamed types

class Coroutines : public ::testing::TestWithParam<std::size_t> {
 protected:
  trace::Recorder recorder{GetParam()};
  Scheduler scheduler{GetParam(), recorder};
};
INSTANTIATE_TEST_SUITE_P(Workers, Coroutines, ::testing::Values(1, 2, 4));

constexpr int deep = 1'000'000;  // in every build: with less, a recursion would fit the stack

Task<int> value(int number) { co_return number; }
Task<> nothing() { co_return; }
Task<std::unique_ptr<int>> owned(int number) { co_return std::make_unique<int>(number); }
Task<int> failing() {
  throw base::Error("no roots");
  co_return 0;
}

Task<int> sum_of_all_sorts() {
  co_await nothing();
  const int first = co_await value(1);
  const std::unique_ptr<int> second = co_await owned(2);
  Task<int> third = value(3);
  co_return first + *second + co_await std::move(third);
}

TEST_P(Coroutines, AwaitCoroutines) { EXPECT_EQ(spawn(scheduler, sum_of_all_sorts()).get(), 6); }

TEST_P(Coroutines, StartOnlyWhenAwaited) {
  bool started = false;
  {
    const auto make = [](bool& flag) -> Task<> {
      flag = true;
      co_return;
    };
    const Task<> task = make(started);
  }
  EXPECT_FALSE(started);
}

Task<> turn_until(Scheduler& scheduler, const std::atomic<bool>& flag, int& turns) {
  for (; !flag; ++turns) co_await on(scheduler);
}

/// The newest job runs first, so one that only gives way must go behind those that are there.
TEST_P(Coroutines, ThatGiveWayLetOthersRun) {
  std::atomic<bool> flag = false;
  int turns = 0;
  Future<void> other = spawn(scheduler, [&flag] { flag = true; });
  spawn(scheduler, turn_until(scheduler, flag, turns)).get();
  other.get();
  if (scheduler.workers() == 1) {
    EXPECT_LE(turns, 1);
  }
}

Task<std::string> catching() {
  std::string text;
  try {
    co_await failing();
  } catch (const base::Error& error) {
    text = error.what();
  }
  co_return text;
}

Task<int> passing_on() { co_return co_await failing() + 1; }

TEST_P(Coroutines, ErrorsComeOutOfCoAwait) {
  EXPECT_EQ(spawn(scheduler, catching()).get(), "no roots");
  EXPECT_THROW(spawn(scheduler, passing_on()).get(), base::Error);
}

Task<int> await_futures(Scheduler& scheduler, Future<int> late) {
  const Future<int> kept = spawn(scheduler, [] { return 1; });
  const int& one = co_await kept;
  const std::unique_ptr<int> two = co_await spawn(scheduler, [] { return std::make_unique<int>(2); });
  co_await spawn(scheduler, [] {});
  co_return one + *two + co_await late;
}

TEST_P(Coroutines, AwaitFutures) {
  Promise<int> promise(scheduler);
  const Future<int> sum = spawn(scheduler, await_futures(scheduler, promise.future()));
  spawn(scheduler, [] {}).get();
  EXPECT_FALSE(sum.is_ready());
  promise.set_value(10);
  EXPECT_EQ(sum.get(), 13);
}

Task<int> await_many(Scheduler& scheduler) {
  const auto [a, b] = co_await when_all(spawn(scheduler, value(1)), spawn(scheduler, owned(2)));
  std::vector<Future<int>> parts;
  for (int i = 0; i < 10; ++i) parts.push_back(spawn(scheduler, value(i)));
  const std::size_t first = co_await when_any(parts);
  int sum = a + *b + (first < parts.size() ? 0 : 1000);
  for (const int part : co_await when_all(scheduler, parts)) sum += part;
  co_return sum;
}

TEST_P(Coroutines, AwaitAllAndAny) { EXPECT_EQ(spawn(scheduler, await_many(scheduler)).get(), 48); }

Task<int> await_failures(Scheduler& scheduler) {
  int caught = 0;
  try {
    co_await when_all(spawn(scheduler, value(1)), spawn(scheduler, failing()));
  } catch (const base::Error&) {
    ++caught;
  }
  Promise<int> promise(scheduler);
  const Future<int> cancelled = promise.future();
  cancelled.cancel();
  try {
    co_await cancelled;
  } catch (const CancelledError&) {
    ++caught;
  }
  co_return caught;
}

TEST_P(Coroutines, ErrorsComeOutOfFutures) { EXPECT_EQ(spawn(scheduler, await_failures(scheduler)).get(), 2); }

TEST_P(Coroutines, ContinuationsMayBeCoroutines) {
  const Future<int> sum =
      spawn(scheduler, [] { return value(2); }).then([](int base) -> Task<int> { co_return base + co_await value(3); });
  EXPECT_EQ(sum.get(), 5);
  // What a spawned lambda captures lives as long as its coroutine.
  const Future<int> captured = spawn(scheduler, [kept = std::make_unique<int>(9), this]() -> Task<int> {
    co_await on(scheduler);
    co_return *kept;
  });
  EXPECT_EQ(captured.get(), 9);
}

TEST_P(Coroutines, CancelledBeforeTheStartTheyDoNotRun) {
  Promise<void> promise(scheduler);
  bool ran = false;
  const auto coroutine = [](bool& flag) -> Task<> {
    flag = true;
    co_return;
  };
  const Future<void> future = promise.future().then([&] { return coroutine(ran); });
  EXPECT_TRUE(future.cancel());
  promise.set_value();
  EXPECT_THROW(future.get(), CancelledError);
  spawn(scheduler, [] {}).get();
  EXPECT_FALSE(ran);
}

TEST_P(Coroutines, AnEmptyTaskIsRefused) {
  Task<int> task = value(1);
  const Task<int> other = std::move(task);
  EXPECT_THROW(spawn(scheduler, std::move(task)), base::PreconditionError);  // NOLINT(bugprone-use-after-move)
}

Task<std::uint32_t> wander(Scheduler& other) {
  Scheduler* const first = Scheduler::current();
  co_await on(other);
  const bool moved = Scheduler::current() == &other;
  co_await on(*first);
  co_return moved&& Scheduler::current() == first ? 1U : 0U;
}

TEST_P(Coroutines, GoOnOnTheSchedulerOfTheirChoice) {
  trace::Recorder lane(2);
  Scheduler other(2, lane);
  EXPECT_EQ(spawn(scheduler, wander(other)).get(), 1U);
}

Task<int> fib(Scheduler& scheduler, int n) {
  if (n < 2) co_return n;
  Future<int> left = spawn(scheduler, fib(scheduler, n - 1));
  const int right = co_await fib(scheduler, n - 2);
  co_return right + co_await left;
}

TEST_P(Coroutines, FibonacciBySpawns) {
  EXPECT_EQ(spawn(scheduler, fib(scheduler, testing::under_tsan ? 10 : 20)).get(), testing::under_tsan ? 55 : 6765);
}

// ---- deep chains ---------------------------------------------------------------------------------------------------

Task<int> descend(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await descend(depth - 1);
}

TEST_P(Coroutines, ChainsMayBeDeep) { EXPECT_EQ(spawn(scheduler, descend(deep)).get(), deep); }

Task<int> descend_to_error(int depth) {
  if (depth == 0) throw base::Error("at the bottom");
  co_return 1 + co_await descend_to_error(depth - 1);
}

TEST_P(Coroutines, ErrorsClimbDeepChains) {
  EXPECT_THROW(spawn(scheduler, descend_to_error(deep / 10)).get(), base::Error);
}

Task<int> descend_with_waits(Scheduler& scheduler, int depth) {
  if (depth == 0) co_return 0;
  co_await on(scheduler);
  co_return 1 + co_await descend_with_waits(scheduler, depth - 1);
}

TEST_P(Coroutines, DeepChainsMaySuspendOnTheWay) {
  EXPECT_EQ(spawn(scheduler, descend_with_waits(scheduler, deep / 10)).get(), deep / 10);
}

Task<int> wait_for_ready(Scheduler& scheduler) {
  const Future<int> ready = make_ready(scheduler, 1);
  int sum = 0;
  for (int i = 0; i < deep; ++i) sum += co_await ready;
  for (int i = 0; i < deep; ++i) sum += co_await value(1);
  co_return sum;
}

TEST_P(Coroutines, ManyWaitsForWhatIsReady) { EXPECT_EQ(spawn(scheduler, wait_for_ready(scheduler)).get(), 2 * deep); }

Task<int> descend_by_futures(Scheduler& scheduler, int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await spawn(scheduler, descend_by_futures(scheduler, depth - 1));
}

TEST_P(Coroutines, ChainsOfSpawnedCoroutinesMayBeDeep) {
  EXPECT_EQ(spawn(scheduler, descend_by_futures(scheduler, deep / 10)).get(), deep / 10);
}

Task<> wrap(Task<> inner) { co_await std::move(inner); }

TEST_P(Coroutines, DeepNestsThatNeverStartedDie) {
  Task<> nest = nothing();
  for (int i = 0; i < deep; ++i) nest = wrap(std::move(nest));
  SUCCEED();  // the destructor is the test
}

TEST_P(Coroutines, DeepNestsRun) {
  Task<> nest = nothing();
  for (int i = 0; i < deep; ++i) nest = wrap(std::move(nest));
  spawn(scheduler, std::move(nest)).get();
}

/// Waits for ever, and says so once the coroutine is suspended: from then on no worker touches its frame.
struct Sleep {
  std::atomic<bool>& sleeps;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> /*sleeper*/) const noexcept {
    sleeps.store(true, std::memory_order_release);
  }
  void await_resume() const noexcept {}
};

Task<> stay(int depth, int& alive, std::atomic<bool>& sleeps) {
  struct Count {
    int& alive;
    explicit Count(int& counted) : alive(counted) { ++alive; }
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
    ~Count() { --alive; }
  };
  const Count count(alive);
  if (depth > 0) {
    co_await stay(depth - 1, alive, sleeps);
  } else {
    co_await Sleep{sleeps};
  }
}

TEST_P(Coroutines, SuspendedChainsDieToAnyDepth) {
  int alive = 0;
  std::atomic<bool> sleeps = false;
  {
    Task<> root = stay(deep, alive, sleeps);
    // By hand, because a spawned coroutine belongs to its future until its end. Up to where it waits for ever; the
    // worker's loop may give the chain to the scheduler on the way, so it is worked off first.
    root.promise().scheduler = &scheduler;
    detail::run_steps(root.promise());
    scheduler.work_until([&] { return sleeps.load(std::memory_order_acquire); });
    EXPECT_EQ(alive, deep + 1);
  }
  EXPECT_EQ(alive, 0);
}

// ---- completions ---------------------------------------------------------------------------------------------------

/// Operations that end when the test says so, or at once.
class HandMadeSource final : public base::CompletionSource {
 public:
  [[nodiscard]] std::string_view name() const override { return "tape"; }
  std::size_t poll(std::span<base::Completion> completions) override {
    const std::lock_guard guard(mutex_);
    std::size_t count = 0;
    while (count < completions.size() && !ended_.empty()) {
      completions[count++] = ended_.back();
      ended_.pop_back();
    }
    return count;
  }
  [[nodiscard]] std::string explain(const base::Completion& completion) const override {
    return "block " + std::to_string(completion.error) + " is torn";
  }

  void end(base::Token token, std::int32_t error = 0) {
    const std::lock_guard guard(mutex_);
    ended_.push_back({.token = token, .error = error, .alone_s = 0.5F});
  }

 private:
  std::mutex mutex_;
  std::vector<base::Completion> ended_;
};

Task<float> read_blocks(HandMadeSource& source, int blocks) {
  float seconds = 0.0F;
  for (int i = 0; i < blocks; ++i) {
    const base::Completion read = co_await completion(source, [&](base::Token token) { source.end(token); });
    seconds += read.alone_s;
  }
  co_return seconds;
}

Task<std::string> read_torn_block(HandMadeSource& source) {
  std::string text;
  try {
    co_await completion(source, [&](base::Token token) { source.end(token, 12); });
  } catch (const base::Error& error) {
    text = error.what();
  }
  co_return text;
}

TEST_P(Coroutines, AwaitCompletions) {
  HandMadeSource source;
  scheduler.attach(source);
  constexpr int blocks = testing::under_tsan ? 50 : 1000;
  const Future<float> one = spawn(scheduler, read_blocks(source, blocks));
  const Future<float> two = spawn(scheduler, read_blocks(source, blocks));
  EXPECT_EQ(one.get() + two.get(), static_cast<float>(blocks));  // halves add up exactly
  EXPECT_EQ(spawn(scheduler, read_torn_block(source)).get(), "tape: block 12 is torn");
  scheduler.detach(source);
}

TEST_P(Coroutines, ACompletionFromAnotherThreadResumesTheCoroutine) {
  HandMadeSource source;
  scheduler.attach(source);
  std::thread device;
  const auto coroutine = [](HandMadeSource& from, std::thread& worker) -> Task<int> {
    co_await completion(from, [&](base::Token token) { worker = std::thread([&from, token] { from.end(token); }); });
    co_return 3;
  };
  EXPECT_EQ(spawn(scheduler, coroutine(source, device)).get(), 3);
  device.join();
  scheduler.detach(source);
}

}  // namespace

}  // namespace tacit::tasks::coroutine_tests
