// Memory that packs load fast from: arrays that begin on a cache line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tacit::base {

namespace detail {

/// The size of a huge page on x86-64 and most of AArch64.
inline constexpr std::size_t large_page = std::size_t{2} << 20;
/// Memory that begins on a large page, for which the kernel is asked to use such. What was given back is used again,
/// the shortest block that is long enough. Threads may call both at once.
/// @throws std::bad_alloc
[[nodiscard]] void* allocate_pages(std::size_t bytes);
/// Gives it back for the next who asks: the process keeps it.
void release_pages(void* memory) noexcept;

}  // namespace detail

/// Allocates at multiples of `bytes`; 64 are a cache line, and the widest pack. What is as large as a large page lies
/// on such: with small ones, strides of a plane miss the TLB at each step.
template <class T, std::size_t bytes = 64>
struct PackAllocator {
  using value_type = T;
  template <class U>
  struct rebind {
    using other = PackAllocator<U, bytes>;
  };
  static constexpr std::align_val_t alignment{bytes};
  PackAllocator() = default;
  template <class U>
  explicit PackAllocator(const PackAllocator<U, bytes>& /*other*/) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) {
    if (is_large(count)) return static_cast<T*>(detail::allocate_pages(count * sizeof(T)));
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (is_large(count)) return detail::release_pages(memory);
    ::operator delete(memory, alignment);
  }
  friend bool operator==(const PackAllocator& /*a*/, const PackAllocator& /*b*/) noexcept { return true; }

 private:
  static constexpr bool is_large(std::size_t count) noexcept { return count * sizeof(T) >= detail::large_page; }
};

template <class T>
using PackVector = std::vector<T, PackAllocator<T>>;

}  // namespace tacit::base
