// Fills envelopes one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/detail/envelopes.hpp"

namespace tacit::exchange::detail {
namespace {

/// Gives the messages of an envelope their places.
void place(Envelope& envelope, std::span<const Described* const> messages) {
  for (const Envelope::Piece& piece : envelope.pieces) {
    if (messages[piece.message]->message.length == Length::variable) envelope.has_table = true;
  }
  if (envelope.pieces.size() == 1) envelope.has_table = false;  // its length travels with the envelope
  std::size_t next = envelope.has_table ? envelope.pieces.size() * sizeof(Envelope::Extent) : 0;
  for (Envelope::Piece& piece : envelope.pieces) {
    piece.offset = aligned(next);
    next = piece.offset + piece.bytes;
  }
  envelope.bytes = next;
}

}  // namespace

std::vector<Envelope> divide(std::span<const Described* const> messages, std::size_t limit) {
  std::vector<Envelope> envelopes;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::size_t bytes = messages[i]->bytes();
    const std::size_t needed = aligned(bytes) + sizeof(Envelope::Extent);
    if (envelopes.empty() || filled + needed > limit) {
      envelopes.emplace_back();
      filled = 0;
    }
    envelopes.back().pieces.push_back({.message = i, .bytes = bytes});
    filled += needed;
  }
  for (Envelope& envelope : envelopes) place(envelope, messages);
  return envelopes;
}

}  // namespace tacit::exchange::detail
