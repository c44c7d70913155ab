// Announces shared buffers to the ranks of a node, and compares what they say of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/shared_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {
namespace {

constexpr std::size_t board_line = 128;

/// Its own number among those of the collective's connections, which count from 0.
constexpr std::uint64_t shared_buffers_id(std::uint32_t key) { return std::uint64_t{key} << 32U | 0xFFFFFFFFU; }

}  // namespace

SharedBuffers::SharedBuffers(CommunicatorCore& communicator, const Team& team, std::uint32_t key, const Agreement& mine,
                             std::size_t half)
    : communicator_(&communicator), team_(&team), key_(key) {
  half = (half + board_line - 1) / board_line * board_line;
  piece_ = communicator.shared_memory().allocate(sizeof(Head) + 2 * half);
  own_ = new (piece_.data) Head;
  info_ = {piece_.place, mine, half};
  views_.resize(team.members().size());
  views_[team.index] = {own_, piece_.data + sizeof(Head), half, {}};
  for (const RankId peer : team.members()) {
    if (peer == communicator.own().rank) continue;
    communicator.bootstrap().send(peer, setup_key(shared_buffers_id(key), About::buffer), bytes_of(info_));
  }
}

SharedBuffers::~SharedBuffers() {
  std::vector<RankId> peers = team_->members();
  std::erase(peers, communicator_->own().rank);
  communicator_->release_later(std::move(peers), shared_buffers_id(key_), piece_, is_open_);
}

SharedBuffers::PeerInfo SharedBuffers::await_peer_info(RankId peer) const {
  const double deadline_s = communicator_->options().setup_deadline_s;
  Backoff backoff(Processors::shared, deadline_s, &communicator_->watch(), communicator_->sign_of(peer));
  for (;;) {
    if (const auto bytes =
            communicator_->bootstrap().try_receive(peer, setup_key(shared_buffers_id(key_), About::buffer))) {
      PeerInfo info;
      std::memcpy(&info, bytes->data(), std::min(bytes->size(), sizeof(PeerInfo)));
      return info;
    }
    if (communicator_->engine().has_work()) communicator_->engine().progress();
    if (!backoff.pause()) throw_not_made(*communicator_, peer, info_.agreement, key_);
  }
}

void SharedBuffers::open() {
  if (is_open_) return;
  for (std::uint32_t member = 0; member < views_.size(); ++member) {
    const RankId peer = team_->members()[member];
    if (member == team_->index) continue;
    const PeerInfo info = await_peer_info(peer);
    require_alike(*communicator_, info_.agreement, peer, info.agreement);
    const std::byte* memory = map_or_tell_loss(
        *communicator_, peer, [&] { return communicator_->shared_memory().resolve(peer, info.place); },
        [&] {
          return fmt::format("the memory of {} of {}", detail::describe(info.agreement, key_),
                             comm::describe(communicator_->rank(peer)));
        });
    views_[member] = {std::launder(reinterpret_cast<const Head*>(memory)), memory + sizeof(Head), info.half, {}};
  }
  is_open_ = true;
}

std::optional<RankId> SharedBuffers::departed_rank(Mark mark, std::uint64_t call) const noexcept {
  for (std::uint32_t member = 0; member < views_.size(); ++member) {
    // In this order: who has left did before whatever he did.
    if (!has_left(*communicator_, team_->members()[member])) continue;
    const auto& value = views_[member].head->marks[static_cast<std::size_t>(mark)].value;
    if (value.load(std::memory_order_acquire) < call) return team_->members()[member];
  }
  return std::nullopt;
}

std::string SharedBuffers::missing(Mark mark, std::uint64_t call) const {
  for (std::uint32_t member = 0; member < views_.size(); ++member) {
    const auto& value = views_[member].head->marks[static_cast<std::size_t>(mark)].value;
    if (value.load(std::memory_order_acquire) < call) {
      return comm::describe(communicator_->rank(team_->members()[member]));
    }
  }
  return {};
}

}  // namespace tacit::comm::detail
