// How long memory is: products of lengths that do not wrap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tacit::comm::detail {

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

}  // namespace tacit::comm::detail
