// How the messages from one rank to another in a phase are divided into envelopes, and where each lies in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/exchange/messages.hpp"

namespace tacit::exchange::detail {

/// What travels at once. A single message is all of its envelope. Several of fixed length lie at their offsets; if one
/// of them is variable, a table in front says for each where it begins and how long it is, and nothing is between them.
struct Envelope {
  struct Piece {
    std::size_t message = 0;  ///< in the list of messages
    std::size_t offset = 0;   ///< where it is written [byte]
    std::size_t bytes = 0;    ///< at most
  };
  /// An entry of the table.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Piece> pieces;
  std::size_t bytes = 0;  ///< at most
  bool has_table = false;
};

/// Offsets in an envelope are multiples of this: enough for any element.
inline constexpr std::size_t alignment = 16;

/// The next multiple.
[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Fills envelopes with messages in their order, up to `limit` bytes each; both ends find the same.
/// @param messages  of one rank to one other, by key
[[nodiscard]] std::vector<Envelope> divide(std::span<const Described* const> messages, std::size_t limit);

}  // namespace tacit::exchange::detail
