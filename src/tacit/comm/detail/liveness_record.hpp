// Liveness records: what a rank publishes about its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace tacit::comm::detail {

/// What became of a rank. silent: its node does not answer.
enum class RankStatus : std::uint32_t { here, left, died, stopped, failed, silent };

/// What a rank publishes about its end, in memory that outlives it; zeros mean "here".
struct LivenessRecord {
  std::atomic<RankStatus> status{RankStatus::here};  ///< here, left or failed; written last
  std::atomic<RankStatus> cause{
      RankStatus::here};                      ///< of a failure: what became of `failed_rank`; here: an error of its own
  std::atomic<std::uint32_t> failed_rank{0};  ///< rank
  [[nodiscard]] bool has_left() const noexcept { return status.load(std::memory_order_acquire) == RankStatus::left; }
};

}  // namespace tacit::comm::detail
