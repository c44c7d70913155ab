// Whether one worker runs a graph alone, with times that the test gives.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace sharing_test {

using detail::Sharing;

constexpr std::size_t tasks = 1000;

/// Runs whose tasks take so long with all workers and with one.
struct Runs {
  double together_ns = 0.0;
  double alone_ns = 0.0;
  std::size_t workers = 2;
  int interrupted = 0;  // each so many-th run takes thrice as long; 0: none
  Sharing sharing = {};
  int run_so_far = 0;

  /// @return how many of `runs` one worker did alone
  int run(int runs, std::size_t size = tasks) {
    int alone = 0;
    for (int i = 0; i < runs; ++i) {
      alone += sharing.is_alone() ? 1 : 0;
      const double ns = sharing.is_alone() ? alone_ns : together_ns;
      const bool is_interrupted = interrupted > 0 && ++run_so_far % interrupted == 0;
      sharing.note(is_interrupted ? 3.0 * ns : ns, size, workers);
    }
    return alone;
  }
};

TEST(TasksSharing, OneWorkerGoesOnWhereItIsFaster) {
  Runs runs{.together_ns = 100.0, .alone_ns = 55.0};
  EXPECT_EQ(runs.run(4), 0);
  EXPECT_EQ(runs.run(256), 256);
  EXPECT_EQ(runs.run(2), 0) << "a try";
  EXPECT_EQ(runs.run(510), 510);
  runs.together_ns = 30.0;
  static_cast<void>(runs.run(5000));
  EXPECT_FALSE(runs.sharing.is_alone()) << "that has changed";
}

TEST(TasksSharing, TriesBecomeRare) {
  Runs runs{.together_ns = 30.0, .alone_ns = 50.0};
  EXPECT_EQ(runs.run(100), 2) << "much slower";
  EXPECT_LE(runs.run(100'000), 2 * (100'000 / 4096 + 6));
  Runs near{.together_ns = 40.0, .alone_ns = 50.0};
  EXPECT_EQ(near.run(100), 4);
  EXPECT_LE(near.run(100'000), 4 * (100'000 / 4096 + 6));
  Runs equal{.together_ns = 50.0, .alone_ns = 50.0};
  static_cast<void>(equal.run(100));
  EXPECT_FALSE(equal.sharing.is_alone());
}

/// A run that something else has interrupted decides nothing: neither before a try nor in it.
TEST(TasksSharing, InterruptedRunsDoNotCount) {
  for (const int every : {3, 4, 5}) {
    Runs small{.together_ns = 60.0, .alone_ns = 50.0, .interrupted = every};
    static_cast<void>(small.run(1200));
    EXPECT_GE(small.run(1000), 900) << "one of " << every;
    Runs longer{.together_ns = 60.0, .alone_ns = 100.0, .interrupted = every};
    EXPECT_LE(longer.run(1000), 20) << "one of " << every;
  }
}

TEST(TasksSharing, NothingIsTriedWhereItCannotPay) {
  for (Runs runs : {Runs{.together_ns = 1.1 * Sharing::longest_ns / 2, .alone_ns = 1.0},
                    Runs{.together_ns = 0.9 * Sharing::shortest_ns, .alone_ns = 1.0},
                    Runs{.together_ns = 100.0, .alone_ns = 1.0, .workers = 6},
                    Runs{.together_ns = 100.0, .alone_ns = 1.0, .workers = 1}}) {
    EXPECT_EQ(runs.run(1000), 0);
  }
  Runs few{.together_ns = 100.0, .alone_ns = 1.0};
  EXPECT_EQ(few.run(1000, Sharing::least_tasks - 1), 0);
}

TEST(TasksSharing, LongTasksAreSharedFromTheNextRunOn) {
  Runs runs{.together_ns = 100.0, .alone_ns = 55.0};
  static_cast<void>(runs.run(50));
  EXPECT_TRUE(runs.sharing.is_alone());
  runs.alone_ns = 1.1 * Sharing::longest_ns;
  EXPECT_EQ(runs.run(1), 1);
  EXPECT_FALSE(runs.sharing.is_alone());
}

/// Whoever runs the tasks, all run, in each of many runs, those of the tries among them.
TEST(TasksSharing, EveryRunIsComplete) {
  constexpr std::uint32_t data = 8;
  trace::Recorder recorder(2, 64);
  Scheduler scheduler(2, recorder);
  Graph graph;
  std::vector<DatumId> ids;
  std::vector<std::uint64_t> sums(data, 0);
  for (std::uint32_t i = 0; i < data; ++i) ids.push_back(graph.add_datum());
  for (std::uint32_t i = 0; i < 512; ++i) {
    const std::uint32_t a = i % data;
    const std::uint32_t b = (a + 1 + i / data % (data - 1)) % data;
    graph.add("add", commutes(ids[a], ids[b]), [&sums, a, b](StepContext&) {
      ++sums[a];
      ++sums[b];
    });
  }
  Activation all = graph.activate_all();
  constexpr std::uint64_t runs = 600;
  for (std::uint64_t run = 0; run < runs; ++run) scheduler.run(graph, all, {});
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  EXPECT_EQ(sum, 2U * 512U * runs);
}

}  // namespace sharing_test
}  // namespace tacit::tasks
