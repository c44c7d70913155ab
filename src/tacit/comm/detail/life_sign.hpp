// What a rank says of its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace tacit::comm::detail {

/// What became of a rank. silent: its node does not answer.
enum class Fate : std::uint32_t { here, left, died, stopped, failed, silent };

/// What a rank says of its end, in memory that outlives it; a page of zeros says "here".
struct LifeSign {
  std::atomic<Fate> fate{Fate::here};     ///< here, left or failed; written last
  std::atomic<Fate> cause{Fate::here};    ///< of a failure: what became of `culprit`; here: an error of its own
  std::atomic<std::uint32_t> culprit{0};  ///< rank
  [[nodiscard]] bool has_left() const noexcept { return fate.load(std::memory_order_acquire) == Fate::left; }
};

}  // namespace tacit::comm::detail
