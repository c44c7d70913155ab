// Divides planned messages into envelopes as an exchange does.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/traffic.hpp"

#include <algorithm>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/exchange/detail/envelopes.hpp"

namespace tacit::exchange {
namespace {

/// Bytes of an envelope when its messages have been moved together. @see detail::Outgoing
std::size_t closed_up(const detail::Envelope& envelope, std::span<const PlannedMessage> messages) {
  if (!envelope.has_table) {
    return envelope.pieces.size() == 1 ? messages[envelope.pieces[0].message].bytes : envelope.bytes;
  }
  std::size_t next = envelope.pieces.front().offset;
  for (const detail::Envelope::Piece& piece : envelope.pieces) {
    next = detail::aligned(next + messages[piece.message].bytes);
  }
  return std::min(next, envelope.bytes);
}

}  // namespace

Traffic traffic_of(std::span<const PlannedMessage> messages, std::size_t envelope_bytes) {
  std::vector<detail::Described> described(messages.size());
  std::vector<const detail::Described*> list;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    TACIT_EXPECT(messages[i].bytes <= messages[i].most);
    described[i].message = {.count = messages[i].most, .length = messages[i].length};
    described[i].schema.bytes = 1;
    list.push_back(&described[i]);
  }
  Traffic traffic;
  for (const detail::Envelope& envelope : detail::divide(list, envelope_bytes)) {
    traffic += {.messages = 1, .bytes = closed_up(envelope, messages)};
  }
  return traffic;
}

}  // namespace tacit::exchange
