// Memory that packs load fast from: arrays that begin on a cache line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tacit::base {

/// Allocates at multiples of `bytes`; 64 are a cache line, and the widest pack.
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
  [[nodiscard]] T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { ::operator delete(memory, alignment); }
  friend bool operator==(const PackAllocator& /*a*/, const PackAllocator& /*b*/) noexcept { return true; }
};

template <class T>
using PackVector = std::vector<T, PackAllocator<T>>;

}  // namespace tacit::base
