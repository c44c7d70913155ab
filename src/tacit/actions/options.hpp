// Sizes and limits of actions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::actions {

/// The same on all ranks.
struct Options {
  /// Small records travel together in messages of up to so many bytes, and longer ones in pieces; 8 KB at least.
  /// Each pair of ranks has six times as much memory.
  std::size_t message_bytes = 64U << 10U;
  /// Bytes that may wait for a rank: a sender that finds more waits (Room). Where answers to a rank are more, no calls
  /// are taken from it.
  std::size_t queue_bytes = 1U << 20U;
  /// Bytes of all that may wait for a rank where senders do not wait for room: then a call is an error.
  std::size_t most_bytes = 256U << 20U;
  /// The arguments of a call, or its result.
  std::size_t longest_record = 1U << 30U;
  /// A number that no other connections between these ranks have; see comm::Target::key.
  std::uint32_t key = 0x41430000;
};

}  // namespace tacit::actions
