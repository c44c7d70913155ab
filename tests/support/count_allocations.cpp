// Replaces the allocation of a whole test program by one that counts.
// SPDX-License-Identifier: Apache-2.0
#include "support/count_allocations.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "support/under_sanitizer.hpp"

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

namespace tacit::test {
namespace {

void* counted_allocation(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

TEST(Allocations, AreCounted) {
  const std::size_t before = allocations;
  const std::vector<int> memory(100);
  asm volatile("" : : "r"(memory.data()) : "memory");  // else a compiler may leave out what is not used
  EXPECT_EQ(allocations - before, 1U);
}

}  // namespace
}  // namespace tacit::test

// What is not replaced here ends in these.
void* operator new(std::size_t size) { return tacit::test::counted_allocation(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return tacit::test::counted_allocation(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
