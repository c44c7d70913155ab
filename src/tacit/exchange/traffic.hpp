// What messages come to on the wire, without sending them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/messages.hpp"

namespace tacit::exchange {

/// A message whose length is known ahead.
struct PlannedMessage {
  std::size_t bytes = 0;
  std::size_t most = 0;  ///< room that it has [byte], >= bytes; the same where its length is fixed
  Length length = Length::fixed;
};

/// What travels.
struct Traffic {
  std::uint64_t messages = 0;  ///< of the transport: envelopes
  std::uint64_t bytes = 0;     ///< with tables of lengths and gaps
  Traffic& operator+=(const Traffic& other) noexcept {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
};

/// What an Exchange sends for the messages of one phase from one rank to another one, in a run of all of them.
/// @param messages  in the order of their keys
[[nodiscard]] Traffic traffic_of(std::span<const PlannedMessage> messages,
                                 std::size_t envelope_bytes = Options{}.envelope_bytes);

}  // namespace tacit::exchange
