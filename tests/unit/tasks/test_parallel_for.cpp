// Tests of parallel loops: every iteration once, both schedules, nesting, errors, reductions.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/detail/frame_pool.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/task_group.hpp"

namespace tacit::tasks::parallel_for_tests {

class Loops : public ::testing::TestWithParam<std::size_t> {
 protected:
  /// Runs the loop and checks that each iteration ran once.
  void expect_covered(std::size_t begin, std::size_t end, const LoopOptions& options) {
    std::vector<std::atomic<int>> runs(end + 1);
    parallel_for(
        scheduler, begin, end, [&](std::size_t i) { ++runs[i]; }, options);
    for (std::size_t i = 0; i <= end; ++i) {
      ASSERT_EQ(runs[i], i >= begin && i < end ? 1 : 0) << i << " of [" << begin << ", " << end << ")";
    }
  }
  trace::Recorder recorder{GetParam()};
  Scheduler scheduler{GetParam(), recorder};
};
INSTANTIATE_TEST_SUITE_P(Workers, Loops, ::testing::Values(1, 2, 4));

constexpr Schedule schedules[] = {Schedule::fixed, Schedule::dynamic};

TEST_P(Loops, CoverEveryIterationOnce) {
  for (const Schedule schedule : schedules) {
    for (const std::size_t chunk : {0U, 1U, 2U, 7U, 64U}) {
      const std::size_t c = chunk == 0 ? 32 : chunk;
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, c - 1, c, c + 1, 3 * c, 10 * c + 1}) {
        expect_covered(0, size, {.schedule = schedule, .chunk = chunk});
        expect_covered(5, 5 + size, {.schedule = schedule, .chunk = chunk});
      }
    }
  }
  bool ran = false;
  parallel_for(scheduler, 3, 2, [&ran](std::size_t) { ran = true; });
  EXPECT_FALSE(ran);
}

TEST_P(Loops, CoverManyRandomRanges) {
  std::mt19937 random(3);
  for (int i = 0; i < (testing::under_tsan ? 30 : 2000); ++i) {
    const std::size_t begin = random() % 10;
    expect_covered(begin, begin + random() % 300, {.schedule = schedules[random() % 2], .chunk = random() % 5});
  }
}

TEST_P(Loops, GiveChunksToBodiesThatTakeThem) {
  for (const Schedule schedule : schedules) {
    std::vector<std::atomic<int>> runs(100);
    std::atomic<int> calls = 0;
    parallel_for(scheduler, 0, 100,
                 [&](std::size_t first, std::size_t last) {
                   ++calls;
                   EXPECT_LE(last - first, 7U);
                   EXPECT_EQ(first % 7, 0U);
                   for (; first < last; ++first) ++runs[first];
                 },
                 {.schedule = schedule, .chunk = 7});
    EXPECT_EQ(calls, 15);
    for (const auto& run : runs) EXPECT_EQ(run, 1);
  }
}

TEST_P(Loops, FixedSharesDependOnNumbersOnly) {
  // The chunks that one worker's turn covers, as their first iterations: the same in each repetition.
  const std::size_t workers = GetParam();
  for (int repeat = 0; repeat < (testing::under_tsan ? 5 : 100); ++repeat) {
    std::vector<std::pair<std::size_t, std::size_t>> chunks(workers);
    parallel_for(scheduler, 0, 1000,
                 [&](std::size_t first, std::size_t last) {
                   chunks[first / ((1000 + workers - 1) / workers)] = {first, last};
                 },
                 {.schedule = Schedule::fixed});
    std::size_t covered = 0;
    for (const auto& [first, last] : chunks) {
      EXPECT_EQ(first, covered);
      covered = last;
    }
    EXPECT_EQ(covered, 1000U);
  }
}

TEST_P(Loops, NestInLoops) {
  constexpr std::size_t outer = 8;
  constexpr std::size_t inner = 50;
  for (const Schedule schedule : schedules) {
    std::vector<std::atomic<int>> runs(outer * inner);
    parallel_for(scheduler, 0, outer,
                 [&](std::size_t i) {
                   parallel_for(scheduler, 0, inner, [&](std::size_t j) { ++runs[i * inner + j]; },
                                {.schedule = schedule, .chunk = 3});
                 },
                 {.schedule = schedule, .chunk = 1});
    for (const auto& run : runs) EXPECT_EQ(run, 1);
  }
}

TEST_P(Loops, RunInsideJobs) {
  std::atomic<int> sum = 0;
  TaskGroup group(scheduler);
  for (int k = 0; k < 10; ++k) {
    group.run([&] { parallel_for(scheduler, 0, 30, [&](std::size_t) { ++sum; }); });
  }
  group.wait();
  EXPECT_EQ(sum, 300);
}

TEST_P(Loops, RunOnForeignThreads) {
  std::atomic<int> sum = 0;
  std::thread([&] { parallel_for(scheduler, 0, 1000, [&](std::size_t) { ++sum; }); }).join();
  EXPECT_EQ(sum, 1000);
  spawn(scheduler, [] {}).get();  // helpers that came too late
}

TEST_P(Loops, AnErrorEndsTheLoop) {
  for (const Schedule schedule : schedules) {
    for (int repeat = 0; repeat < (testing::under_tsan ? 5 : 200); ++repeat) {
      std::atomic<int> ran = 0;
      const auto run = [&] {
        parallel_for(scheduler, 0, 1000,
                     [&](std::size_t i) {
                       ++ran;
                       if (i == 10) throw base::Error("iteration 10");
                     },
                     {.schedule = schedule, .chunk = 1});
      };
      EXPECT_THROW(run(), base::Error);
      EXPECT_LE(ran, 1000);
      const int after = ran;
      spawn(scheduler, [] {}).get();
      EXPECT_EQ(ran, after) << "nothing runs after the loop has ended";
    }
  }
}

TEST_P(Loops, AnErrorDropsTheRest) {
  std::atomic<int> ran = 0;
  const auto run = [&] {
    parallel_for(scheduler, 0, 1'000'000,
                 [&](std::size_t) {
                   ++ran;
                   throw base::Error("at once");
                 },
                 {.chunk = 1});
  };
  EXPECT_THROW(run(), base::Error);
  EXPECT_LE(ran, static_cast<int>(GetParam())) << "each worker throws at most once";
}

TEST_P(Loops, UnevenIterationsAreShared) {
  if (GetParam() == 1) return;
  std::set<std::thread::id> threads;
  std::mutex mutex;
  // All the work lies in the first share; others get at it because each iteration waits until two threads are here.
  parallel_for(scheduler, 0, 64,
               [&](std::size_t i) {
                 if (i >= 64 / GetParam()) return;
                 for (;;) {
                   const std::lock_guard guard(mutex);
                   threads.insert(std::this_thread::get_id());
                   if (threads.size() >= 2) return;
                 }
               },
               {.schedule = Schedule::dynamic, .chunk = 1});
  EXPECT_GE(threads.size(), 2U);
}

TEST_P(Loops, ReductionsCombineInOrder) {
  const auto text_of = [](std::size_t first, std::size_t last) {
    std::string text;
    for (; first < last; ++first) text += std::to_string(first) + ",";
    return text;
  };
  const std::string all = parallel_reduce(scheduler, 0, 100, 7, std::string(), text_of, std::plus<>());
  EXPECT_EQ(all, text_of(0, 100));
  EXPECT_EQ(parallel_reduce(scheduler, 4, 4, 7, std::string("empty"), text_of, std::plus<>()), "empty");
  EXPECT_THROW(static_cast<void>(parallel_reduce(scheduler, 0, 1, 0, std::string(), text_of, std::plus<>())),
               base::PreconditionError);
}

TEST(LoopsOnAnyWorkers, ReductionsGiveTheSameBits) {
  std::vector<double> terms(1000);
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = 1.0 / (1.0 + static_cast<double>(i));
  std::set<double> sums;
  for (const std::size_t workers : {1U, 2U, 3U, 4U}) {
    trace::Recorder recorder(workers);
    Scheduler scheduler(workers, recorder);
    sums.insert(parallel_reduce(
        scheduler, 0, terms.size(), 16, 0.0,
        [&](std::size_t first, std::size_t last) {
          return std::accumulate(terms.begin() + static_cast<std::ptrdiff_t>(first),
                                 terms.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
        },
        std::plus<>()));
  }
  EXPECT_EQ(sums.size(), 1U);
}

TEST_P(Loops, AReductionMayHaveOneChunkOfAnySize) {
  const auto length = [](std::size_t first, std::size_t last) { return last - first; };
  for (const std::size_t chunk : {std::size_t{10}, std::size_t{11}, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(parallel_reduce(scheduler, 5, 15, chunk, std::size_t{0}, length, std::plus<>()), 10U) << chunk;
  }
}

/// One job that keeps a worker busy until `end` is called.
class BusyWorker {
 public:
  explicit BusyWorker(Scheduler& scheduler)
      : job_(spawn(scheduler, [this] {
          has_begun_ = true;
          while (!is_over_) std::this_thread::yield();
        })) {
    while (!has_begun_) std::this_thread::yield();
  }
  void end() {
    is_over_ = true;
    job_.get();
  }

 private:
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_over_{false};
  Future<void> job_;
};

/// What is not in the trace counts as idle.
TEST(LoopsOnOneWorker, AppearInTheTrace) {
  trace::Recorder recorder(1);
  Scheduler scheduler(1, recorder);
  const trace::KindId kind = recorder.kind("loop");
  int calls = 0;
  const std::int64_t begin = base::ticks();
  parallel_for(scheduler, 0, 3,
               [&](std::size_t) {
                 EXPECT_EQ(Scheduler::current(), &scheduler);
                 for (const std::int64_t now = base::ticks(); base::ticks() - now < 10'000;) continue;
                 ++calls;
               },
               {.job = {.kind = kind}});
  const std::int64_t end = base::ticks();
  EXPECT_EQ(calls, 3);
  EXPECT_GE(recorder.track(0).sum(kind).ticks, 30'000);
  EXPECT_LE(recorder.track(0).sum(kind).ticks, end - begin);
  EXPECT_EQ(Scheduler::current(), nullptr);
}

TEST(LoopsBesideABusyWorker, DoNotFillTheMemory) {
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  BusyWorker busy(scheduler);
  constexpr int loops = testing::under_tsan ? 2000 : 20'000;
  const std::size_t before = detail::frame_bytes_reserved();
  std::size_t sum = 0;  // only this thread runs loops
  const auto run_loops = [&] {
    for (int i = 0; i < loops; ++i) {
      parallel_for(scheduler, 0, 4, [&sum](std::size_t) { ++sum; }, {.chunk = 1});
    }
  };
  run_loops();
  scheduler.work_until([&run_loops] {  // and once more as a worker
    run_loops();
    return true;
  });
  busy.end();
  EXPECT_EQ(sum, 8U * loops);
  // A loop takes less than 1 kB, and one helper is late per loop: 64 of them, doubled for what the pool keeps.
  EXPECT_LT(detail::frame_bytes_reserved() - before, 128U * 1024U);
}

}  // namespace tacit::tasks::parallel_for_tests
