// Copies between blocks at equal distances and one piece.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/comm/error.hpp"

namespace tacit::comm {

void detail::throw_longer_than_memory(std::size_t count, std::size_t bytes) {
  throw ArgumentError(fmt::format("{} elements of {} B are longer than any memory: 2^48 B at most", count, bytes));
}

void gather(const Layout& from, std::size_t bytes, std::byte* to) noexcept {
  const std::byte* block = from.data;
  while (bytes > 0) {
    const std::size_t size = std::min(bytes, from.block);
    std::memcpy(to, block, size);
    block += from.stride;
    to += size;
    bytes -= size;
  }
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
