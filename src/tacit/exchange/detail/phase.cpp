// Packs, posts, takes and unpacks envelopes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/detail/phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::exchange::detail {
namespace {

using tasks::StepContext;

/// A transfer is counted where it is received; at its sender it takes next to nothing alone, but is not unknown.
constexpr double counted_elsewhere_s = 1e-12;

void require_ready(const StepContext& step, const Peer& peer) {
  if (!peer.is_connected) [[unlikely]]
    throw base::PreconditionError("an exchange runs before connect() was called, or after an add() behind it");
  if (step.follows_failure()) [[unlikely]] {
    throw base::PreconditionError(
        "an exchange runs after a run of its graph ended with an error: messages of different runs could meet; a new "
        "exchange, on all ranks, has none of them");
  }
}

}  // namespace

// ---- sending -------------------------------------------------------------------------------------------------------

Outgoing::Outgoing(comm::Communicator& world, Peer& peer, const PhaseLabel& phase, std::uint32_t slot,
                   Envelope envelope, std::vector<const Described*> messages)
    : world_(&world),
      peer_(&peer),
      phase_(phase),
      slot_(slot),
      envelope_(std::move(envelope)),
      messages_(std::move(messages)),
      lengths_(messages_.size()) {}

void Outgoing::send(StepContext& step) {
  open(step);
  lengths_[0] = packed(step, 0);
  post(step, lengths_[0]);
}

void Outgoing::open(StepContext& step) {
  require_ready(step, *peer_);
  to_ = window().prepare(envelope_.bytes).data();
}

std::size_t Outgoing::packed(StepContext& step, std::size_t piece) {
  const Envelope::Piece& place = envelope_.pieces[piece];
  const Described& message = *messages_[piece];
  const std::size_t bytes = message.pack(step, {to_ + place.offset, place.bytes});
  const bool is_right = message.message.length == Length::fixed ? bytes == place.bytes : bytes <= place.bytes;
  if (is_right) [[likely]]
    return bytes;
  throw base::PreconditionError(fmt::format(
      "message {} of phase '{}' to rank {} has room for {} elements of {}, {} were packed", message.message.key,
      phase_.name, number(peer_->rank), message.message.count, message.schema.name, bytes / message.schema.bytes));
}

void Outgoing::pack(StepContext& step, std::size_t piece) { lengths_[piece] = packed(step, piece); }

void Outgoing::post(StepContext& step) { post(step, envelope_.has_table ? close_up() : envelope_.bytes); }

/// Moves messages together that are shorter than their room, and writes the table. @return bytes of the envelope
std::size_t Outgoing::close_up() {
  std::size_t next = envelope_.pieces.front().offset;
  for (std::size_t i = 0; i < envelope_.pieces.size(); ++i) {
    const std::size_t from = envelope_.pieces[i].offset;
    if (next != from && lengths_[i] > 0) std::memmove(to_ + next, to_ + from, lengths_[i]);
    const Envelope::Extent extent{.offset = next, .bytes = lengths_[i]};
    std::memcpy(to_ + i * sizeof(extent), &extent, sizeof(extent));
    next = aligned(next + lengths_[i]);
  }
  return std::min(next, envelope_.bytes);
}

void Outgoing::post(StepContext& step, std::size_t bytes) {
  window().post(bytes);
  if (peer_->rank != world_->rank()) step.note_sent(phase_.counted, 1, bytes);
  sent_.add({.envelopes = 1,
             .messages = lengths_.size() - static_cast<std::size_t>(std::ranges::count(lengths_, std::size_t{0})),
             .bytes = bytes});
  if (window().test()) [[likely]]
    return;
  window().await(step.await(world_->completions(), {.key = number(peer_->rank), .alone_s = counted_elsewhere_s}));
}

void Outgoing::post_alone() { window().post(envelope_.bytes); }

// ---- receiving -----------------------------------------------------------------------------------------------------

Incoming::Incoming(comm::Communicator& world, Peer& peer, std::string_view phase, std::uint32_t slot, Envelope envelope,
                   std::vector<const Described*> messages)
    : world_(&world),
      peer_(&peer),
      phase_(phase),
      slot_(slot),
      envelope_(std::move(envelope)),
      messages_(std::move(messages)) {}

void Incoming::arrive(StepContext& step) {
  require_ready(step, *peer_);
  const bool is_here = window().test();
  const bool is_other = peer_->rank != world_->rank();
  const tasks::Posting about{.key = number(peer_->rank), .alone_s = alone_s_, .bytes = is_other ? envelope_.bytes : 0};
  if (is_here) return step.note_completed(about);
  window().await(step.await(world_->completions(), about));
}

void Incoming::unpack(StepContext& step, std::size_t piece) { messages_[piece]->unpack(step, message(piece)); }

std::span<const std::byte> Incoming::message(std::size_t piece) {
  const Envelope::Piece& place = envelope_.pieces[piece];
  const std::span<const std::byte> all = window().message();
  Envelope::Extent extent{.offset = place.offset, .bytes = place.bytes};
  if (envelope_.has_table) {
    if (all.size() < envelope_.pieces.size() * sizeof(extent)) refuse(piece, "its table of lengths is cut off");
    std::memcpy(&extent, all.data() + piece * sizeof(extent), sizeof(extent));
  } else if (messages_[piece]->message.length == Length::variable) {
    extent.bytes = all.size();
  }
  const Described& message = *messages_[piece];
  const bool is_fixed = message.message.length == Length::fixed;
  const bool has_length = is_fixed ? extent.bytes == place.bytes : extent.bytes <= place.bytes;
  const bool is_inside = extent.offset <= all.size() && extent.bytes <= all.size() - extent.offset;
  if (!has_length || !is_inside || extent.bytes % message.schema.bytes != 0 || extent.offset % alignment != 0) {
    refuse(piece, fmt::format("it has {} B at {} in {} B, where {}{} were expected", extent.bytes, extent.offset,
                              all.size(), is_fixed ? "" : "up to ", place.bytes));
  }
  return all.subspan(extent.offset, extent.bytes);
}

void Incoming::refuse(std::size_t piece, const std::string& why) const {
  throw base::Error(fmt::format("{}: message {} of phase '{}' from {} is damaged: {}", comm::describe(world_->own()),
                                messages_[piece]->message.key, phase_,
                                comm::describe(world_->ranks()[number(peer_->rank)]), why));
}

void Incoming::take_alone(std::vector<std::byte>& scratch) {
  const std::span<const std::byte> message = window().wait();
  scratch.assign(message.begin(), message.end());
  window().init();
}

}  // namespace tacit::exchange::detail
