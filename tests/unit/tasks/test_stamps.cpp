// Which tasks end with a time stamp, on a clock that the test moves: counts and times of kinds stay exact.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/tasks/detail/stamps.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace stamps_test {

using detail::Stamps;

constexpr std::int64_t stamp = 16;                               // [ticks]
constexpr std::int64_t brief = Stamps::stamps_in_short * stamp;  // what is shorter shares stamps
constexpr trace::KindId kind_a{1};
constexpr trace::KindId kind_b{2};

/// A worker whose tasks take as long as the test says; every reading of its clock is counted and takes `stamp` ticks.
class Worker {
 public:
  void run(trace::KindId kind, std::int64_t ticks, std::uint32_t key = 0) {
    if (stamps_.must_close_before(kind)) close();
    stamps_.begin(kind);
    now_ += ticks;
    ++tasks_[static_cast<std::size_t>(kind)];
    ticks_[static_cast<std::size_t>(kind)] += ticks;
    const std::uint32_t node = nodes_++;
    if (stamps_.is_single()) {
      now_ += stamp;
      add(stamps_.close_single(mark_, now_, key));
      nodes.push_back(node);
    } else if (stamps_.end(key, node)) {
      close();
    }
  }
  void go_idle(std::int64_t ticks) {
    if (stamps_.is_open()) close();
    stamps_.interrupt();
    now_ += ticks;
    mark_ = now_;
  }
  void close() {
    now_ += stamp;
    add(stamps_.close(mark_, now_));
    for (const std::uint32_t node : stamps_.take_nodes()) nodes.push_back(node);
  }
  /// Stamps are a part of what they end.
  void expect_exact(trace::KindId kind) {
    if (stamps_.is_open()) close();
    std::int64_t stamped = 0;
    for (const trace::Event& event : track.events()) stamped += event.kind == kind ? stamp : 0;
    EXPECT_EQ(track.sum(kind).count, tasks_[static_cast<std::size_t>(kind)]);
    EXPECT_EQ(track.sum(kind).ticks, ticks_[static_cast<std::size_t>(kind)] + stamped);
  }

  trace::Track track{1U << 14U};
  std::vector<std::uint32_t> sizes;  // of blocks
  std::vector<std::uint32_t> nodes;  // as they were closed

 private:
  void add(const trace::Event& event) {
    track.record(event);
    sizes.push_back(event.count);
    mark_ = now_;
  }

  Stamps stamps_{stamp};
  std::int64_t now_ = 1000;
  std::int64_t mark_ = 1000;
  std::uint32_t nodes_ = 0;
  std::uint64_t tasks_[3] = {};
  std::int64_t ticks_[3] = {};
};

TEST(TasksStamps, ATaskThatIsNotShortHasAStampOfItsOwn) {
  Worker worker;
  for (std::uint32_t i = 0; i < 100; ++i) worker.run(kind_a, brief, i);
  EXPECT_EQ(worker.sizes, std::vector<std::uint32_t>(100, 1));
  worker.expect_exact(kind_a);
  const auto events = worker.track.events();
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(events[i].key, i);
}

TEST(TasksStamps, ShortTasksShareMoreAndMore) {
  Worker worker;
  for (std::uint32_t i = 0; i < 5000; ++i) worker.run(kind_a, 3, i);
  EXPECT_TRUE(std::ranges::is_sorted(worker.sizes)) << "blocks grow";
  EXPECT_EQ(worker.sizes.front(), 1U);
  EXPECT_EQ(worker.sizes.back(), Stamps::most);
  EXPECT_LT(worker.sizes.size(), 5000U / Stamps::most + 16U) << "a few to learn, then full blocks";
  worker.expect_exact(kind_a);
  EXPECT_EQ(worker.track.events().back().key, worker.nodes.back() + 1 - worker.track.events().back().count)
      << "a block has the key of its first";
}

TEST(TasksStamps, EveryTaskLearnsItsBlockOnce) {
  Worker worker;
  for (std::uint32_t i = 0; i < 1000; ++i) worker.run(kind_a, i % 100 < 90 ? 3 : 1000, i);
  worker.expect_exact(kind_a);
  ASSERT_EQ(worker.nodes.size(), 1000U);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(worker.nodes[i], i);
}

TEST(TasksStamps, ALongTaskEndsTheSeriesAtOnce) {
  Worker worker;
  for (int i = 0; i < 1000; ++i) worker.run(kind_a, 3);
  worker.go_idle(0);
  for (int i = 0; i < 3; ++i) worker.run(kind_a, 3);
  worker.sizes.clear();
  for (int i = 0; i < 50; ++i) worker.run(kind_a, 100 * brief);
  // The first may be in a block that was under way.
  EXPECT_LE(worker.sizes.front(), 4U);
  EXPECT_TRUE(std::ranges::all_of(worker.sizes.begin() + 1, worker.sizes.end(), [](auto size) { return size == 1; }));
  worker.sizes.clear();
  for (int i = 0; i < 2; ++i) worker.run(kind_a, 3);
  EXPECT_EQ(worker.sizes, (std::vector<std::uint32_t>{1, 1})) << "after long ones, one that is short proves nothing";
  for (int i = 0; i < 2000; ++i) worker.run(kind_a, 3);
  EXPECT_EQ(worker.sizes.back(), Stamps::most) << "but they do not count for ever";
  worker.expect_exact(kind_a);
}

TEST(TasksStamps, AnotherKindAndIdlingEndABlock) {
  Worker worker;
  for (int i = 0; i < 1000; ++i) worker.run(kind_a, 3);
  worker.sizes.clear();
  worker.run(kind_b, 3);
  worker.run(kind_a, 3);
  EXPECT_EQ(worker.sizes.back(), 1U);
  for (int i = 0; i < 1000; ++i) worker.run(kind_a, 3);
  worker.go_idle(1'000'000);
  worker.sizes.clear();
  worker.run(kind_a, 3);
  EXPECT_EQ(worker.sizes, std::vector<std::uint32_t>{1});
  worker.expect_exact(kind_a);
  worker.expect_exact(kind_b);
}

/// Series of two kinds, of random lengths, short and long, with pauses: never more than one stamp per task and pause,
/// and nothing is counted for the other kind.
TEST(TasksStamps, CountsAndTimesOfKindsAreExact) {
  constexpr std::uint64_t seed = 11;
  for (std::uint64_t round = 0; round < 50; ++round) {
    Worker worker;
    std::size_t tasks = 0;
    for (std::uint64_t series = 0; series < 60; ++series) {
      const auto draw = [&](std::uint64_t what) { return base::uniform(seed + round, series, what); };
      const trace::KindId kind = draw(0) < 0.5 ? kind_a : kind_b;
      const auto length = static_cast<std::uint64_t>(80 * draw(1));
      const std::int64_t most = draw(2) < 0.7 ? brief / 4 : 20 * brief;
      for (std::uint64_t i = 0; i < length; ++i) {
        worker.run(kind, static_cast<std::int64_t>(draw(4 + i) * static_cast<double>(most)));
      }
      tasks += length;
      if (draw(3) < 0.2) worker.go_idle(500);
    }
    worker.expect_exact(kind_a);
    worker.expect_exact(kind_b);
    EXPECT_LE(worker.sizes.size(), tasks);
  }
}

TEST(TasksStamps, OneCostsAtLeastATick) {
  EXPECT_GE(detail::stamp_ticks(), 1);
  EXPECT_EQ(detail::stamp_ticks(), detail::stamp_ticks());
}

/// Whatever blocks a scheduler makes of tasks and jobs that do next to nothing, events touch and none is lost.
TEST(TasksStamps, OfAScheduler) {
  constexpr std::uint32_t count = 3000;
  trace::Recorder recorder(1, 1U << 14U);
  {
    Scheduler scheduler(1, recorder);
    Graph graph;
    const DatumId x = graph.add_datum();
    for (std::uint32_t i = 0; i < count; ++i) {
      graph.add(i % 1000 < 700 ? "one" : "other", writes(x), [](StepContext&) {}, {.key = i});
    }
    Activation all = graph.activate_all();
    for (int run = 0; run < 3; ++run) scheduler.run(graph, all, {});
  }
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("one")).count, 3U * 2100U);
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("other")).count, 3U * 900U);
  EXPECT_EQ(recorder.counters().tasks, 3U * count);
  std::int64_t end = 0;
  std::uint32_t next = 0;  // the chain runs in the order of keys, so a block begins where the one before it has ended
  for (const trace::Event& event : recorder.track(0).events()) {
    EXPECT_GE(event.begin, end);
    end = event.end;
    if (recorder.category(event.kind) != trace::Category::task) continue;
    EXPECT_EQ(event.key, next);
    next = (next + event.count) % count;
  }
  EXPECT_EQ(next, 0U);
}

}  // namespace stamps_test
}  // namespace tacit::tasks
