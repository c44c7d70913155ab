// Translates ranks and keys of a part to those of the whole.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/subset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

constexpr std::uint64_t gathering = ~std::uint64_t{0};  // no connection has this number

}  // namespace

SubsetBootstrap::SubsetBootstrap(Bootstrap& whole, std::vector<RankId> ranks, std::uint64_t group)
    : whole_(&whole), ranks_(std::move(ranks)), group_(group) {
  const auto own = std::ranges::find(ranks_, whole.rank());
  rank_ = RankId{static_cast<std::uint32_t>(own - ranks_.begin())};
}

void SubsetBootstrap::send(RankId to, const SetupKey& key, std::span<const std::byte> message) {
  whole_->send(ranks_[number(to)], {key.connection, key.what, group_}, message);
}

std::optional<Bytes> SubsetBootstrap::try_receive(RankId from, const SetupKey& key) {
  return whole_->try_receive(ranks_[number(from)], {key.connection, key.what, group_});
}

Bytes SubsetBootstrap::receive(RankId from, const SetupKey& key, double deadline_s) {
  Backoff backoff(Processors::shared, deadline_s, watch_);
  for (;;) {
    if (auto message = try_receive(from, key)) return std::move(*message);
    carry_on();
    if (!backoff.pause()) {
      if (watch_ != nullptr && watch_->is_lost()) {
        watch_->throw_lost(fmt::format("rank {} of part {} to take part in the set-up", number(from), group_));
      }
      throw DeadlineError(fmt::format("rank {} of part {}: waited {} s for rank {} to take part in the set-up",
                                      number(rank_), group_, deadline_s, number(from)));
    }
  }
}

std::vector<Bytes> SubsetBootstrap::all_gather(std::span<const std::byte> mine, double deadline_s) {
  const SetupKey key{gathering, gathers_++, 0};
  for (std::uint32_t rank = 0; rank < size(); ++rank) send(RankId{rank}, key, mine);
  std::vector<Bytes> all;
  for (std::uint32_t rank = 0; rank < size(); ++rank) all.push_back(receive(RankId{rank}, key, deadline_s));
  return all;
}

}  // namespace tacit::comm
