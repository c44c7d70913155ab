// The slow part of a wait.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/backoff.hpp"

#include <sched.h>

#include "tacit/comm/detail/peer_watch.hpp"

namespace tacit::comm {

void yield_processor() noexcept { sched_yield(); }

void Backoff::look_at_clock() noexcept {
  constexpr std::int64_t dear_ns = 250;  // a turn that asks memory takes 1 to 10 ns, one that asks the system 300
  const std::int64_t now_ns = base::now_ns();
  if (turns_ == first_look) {
    first_look_ns_ = now_ns;
  } else if (now_ns - first_look_ns_ > dear_ns * between_looks) {
    turns_ = spins_;
  }
}

bool Backoff::yield() noexcept {
  const std::int64_t now = base::now_ns();
  if (end_ns_ == 0) end_ns_ = now + static_cast<std::int64_t>(1e9 * seconds_);
  if (now >= end_ns_ || has_peer_left_) return false;
  if (watch_ != nullptr) watch_->carry_on();
  if (watch_ != nullptr && !watch_->look(now)) return false;
  // Once more after it has left: what it has written before is there only now.
  has_peer_left_ = peer_ != nullptr && peer_->has_left();
  yield_processor();
  return true;
}

}  // namespace tacit::comm
