// How much an exchange has sent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tacit::exchange {

/// What went to other ranks in runs of the graph.
struct Sent {
  std::uint64_t envelopes = 0;  ///< messages of the transport
  std::uint64_t messages = 0;   ///< in them, without those of no length
  std::uint64_t bytes = 0;      ///< of the envelopes, tables of lengths included

  void add(const Sent& more) noexcept {
    envelopes += more.envelopes;
    messages += more.messages;
    bytes += more.bytes;
  }
  /// What was sent since an earlier time.
  [[nodiscard]] Sent since(const Sent& before) const noexcept {
    return {envelopes - before.envelopes, messages - before.messages, bytes - before.bytes};
  }
  friend bool operator==(const Sent&, const Sent&) = default;
};

}  // namespace tacit::exchange
