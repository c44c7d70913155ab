// The table of calls that wait.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/detail/pending.hpp"

namespace tacit::actions::detail {

std::uint64_t PendingCalls::add(PendingCall& call) {
  const std::lock_guard guard(lock_);
  if (free_.empty()) {
    places_.emplace_back();
    free_.reserve(places_.capacity());
    free_.push_back(static_cast<std::uint32_t>(places_.size() - 1));
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  places_[place].call = &call;
  count_.fetch_add(1, std::memory_order_release);
  return std::uint64_t{places_[place].uses} << 32U | place;
}

PendingCall* PendingCalls::empty(std::uint32_t place) noexcept {
  Place& at = places_[place];
  if (++at.uses == 0) at.uses = 1;
  free_.push_back(place);  // there is room: see add
  count_.fetch_sub(1, std::memory_order_release);
  return std::exchange(at.call, nullptr);
}

PendingCall* PendingCalls::take(std::uint64_t number, comm::RankId from) noexcept {
  const std::lock_guard guard(lock_);
  const auto place = static_cast<std::uint32_t>(number);
  if (place >= places_.size() || places_[place].uses != number >> 32U) return nullptr;
  if (places_[place].call == nullptr || !places_[place].call->may_end_at(from)) return nullptr;
  return empty(place);
}

std::vector<PendingCall*> PendingCalls::take_all(comm::RankId to) {
  std::vector<PendingCall*> taken;
  const std::lock_guard guard(lock_);
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    const PendingCall* const call = places_[place].call;
    if (call != nullptr && call->may_end_at(to)) taken.push_back(empty(place));
  }
  return taken;
}

std::optional<PendingCalls::Waiting> PendingCalls::find_any() const noexcept {
  if (!lock_.try_lock()) return std::nullopt;
  const std::lock_guard guard(lock_, std::adopt_lock);
  for (const Place& place : places_) {
    if (place.call != nullptr) return Waiting{place.call->to(), place.call->action(), place.call->object()};
  }
  return std::nullopt;
}

}  // namespace tacit::actions::detail
