// Lays out heads and slots, and finds those of the peer.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/slot_link.hpp"

namespace tacit::comm::detail {
namespace {

constexpr std::size_t line_pair = sizeof(SlotHead);

std::size_t rounded_up(std::size_t bytes) { return (bytes + line_pair - 1) / line_pair * line_pair; }

}  // namespace

Piece SlotLink::take(std::size_t bytes) {
  pieces_.push_back(memory_->allocate(bytes));
  return pieces_.back();
}

Piece SlotLink::head(std::uint32_t index) {
  while (heads_.size() <= index) {
    heads_.push_back(take(line_pair));
    new (heads_.back().data) SlotHead;
  }
  return heads_[index];
}

/// In one process, a message can be copied to the user's memory at once.
bool SlotLink::is_in_place(const WindowSpec& spec) const {
  return spec.owner == Owner::user && spec.depth == 1 && spec.memory.is_contiguous() &&
         spec.bytes > SlotHead::inline_bytes && memory_->is_same_process(peer_);
}

std::vector<Slot> SlotLink::slots_of(std::byte* head, std::byte* rest, const Offer& offer) {
  std::vector<Slot> slots;
  const std::size_t more_heads = (offer.depth - 1) * line_pair;
  for (std::uint32_t i = 0; i < offer.depth; ++i) {
    auto* at = std::launder(reinterpret_cast<SlotHead*>(i == 0 ? head : rest + (i - 1) * line_pair));
    slots.push_back({at, offer.stride == 0 ? at->payload : rest + more_heads + i * offer.stride});
  }
  return slots;
}

SlotSender SlotLink::offer_sender(const WindowSpec& spec, Blob& mine) {
  const Piece own = head(spec.index);
  Offer offer{.head = own.place};
  Layout memory = spec.memory;
  if (spec.owner == Owner::library) {
    const Piece piece = take(rounded_up(spec.bytes + 1));
    memory = Layout::contiguous(piece.data, spec.bytes);
    offer.rest = piece.place;
    offer.has_rest = 1;
  }
  mine = Blob::of(offer);
  return {memory, std::launder(reinterpret_cast<SlotHead*>(own.data)), reader_, offer.has_rest != 0};
}

SlotReceiver SlotLink::offer_receiver(const WindowSpec& spec, Blob& mine) {
  const Piece own = head(spec.index);
  Offer offer{.head = own.place, .depth = spec.depth};
  if (spec.bytes > SlotHead::inline_bytes) offer.stride = rounded_up(spec.bytes);
  if (is_in_place(spec)) {
    const Piece rest{spec.memory.data, {.address = spec.memory.data}};
    offer.rest = rest.place;
    offer.has_rest = 1;
    mine = Blob::of(offer);
    return {slots_of(own.data, rest.data, offer), {}};
  }
  std::byte* data = nullptr;
  const std::size_t bytes = (spec.depth - 1) * line_pair + spec.depth * offer.stride;
  if (bytes > 0) {
    const Piece rest = take(bytes);
    for (std::uint32_t i = 0; i + 1 < spec.depth; ++i) new (rest.data + i * line_pair) SlotHead;
    data = rest.data;
    offer.rest = rest.place;
    offer.has_rest = 1;
  }
  mine = Blob::of(offer);
  return {slots_of(own.data, data, offer), spec.owner == Owner::user ? spec.memory : Layout{}};
}

void SlotLink::join(Sender& sender, const Blob& theirs) {
  const auto offer = theirs.as<Offer>();
  std::byte* rest = offer.has_rest != 0 ? memory_->resolve(peer_, offer.rest) : nullptr;
  sender.join(slots_of(memory_->resolve(peer_, offer.head), rest, offer));
}

void SlotLink::join(Receiver& receiver, const Blob& theirs) {
  const auto offer = theirs.as<Offer>();
  const std::byte* source = offer.has_rest != 0 ? memory_->resolve(peer_, offer.rest) : nullptr;
  receiver.join(std::launder(reinterpret_cast<SlotHead*>(memory_->resolve(peer_, offer.head))), source);
}

bool SlotLink::retire(std::uint64_t /*theirs*/) noexcept {
  for (const Piece& piece : pieces_) memory_->release(piece);
  pieces_.clear();
  heads_.clear();
  return true;
}

}  // namespace tacit::comm::detail
