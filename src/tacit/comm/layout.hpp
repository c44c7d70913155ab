// Where the bytes of a message lie: one block, or blocks at equal distances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "tacit/base/error.hpp"

namespace tacit::comm {

namespace detail {

/// Far above any memory [byte], and far below where sums of lengths would wrap.
inline constexpr std::size_t longest_memory = std::size_t{1} << 48U;

/// @throws ArgumentError that names both
[[noreturn]] void throw_longer_than_memory(std::size_t count, std::size_t bytes);

/// The length of `count` elements of `bytes` each [byte].
/// @throws ArgumentError if they are longer than any memory
[[nodiscard]] inline std::size_t length_of(std::size_t count, std::size_t bytes) {
  if (bytes != 0 && count > longest_memory / bytes) [[unlikely]]
    throw_longer_than_memory(count, bytes);
  return count * bytes;
}

}  // namespace detail

/// `blocks` pieces of `block` elements each, `stride` elements from the begin of one to that of the next.
///
///     Strided<double>{plane, 4, 2, 5}:   xx...xx...xx...xx
template <class T>
struct Strided {
  T* data = nullptr;
  std::size_t blocks = 0;
  std::size_t block = 0;
  std::size_t stride = 0;

  [[nodiscard]] std::size_t count() const noexcept { return blocks * block; }
};

/// The same in bytes, for the transports.
struct Layout {
  std::byte* data = nullptr;
  std::size_t blocks = 0;
  std::size_t block = 0;   ///< [byte]
  std::size_t stride = 0;  ///< [byte]

  [[nodiscard]] static Layout contiguous(std::byte* data, std::size_t bytes) noexcept {
    return {data, 1, bytes, bytes};
  }
  [[nodiscard]] bool is_contiguous() const noexcept { return blocks <= 1; }
  [[nodiscard]] std::size_t bytes() const noexcept { return blocks * block; }
};

/// @pre blocks do not overlap: stride >= block where there are several
/// @throws ArgumentError if it is longer than any memory
template <class T>
[[nodiscard]] Layout layout_of(const Strided<T>& memory) {
  TACIT_EXPECT(memory.blocks <= 1 || memory.stride >= memory.block);
  // Only a SendWindow reads through it where T is const.
  auto* data = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(memory.data));
  const std::size_t bytes = detail::length_of(detail::length_of(memory.blocks, memory.block), sizeof(T));
  if (memory.blocks <= 1 || memory.stride == memory.block) return Layout::contiguous(data, bytes);
  const std::size_t stride = detail::length_of(memory.stride, sizeof(T));
  static_cast<void>(detail::length_of(memory.blocks, stride));
  return {data, memory.blocks, memory.block * sizeof(T), stride};
}

/// Copies the first `bytes` of the message at `from` into one piece.
/// @pre bytes <= from.bytes()
void gather(const Layout& from, std::size_t bytes, std::byte* to) noexcept;
/// Copies one piece into the first `bytes` of the message at `to`.
/// @pre bytes <= to.bytes()
void scatter(const std::byte* from, std::size_t bytes, const Layout& to) noexcept;

/// `gather` with stores that go past the caches; what is stored later may be released at once.
void gather_past_caches(const Layout& from, std::size_t bytes, std::byte* to) noexcept;

/// memcpy, that may be asked for nothing from nowhere.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace tacit::comm
