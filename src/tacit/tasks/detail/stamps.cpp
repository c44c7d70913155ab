// Measures what a time stamp costs.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/stamps.hpp"

#include <algorithm>
#include <limits>

#include "tacit/base/ticks.hpp"

namespace tacit::tasks::detail {
namespace {

/// The shortest of several rounds, as another program may have the processor in one of them.
std::int64_t measured() noexcept {
  constexpr int rounds = 16;
  constexpr int stamps = 32;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t begin = base::ticks();
    std::int64_t last = begin;
    for (int i = 0; i < stamps; ++i) last = base::ticks();
    shortest = std::min(shortest, last - begin);
  }
  return std::max<std::int64_t>((shortest + stamps / 2) / stamps, 1);
}

}  // namespace

std::int64_t stamp_ticks() noexcept {
  static const std::int64_t ticks = measured();
  return ticks;
}

}  // namespace tacit::tasks::detail
