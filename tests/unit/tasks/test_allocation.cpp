// A run after the first allocates nothing, on any of its threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "support/under_sanitizer.hpp"
#include "tacit/tasks/scheduler.hpp"

// The sanitizers bring an allocation of their own, which cannot be replaced.
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

#include "support/count_allocations.hpp"

namespace tacit::tasks::allocation_test {

using test::allocations;

/// Readers, writers, joins, locks with waiting tasks, parts.
Graph mixed_graph(std::atomic<int>& runs) {
  Graph graph;
  const DatumId whole = graph.add_datum();
  const DatumId left = graph.add_datum(whole);
  const DatumId right = graph.add_datum(whole);
  const auto count = [&runs](StepContext&) { ++runs; };
  for (std::uint32_t i = 0; i < 200; ++i) {
    graph.add("read", reads(whole), count, {.key = i});
    graph.add("left", commutes(left), count, {.key = i});
    graph.add("right", commutes(left, right), count, {.key = i});
    if (i % 50 == 0) graph.add("write", writes(right), count, {.key = i});
  }
  for (std::uint32_t i = 0; i < 50; ++i) graph.add("read", reads(whole), count, {.key = i});
  for (std::uint32_t i = 0; i < 50; ++i) graph.add("left", commutes(whole), count, {.key = i});
  return graph;
}

TEST(TasksAllocation, SecondRunAllocatesNothing) {
  std::atomic<int> runs = 0;
  Graph graph = mixed_graph(runs);
  Activation all = graph.activate_all();
  const TaskKind kinds[] = {graph.kind("left"), graph.kind("right")};
  Activation part = graph.activate(kinds);
  ASSERT_GT(all.joins(), 0U);
  for (const std::size_t workers : {1U, 2U, 4U}) {
    trace::Recorder recorder(workers, 1024);
    Scheduler scheduler(workers, recorder);
    scheduler.run(graph, all, {});
    scheduler.run(graph, part, {});
    runs = 0;
    const std::size_t before = allocations;
    scheduler.run(graph, all, {});
    scheduler.run(graph, part, {});
    EXPECT_EQ(allocations - before, 0U) << workers << " workers";
    EXPECT_EQ(static_cast<std::size_t>(runs), all.size() + part.size());
  }
}

}  // namespace tacit::tasks::allocation_test

#endif
