// Lists what messages may take along.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/ofi/grants.hpp"

#include <type_traits>

#include "tacit/comm/backoff.hpp"

namespace tacit::comm::ofi {

static_assert(std::is_standard_layout_v<Ticket>, "the address of its context is its own");
static_assert(std::is_standard_layout_v<Announcement>, "the address of its ticket is its own");

Peer::Hold::Hold(Peer& peer) noexcept : peer_(&peer) {
  while (peer_->is_held_.test_and_set(std::memory_order_acquire)) yield_processor();
}

void Peer::add(Announcement& announcement) noexcept {
  const Hold hold(*this);
  if (announcement.is_listed || announcement.is_over.load()) return;
  announcement.is_listed = true;
  announcement.next = nullptr;
  if (first_.load(std::memory_order_relaxed) == nullptr) {
    first_.store(&announcement, std::memory_order_relaxed);
  } else {
    last_->next = &announcement;
  }
  last_ = &announcement;
}

/// @pre held
Announcement* Peer::pop() noexcept {
  Announcement* const announcement = first_.load(std::memory_order_relaxed);
  if (announcement == nullptr) return nullptr;
  first_.store(announcement->next, std::memory_order_relaxed);
  announcement->is_listed = false;
  return announcement;
}

void Peer::end(Announcement& announcement) noexcept {
  const Hold hold(*this);
  announcement.is_over.store(true);
  if (!announcement.is_listed) return;
  announcement.is_listed = false;
  Announcement* before = nullptr;
  Announcement* at = first_.load(std::memory_order_relaxed);
  while (at != &announcement) {
    before = at;
    at = at->next;
  }
  if (before == nullptr) {
    first_.store(announcement.next, std::memory_order_relaxed);
  } else {
    before->next = announcement.next;
  }
  if (last_ == &announcement) last_ = before;
}

}  // namespace tacit::comm::ofi
