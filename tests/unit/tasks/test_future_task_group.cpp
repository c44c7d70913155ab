// Tests of groups of small jobs: all run, errors, cancelling, jobs that add jobs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "support/under_sanitizer.hpp"
#include "tacit/base/error.hpp"
#include "tacit/tasks/task_group.hpp"

namespace tacit::tasks::task_group_tests {

class TaskGroups : public ::testing::TestWithParam<std::size_t> {
 protected:
  trace::Recorder recorder{GetParam()};
  Scheduler scheduler{GetParam(), recorder};
};
INSTANTIATE_TEST_SUITE_P(Workers, TaskGroups, ::testing::Values(1, 2, 4));

TEST_P(TaskGroups, RunEveryJobOnce) {
  constexpr std::size_t jobs = testing::under_tsan ? 3000 : 100'000;  // more than a caller runs ahead
  std::vector<int> runs(jobs);
  TaskGroup group(scheduler);
  for (int& count : runs) group.run([&count] { ++count; });
  group.wait();
  for (std::size_t i = 0; i < jobs; ++i) ASSERT_EQ(runs[i], 1) << i;
  group.wait();  // nothing to wait for
}

TEST_P(TaskGroups, JobsMayAddJobs) {
  struct Tree {
    TaskGroup& group;
    std::atomic<int>& leaves;
    void grow(int depth) const {
      if (depth == 0) {
        ++leaves;
        return;
      }
      for (int i = 0; i < 4; ++i) group.run([tree = *this, depth] { tree.grow(depth - 1); });
    }
  };
  constexpr int depth = testing::under_tsan ? 4 : 8;
  std::atomic<int> leaves = 0;
  TaskGroup group(scheduler);
  Tree{group, leaves}.grow(depth);
  group.wait();
  EXPECT_EQ(leaves, 1 << (2 * depth));
}

TEST_P(TaskGroups, NestInJobs) {
  std::atomic<int> sum = 0;
  TaskGroup outer(scheduler);
  for (int i = 0; i < 20; ++i) {
    outer.run([&] {
      TaskGroup inner(scheduler);
      for (int k = 0; k < 20; ++k) inner.run([&sum] { ++sum; });
      inner.wait();
      ++sum;
    });
  }
  outer.wait();
  EXPECT_EQ(sum, 420);
}

TEST_P(TaskGroups, TheFirstErrorCancelsAndIsThrown) {
  TaskGroup group(scheduler);
  std::atomic<int> ran = 0;
  for (int i = 0; i < 100; ++i) {
    group.run([&ran] {
      ++ran;
      throw base::Error("no convergence");
    });
  }
  EXPECT_THROW(group.wait(), base::Error);
  EXPECT_GE(ran, 1);
  EXPECT_LE(ran, 100);
  group.run([&ran] { ran = -1; });
  group.wait();
  EXPECT_EQ(ran, -1) << "the group can be used again";
}

TEST_P(TaskGroups, CancelledJobsDoNotRun) {
  int ran = 0;
  TaskGroup group(scheduler);
  group.cancel();
  for (int i = 0; i < 10; ++i) group.run([&ran] { ++ran; });
  group.wait();
  EXPECT_EQ(ran, 0);
}

TEST_P(TaskGroups, TheDestructorWaits) {
  const auto shared = std::make_shared<int>(0);
  {
    TaskGroup group(scheduler);
    for (int i = 0; i < 100; ++i) group.run([shared] { static_cast<void>(shared); });
  }
  EXPECT_EQ(shared.use_count(), 1) << "a closure is left";
}

TEST_P(TaskGroups, LargeAndMoveOnlyClosures) {
  std::array<double, 300> data{};  // larger than what the pool keeps
  data[299] = 2.0;
  std::atomic<double> sum = 0.0;
  TaskGroup group(scheduler);
  group.run([data, &sum] { sum = sum + data[299]; });
  group.wait();
  group.run([value = std::make_unique<double>(3.0), &sum] { sum = sum + *value; });
  group.wait();
  EXPECT_EQ(sum, 5.0);
}

TEST_P(TaskGroups, ForeignThreadsAddJobs) {
  std::atomic<int> sum = 0;
  std::atomic<int> over = 0;
  TaskGroup group(scheduler);
  const auto add = [&] {
    for (int i = 0; i < 300; ++i) group.run([&sum] { ++sum; });
    ++over;
  };
  std::thread first(add);
  std::thread second(add);
  scheduler.work_until([&] { return over == 2; });
  first.join();
  second.join();
  group.wait();
  EXPECT_EQ(sum, 600);
}

}  // namespace tacit::tasks::task_group_tests
