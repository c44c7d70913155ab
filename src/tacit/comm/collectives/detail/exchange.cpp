// Copies between memory of the user, boards and messages.
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
    for (const BoardPiece& piece : *pieces) end = std::max(end, piece.to + piece.bytes);
  }
  return end;
}

/// Sorts pieces by where the ranks that have brought them stand in an order that differs from rank to rank.
void reorder(std::vector<BoardPiece>& pieces, const std::vector<RankId>& order) {
  std::vector<std::size_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[number(order[i])] = i;
  std::ranges::stable_sort(pieces, {}, [&](const BoardPiece& piece) { return places[number(piece.source)]; });
}

}  // namespace

Exchange::Exchange(CommunicatorCore& communicator, const Routes& routes, const Elements& elements,
                   const CollectiveOptions& options, const Pull& pull, std::span<const std::byte> in,
                   std::span<std::byte> out)
    : Collective(communicator, routes.kind, elements, options, routes.root, {}),
      plan_(make_plan(team_, communicator.own().rank, routes)),
      pull_(pull),
      in_(in) {
  reorder(plan_.near, communicator.pull_order());
  reorder(plan_.far, communicator.pull_order());
  own_out_.resize(out.data() == nullptr ? extent(plan_) : 0);
  out_ = out.data() == nullptr ? std::span(own_out_) : out;
  for (const Passage& passage : plan_.passages) {
    lanes_.emplace_back(communicator, passage.peer, key_, routes.kind, passage.sends, passage.receives);
    has_far_ = has_far_ || passage.receives;
  }
  stages_ = 6;
  make_boards(plan_.half);
}

std::byte* Exchange::input() {
  open();
  wait_until([this] { return boards_->all_have(Mark::began, call_); }, 0.0);
  return boards_->own(call_ + 1);
}

const std::byte* Exchange::view(std::size_t i) const noexcept {
  const BoardPiece& piece = i < plan_.near.size() ? plan_.near[i] : plan_.far[i - plan_.near.size()];
  return boards_->data(piece.member, call_) + piece.from;
}

std::vector<std::size_t> Exchange::pieces_by_source() const {
  std::vector<std::size_t> places(plan_.near.size() + plan_.far.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const BoardPiece& piece = i < plan_.near.size() ? plan_.near[i] : plan_.far[i - plan_.near.size()];
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
  if (!boards_->all_have(Mark::began, call_ - 1)) return false;
  copy_bytes(boards_->own(call_), in_.data(), in_.size());
  boards_->set(Mark::began, call_);
  return true;
}

bool Exchange::send() noexcept {
  for (; cursor_ < lanes_.size(); ++cursor_) {
    if (!lanes_[cursor_].sends()) continue;
    const std::vector<BoardPiece>& pack = plan_.passages[cursor_].pack;
    const auto is_there = [this](const BoardPiece& piece) { return boards_->has(piece.member, Mark::began, call_); };
    if (!std::ranges::all_of(pack, is_there)) return false;
    std::byte* message = lanes_[cursor_].outgoing();
    for (const BoardPiece& piece : pack) {
      copy_bytes(message + piece.to, boards_->data(piece.member, call_) + piece.from, piece.bytes);
    }
    lanes_[cursor_].post();
  }
  return true;
}

bool Exchange::receive() noexcept {
  for (; cursor_ < lanes_.size(); ++cursor_) {
    Lane& lane = lanes_[cursor_];
    if (!lane.receives()) continue;
    if (!lane.has_come()) return false;
    if (lane.error() != 0) return false;
    const Passage& passage = plan_.passages[cursor_];
    copy_bytes(boards_->own(call_) + passage.lands, lane.incoming(), *passage.receives);
    lane.grant();
  }
  if (has_far_) boards_->set(Mark::received, call_);
  return true;
}

bool Exchange::read(const std::vector<BoardPiece>& pieces, Mark mark) noexcept {
  for (; cursor_ < pieces.size(); ++cursor_) {
    const BoardPiece& piece = pieces[cursor_];
    if (!boards_->has(piece.member, mark, call_)) return false;
    if (pull_.chunk == 0)
      copy_bytes(out_.data() + piece.to, boards_->data(piece.member, call_) + piece.from, piece.bytes);
  }
  if (pull_.chunk != 0) read_in_chunks(pieces);
  return true;
}

void Exchange::read_in_chunks(const std::vector<BoardPiece>& pieces) noexcept {
  std::size_t longest = 0;
  for (const BoardPiece& piece : pieces) longest = std::max(longest, piece.bytes);
  for (std::size_t at = 0; at < longest; at += pull_.chunk) {
    for (const BoardPiece& piece : pieces) {
      if (at >= piece.bytes) continue;
      copy_bytes(out_.data() + piece.to + at, boards_->data(piece.member, call_) + piece.from + at,
                 std::min(pull_.chunk, piece.bytes - at));
    }
  }
}

}  // namespace tacit::comm::detail
