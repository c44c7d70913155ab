// Announces shared buffers to the ranks of a node, and compares what they say of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/shared_buffers.hpp"

#include <new>

namespace tacit::comm::detail {
namespace {

/// Bytes of a half, which begins at a pair of cache lines.
std::uint64_t rounded_half(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

}  // namespace

SharedBuffers::SharedBuffers(CommunicatorCore& communicator, const Team& team, std::uint32_t key, const Agreement& mine,
                             std::size_t half)
    : communicator_(&communicator),
      team_(&team),
      key_(key),
      info_{mine, rounded_half(half)},
      rendezvous_(communicator, key, sizeof(Head) + 2 * info_.half),
      own_(new(rendezvous_.data()) Head),
      views_(team.members().size()) {
  views_[team.index] = {own_, rendezvous_.data() + sizeof(Head), info_.half, {}};
  for (const RankId peer : team.members()) {
    if (peer != communicator.own().rank) rendezvous_.announce(peer, info_);
  }
}

void SharedBuffers::open() {
  if (is_open_) return;
  const auto what = [this] { return detail::describe(info_.agreement, key_); };
  for (std::uint32_t member = 0; member < views_.size(); ++member) {
    const RankId peer = team_->members()[member];
    if (member == team_->index) continue;
    const auto [place, theirs] = rendezvous_.await(peer, what);
    require_alike(*communicator_, info_.agreement, peer, theirs.agreement);
    const std::byte* memory = rendezvous_.map(peer, place, what);
    views_[member] = {std::launder(reinterpret_cast<const Head*>(memory)), memory + sizeof(Head), theirs.half, {}};
  }
  is_open_ = true;
}

std::optional<RankId> SharedBuffers::departed_rank(Mark mark, std::uint64_t call) const noexcept {
  for (std::uint32_t member = 0; member < views_.size(); ++member) {
    // In this order: a rank that has left has set all its marks before.
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
