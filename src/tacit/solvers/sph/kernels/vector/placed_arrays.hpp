// Arrays whose addresses do not get into each other's way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "tacit/base/pack_memory.hpp"

namespace tacit::sph::kernels::vector {

/// Arrays of one length, each beginning at a chosen place within a page of memory.
///
/// Processors look at the last 12 bits of addresses only when they ask whether a load must wait for an earlier store. A
/// loop that reads some arrays and writes others takes up to twice as long where these bits meet: 59 to 104 ns for the
/// search of one particle, by chance of allocation. Arrays that are written should lie well before those that are read
/// in the same loop, farther apart than the loop writes less than it reads.
///
/// @tparam places  where in a page each array begins, in numbers
template <class T, std::size_t... places>
class PlacedArrays {
 public:
  static constexpr std::size_t page = 4096 / sizeof(T);
  static constexpr std::size_t count = sizeof...(places);
  static_assert(((places < page) && ...));

  [[nodiscard]] T* operator[](std::size_t array) noexcept { return memory_.data() + begin(array); }
  [[nodiscard]] const T* operator[](std::size_t array) const noexcept { return memory_.data() + begin(array); }

  /// Makes the arrays longer; their first `kept` numbers stay, the others are 0.
  void grow(std::size_t size, std::size_t kept) {
    PlacedArrays larger;
    larger.stride_ = (size + page - 1) / page * page + page;
    larger.memory_.resize(count * larger.stride_);
    for (std::size_t array = 0; array < count && kept > 0; ++array) {
      std::copy_n((*this)[array], kept, larger[array]);
    }
    *this = std::move(larger);
  }

 private:
  [[nodiscard]] std::size_t begin(std::size_t array) const noexcept { return array * stride_ + place_of[array]; }

  static constexpr std::array<std::size_t, count> place_of{places...};
  std::size_t stride_ = 0;
  std::vector<T, base::PackAllocator<T, 4096>> memory_;
};

}  // namespace tacit::sph::kernels::vector
