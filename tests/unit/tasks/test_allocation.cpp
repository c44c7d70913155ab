// A run after the first allocates nothing, on any of its threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tacit/tasks/scheduler.hpp"
#include "under_sanitizer.hpp"

// The sanitizers bring an allocation of their own, which cannot be replaced.
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

namespace tacit::tasks::allocation_test {
namespace {

std::atomic<std::size_t> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace
}  // namespace tacit::tasks::allocation_test

// Replaces the allocation of this whole test program; what is not replaced here ends in these.
void* operator new(std::size_t size) {
  return tacit::tasks::allocation_test::counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return tacit::tasks::allocation_test::counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace tacit::tasks::allocation_test {

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
  const Activation all = graph.activate_all();
  const TaskKind kinds[] = {graph.kind("left"), graph.kind("right")};
  const Activation part = graph.activate(kinds);
  ASSERT_GT(all.joins(), 0U);
  for (const std::size_t workers : {1U, 2U, 4U}) {
    trace::Recorder recorder(workers, 1024);
    Scheduler scheduler(workers, recorder);
    scheduler.run(graph, all, {});
    runs = 0;
    const std::size_t before = allocations;
    scheduler.run(graph, all, {});
    scheduler.run(graph, part, {});
    EXPECT_EQ(allocations - before, 0U) << workers << " workers";
    EXPECT_EQ(static_cast<std::size_t>(runs), all.size() + part.size());
  }
}

TEST(TasksAllocation, TheCounterCounts) {
  const std::size_t before = allocations;
  const std::vector<int> memory(100);
  EXPECT_EQ(allocations - before, 1U);
  EXPECT_EQ(memory.size(), 100U);
}

}  // namespace tacit::tasks::allocation_test

#endif
