// A step that neither sorts nor makes new lists allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "../../tasks/under_sanitizer.hpp"
#include "samples.hpp"

// The sanitizers bring an allocation of their own, which cannot be replaced.
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

namespace tacit::sph::allocation_test {
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
}  // namespace tacit::sph::allocation_test

// Replaces the allocation of this whole test program; what is not replaced here ends in these.
void* operator new(std::size_t size) {
  return tacit::sph::allocation_test::counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return tacit::sph::allocation_test::counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace tacit::sph::allocation_test {

TEST(SphAllocation, AStepAfterTheFirstAllocatesNothing) {
  // One worker: with more, a worker's cache may meet its largest cell only after many steps.
  testing::SmallRun run(testing::plain_parameters(), testing::uniform_gas(10, 0.3));
  const double dt = 0.01 * run.solver.time_step();
  run.step(dt);
  const std::uint64_t sorts = run.solver.sorts();
  const std::size_t before = allocations;
  for (int i = 0; i < 3; ++i) run.step(dt);
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(run.solver.sorts(), sorts) << "the steps must be short enough not to sort";
}

TEST(SphAllocation, TheCounterCounts) {
  const std::size_t before = allocations;
  const std::vector<int> memory(100);
  EXPECT_EQ(allocations - before, 1U);
  EXPECT_EQ(memory.size(), 100U);
}

}  // namespace tacit::sph::allocation_test

#endif
