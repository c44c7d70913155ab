// Copies between blocks at equal distances and one piece.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "tacit/comm/error.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tacit::comm {
namespace {

#if defined(__x86_64__)
/// Whole lines by stores that do not fetch them.
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  const std::size_t before = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  std::memcpy(to, from, before);
  std::size_t i = before;
  for (; i + line <= bytes; i += line) {
    for (std::size_t j = i; j < i + line; j += sizeof(__m128i)) {
      const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + j));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + j), word);
    }
  }
  std::memcpy(to + i, from + i, bytes - i);
}
/// Such stores are ordered by nothing else.
void end_streaming() noexcept { _mm_sfence(); }
#else
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }
void end_streaming() noexcept {}
#endif

template <class Copy>
void gather_by(const Layout& from, std::size_t bytes, std::byte* to, Copy copy) noexcept {
  const std::byte* block = from.data;
  while (bytes > 0) {
    const std::size_t size = std::min(bytes, from.block);
    copy(to, block, size);
    block += from.stride;
    to += size;
    bytes -= size;
  }
}

}  // namespace

void detail::throw_longer_than_memory(std::size_t count, std::size_t bytes) {
  throw ArgumentError(fmt::format("{} elements of {} B are longer than any memory: 2^48 B at most", count, bytes));
}

void gather(const Layout& from, std::size_t bytes, std::byte* to) noexcept {
  gather_by(from, bytes, to,
            [](std::byte* there, const std::byte* here, std::size_t size) noexcept { std::memcpy(there, here, size); });
}

void gather_past_caches(const Layout& from, std::size_t bytes, std::byte* to) noexcept {
  gather_by(from, bytes, to, stream);
  end_streaming();
}

void scatter(const std::byte* from, std::size_t bytes, const Layout& to) noexcept {
  std::byte* block = to.data;
  while (bytes > 0) {
    const std::size_t size = std::min(bytes, to.block);
    std::memcpy(block, from, size);
    block += to.stride;
    from += size;
    bytes -= size;
  }
}

}  // namespace tacit::comm
