// Sends into slots of the peer, and takes what has come into ours.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/ofi/ends.hpp"

#include <algorithm>
#include <new>

namespace tacit::comm::ofi {
namespace {

constexpr std::size_t head_bytes = sizeof(Head);

std::size_t stride_of(std::size_t bytes) { return head_bytes + (bytes + head_bytes - 1) / head_bytes * head_bytes; }

/// So many more slots than may be granted: as many again, where that is little memory. A long message takes longer than
/// its grant in any case.
std::uint32_t spare_of(const WindowSpec& spec) {
  constexpr std::size_t little = std::size_t{1} << 16U;
  return spec.depth * stride_of(spec.bytes) <= little ? spec.depth : 0;
}

Offer offer_of(const Fabric& fabric, const Piece& piece, std::size_t offset, std::uint32_t first_signal) {
  Offer offer{.place = piece.segment->place(piece.data + offset), .first_signal = first_signal};
  const auto address = fabric.address();
  offer.address_bytes = static_cast<std::uint32_t>(address.size());
  std::ranges::copy(address, offer.address.begin());
  std::copy_n(fabric.provider().begin(), std::min(fabric.provider().size(), offer.provider.size() - 1),
              offer.provider.begin());
  return offer;
}

Head* head_at(std::byte* data) { return new (data) Head; }

}  // namespace

SenderState::SenderState(Fabric& fabric, const WindowSpec& spec)
    : fabric_(&fabric),
      piece_(fabric.arena().allocate(stride_of(spec.bytes))),
      head_(head_at(piece_.data)),
      memory_(spec.memory),
      is_copied_(spec.owner == Owner::user),
      signal_(fabric.add_signals({&grants_, 1})),
      stride_(stride_of(spec.bytes)),
      depth_(spec.depth) {
  if (!is_copied_) memory_ = Layout::contiguous(piece_.data + head_bytes, spec.bytes);
  fabric.expect(depth_);
}

SenderState::~SenderState() {
  fabric_->expect(-std::int64_t{depth_});
  fabric_->remove_signals(signal_, 1);
  fabric_->arena().release(piece_);
}

Offer SenderState::offer() const { return offer_of(*fabric_, piece_, offsetof(Head, granted), signal_); }

void SenderState::join(const Offer& theirs, Peer& peer) noexcept {
  slots_ = theirs.place;
  first_signal_ = theirs.first_signal;
  spare_ = theirs.spare;
  limit_ = spare_;
  peer_ = &peer;
  ticket_.descriptor = piece_.segment->descriptor();
  ticket_.peer = peer.address();
  ticket_.place.key = theirs.place.key;
}

bool SenderState::start(std::size_t bytes) noexcept {
  bytes_ = bytes;
  step_ = Step::wanted;
  return test();
}

/// A number is there before its signal is raised.
bool SenderState::is_granted() noexcept {
  if (limit_ > sent_) return true;
  if (arrived() == 0) return false;
  const std::uint64_t written = std::atomic_ref(head_->granted).load(std::memory_order_acquire);
  limit_ = spare_ + std::max(written, grants_.granted.load(std::memory_order_relaxed));
  return limit_ > sent_;
}

bool SenderState::test() noexcept {
  if (step_ == Step::idle) return true;
  if (step_ == Step::wanted) {
    if (!is_granted()) fabric_->poll();
    if (!is_granted()) return false;
    send();
  }
  if (is_busy()) fabric_->poll();
  if (is_busy()) return false;
  step_ = Step::idle;
  return true;
}

void SenderState::send() noexcept {
  if (is_copied_) gather(memory_, bytes_, piece_.data + head_bytes);
  const std::size_t grants = fabric_->take_along(*peer_, *head_);
  const std::size_t from = Head::written_from(grants);
  head_->set_length(bytes_, grants);
  ticket_.from = piece_.data + from;
  ticket_.bytes = head_bytes - from + bytes_;
  ticket_.place.address = slots_.address + next_ * stride_ + from;
  ticket_.signal = first_signal_ + next_;
  next_ = next_ + 1 == depth_ + spare_ ? 0 : next_ + 1;
  ++sent_;
  step_ = Step::sending;
  fabric_->begin(ticket_);
}

ReceiverState::ReceiverState(Fabric& fabric, const WindowSpec& spec)
    : fabric_(&fabric),
      stride_(stride_of(spec.bytes)),
      spare_(spare_of(spec)),
      slots_(spec.depth + spare_),
      piece_(fabric.arena().allocate(head_bytes + slots_ * stride_)),
      copied_to_(spec.owner == Owner::user ? spec.memory : Layout{}),
      arrivals_(slots_),
      taken_(slots_),
      data_(slot(0) + head_bytes) {
  for (std::size_t i = 0; i < slots_; ++i) arrivals_[i].slot = head_at(slot(i));
  first_signal_ = fabric.add_signals(arrivals_);
  grants_.spare = spare_;
  grants_.source = &head_at(piece_.data)->granted;
  grants_.ticket.from = piece_.data + offsetof(Head, granted);
  grants_.ticket.bytes = sizeof(Head::granted);
  grants_.ticket.descriptor = piece_.segment->descriptor();
  fabric.expect(static_cast<std::int64_t>(slots_));
}

ReceiverState::~ReceiverState() {
  fabric_->expect(-static_cast<std::int64_t>(arrivals_.size()));
  fabric_->remove_signals(first_signal_, arrivals_.size());
  fabric_->arena().release(piece_);
}

std::byte* ReceiverState::slot(std::size_t index) const noexcept { return piece_.data + head_bytes + index * stride_; }

Offer ReceiverState::offer() const {
  Offer offer = offer_of(*fabric_, piece_, head_bytes, first_signal_);
  offer.spare = spare_;
  return offer;
}

void ReceiverState::join(const Offer& theirs, Peer& peer) noexcept {
  grants_.peer = &peer;
  grants_.ticket.peer = peer.address();
  grants_.ticket.place = theirs.place;
  grants_.ticket.signal = theirs.first_signal;
}

bool ReceiverState::has_come() noexcept {
  return arrivals_[next_].count.load(std::memory_order_acquire) != taken_[next_];
}

bool ReceiverState::test() noexcept {
  if (!has_come()) fabric_->poll();
  if (has_come()) {
    take();
    return true;
  }
  // Without its grant the message will not come.
  if (is_busy() || grants_.ticket.error == 0) return false;
  error_ = grants_.ticket.error;
  return true;
}

void ReceiverState::take() noexcept {
  std::byte* const from = slot(next_);
  ++taken_[next_];
  next_ = next_ + 1 == taken_.size() ? 0 : next_ + 1;
  bytes_ = std::launder(reinterpret_cast<const Head*>(from))->bytes();
  data_ = from + head_bytes;
  if (copied_to_.data != nullptr) scatter(data_, bytes_, copied_to_);
}

std::uint64_t ReceiverState::arrived() const noexcept {
  std::uint64_t sum = 0;
  for (const Signal& arrival : arrivals_) sum += arrival.count.load(std::memory_order_acquire);
  return sum;
}

}  // namespace tacit::comm::ofi
