// Copies between memory of the user, shared buffers and messages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/exchange.hpp"

#include <algorithm>

#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {
namespace {

/// Bytes of what is got: up to the end of the last piece.
std::size_t extent(const Plan& plan) {
  std::size_t end = 0;
  for (const auto* pieces : {&plan.near, &plan.far}) {
    for (const BufferPiece& piece : *pieces) end = std::max(end, piece.to + piece.bytes);
  }
  return end;
}

/// Sorts pieces by where the ranks that have brought them stand in an order that differs from rank to rank. Our own
/// come first: they are there while the others still bring theirs.
void reorder(std::vector<BufferPiece>& pieces, const std::vector<RankId>& order, RankId own) {
  std::vector<std::size_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[number(order[i])] = i + 1;
  places[number(own)] = 0;
  std::ranges::stable_sort(pieces, {}, [&](const BufferPiece& piece) { return places[number(piece.source)]; });
}

/// Whether senders copy. The same on all ranks: it depends on nothing local.
bool is_put(const Team& team, const Routes& routes, const Pull& pull) {
  // From here on the store of a line that another core has read costs less than the load of one that it has written.
  constexpr std::size_t long_block = 16384;
  if (!routes.is_all_to_all || team.nodes.size() != 1 || pull.chunk != 0) return false;
  if (pull.copying != Copying::by_size) return pull.copying == Copying::by_sender;
  std::size_t longest = 0;
  for (const RankId rank : team.members()) longest = std::max(longest, routes.brings(rank));
  return longest >= long_block * team.members().size();
}

}  // namespace

Exchange::Exchange(CommunicatorCore& communicator, const Routes& routes, const Elements& elements,
                   const CollectiveOptions& options, const Pull& pull, std::span<const std::byte> in,
                   std::span<std::byte> out)
    : Collective(communicator, routes.kind, elements, options, routes.root, {}),
      plan_(make_plan(team_, communicator.own().rank, routes)),
      pull_(pull),
      in_(in) {
  reorder(plan_.near, communicator.pull_order(), communicator.own().rank);
  reorder(plan_.far, communicator.pull_order(), communicator.own().rank);
  has_own_out_ = out.data() == nullptr;
  out_ = out;
  if (is_put(team_, routes, pull)) {
    plan_puts(routes);
    return;
  }
  own_out_.resize(has_own_out_ && routes.reading == Routes::Reading::copies ? extent(plan_) : 0);
  if (has_own_out_) out_ = own_out_;
  for (const Passage& passage : plan_.passages) {
    streams_.emplace_back(communicator, passage.peer, key_, routes.kind, passage.sends, passage.receives);
    has_far_ = has_far_ || passage.receives;
  }
  stages_ = 6;
  make_shared_buffers(plan_.half);
}

void Exchange::plan_puts(const Routes& routes) {
  for (const Parcel& parcel : routes.parcels(communicator_->own().rank)) {
    const std::uint32_t member = team_.index_of[number(*parcel.to)];
    puts_.push_back({member, parcel.from, parcel.bytes, parcel.lands, *parcel.to});
  }
  reorder(puts_, communicator_->pull_order(), communicator_->own().rank);
  own_in_.resize(in_.empty() ? plan_.brings : 0);
  stages_ = 6;
  make_shared_buffers(extent(plan_), Copying::by_sender);
  if (has_own_out_) out_ = {buffers_->own(call_), extent(plan_)};
}

/// @param is_to_others  or to ourselves
void Exchange::put(bool is_to_others) noexcept {
  for (const BufferPiece& piece : puts_) {
    if ((piece.member == team_.index) == is_to_others) continue;
    copy_bytes(buffers_->of(piece.member, call_) + piece.to, brought() + piece.from, piece.bytes);
  }
}

void Exchange::take_what_was_put() noexcept {
  if (has_own_out_) {
    out_ = {buffers_->own(call_), out_.size()};
  } else {
    copy_bytes(out_.data(), buffers_->own(call_), out_.size());
  }
}

std::byte* Exchange::input() {
  open();
  if (!puts_.empty()) return own_in_.data();
  wait_until([this] { return buffers_->all_have(Mark::began, call_); }, 0.0);
  return buffers_->own(call_ + 1);
}

const std::byte* Exchange::view(std::size_t i) const noexcept {
  const BufferPiece& piece = i < plan_.near.size() ? plan_.near[i] : plan_.far[i - plan_.near.size()];
  return buffers_->data(piece.member, call_) + piece.from;
}

std::vector<std::size_t> Exchange::pieces_by_source() const {
  std::vector<std::size_t> places(plan_.near.size() + plan_.far.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const BufferPiece& piece = i < plan_.near.size() ? plan_.near[i] : plan_.far[i - plan_.near.size()];
    places[number(piece.source)] = i;
  }
  return places;
}

bool Exchange::step(std::uint32_t stage) noexcept {
  switch (stage) {
    case 0:
      return publish();
    case 1:
      return send();
    case 2:
      return read(plan_.near, Mark::began);
    case 3:
      return receive();
    case 4:
      return read(plan_.far, Mark::received);
    default:
      return are_messages_gone();
  }
}

bool Exchange::publish() noexcept {
  if (!buffers_->all_have(Mark::began, call_ - 1)) return false;
  if (!puts_.empty()) {
    put(true);
    buffers_->set(Mark::began, call_);
    put(false);  // the others do not wait for it
    return true;
  }
  copy_bytes(buffers_->own(call_), in_.data(), in_.size());
  buffers_->set(Mark::began, call_);
  return true;
}

bool Exchange::send() noexcept {
  for (; cursor_ < streams_.size(); ++cursor_) {
    if (!streams_[cursor_].sends()) continue;
    const std::vector<BufferPiece>& pack = plan_.passages[cursor_].pack;
    const auto is_there = [this](const BufferPiece& piece) { return buffers_->has(piece.member, Mark::began, call_); };
    if (!std::ranges::all_of(pack, is_there)) return false;
    std::byte* message = streams_[cursor_].outgoing();
    for (const BufferPiece& piece : pack) {
      copy_bytes(message + piece.to, buffers_->data(piece.member, call_) + piece.from, piece.bytes);
    }
    streams_[cursor_].post();
  }
  return true;
}

bool Exchange::receive() noexcept {
  for (; cursor_ < streams_.size(); ++cursor_) {
    Stream& stream = streams_[cursor_];
    if (!stream.receives()) continue;
    if (!stream.has_come()) return false;
    if (stream.error() != 0) return false;
    const Passage& passage = plan_.passages[cursor_];
    copy_bytes(buffers_->own(call_) + passage.lands, stream.incoming(), *passage.receives);
    stream.grant();
  }
  if (has_far_) buffers_->set(Mark::received, call_);
  return true;
}

bool Exchange::read(const std::vector<BufferPiece>& pieces, Mark mark) noexcept {
  for (; cursor_ < pieces.size(); ++cursor_) {
    const BufferPiece& piece = pieces[cursor_];
    if (!buffers_->has(piece.member, mark, call_)) return false;
    if (pull_.chunk == 0 && puts_.empty() && !out_.empty())  // a view has no place of its own
      copy_bytes(out_.data() + piece.to, buffers_->data(piece.member, call_) + piece.from, piece.bytes);
  }
  if (pull_.chunk != 0) read_in_chunks(pieces);
  if (!puts_.empty() && &pieces == &plan_.near) take_what_was_put();
  return true;
}

void Exchange::read_in_chunks(const std::vector<BufferPiece>& pieces) noexcept {
  std::size_t longest = 0;
  for (const BufferPiece& piece : pieces) longest = std::max(longest, piece.bytes);
  for (std::size_t at = 0; at < longest; at += pull_.chunk) {
    for (const BufferPiece& piece : pieces) {
      if (at >= piece.bytes) continue;
      copy_bytes(out_.data() + piece.to + at, buffers_->data(piece.member, call_) + piece.from + at,
                 std::min(pull_.chunk, piece.bytes - at));
    }
  }
}

}  // namespace tacit::comm::detail
