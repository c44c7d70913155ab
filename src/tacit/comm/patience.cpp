// The slow part of a wait.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/patience.hpp"

#include <sched.h>

namespace tacit::comm {

void yield_processor() noexcept { sched_yield(); }

bool Patience::yield() noexcept {
  const std::int64_t now = base::now_ns();
  if (end_ns_ == 0) end_ns_ = now + static_cast<std::int64_t>(1e9 * seconds_);
  if (now >= end_ns_) return false;
  yield_processor();
  return true;
}

}  // namespace tacit::comm
