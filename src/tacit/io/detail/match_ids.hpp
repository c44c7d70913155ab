// Which particles of two files are the same, by their IDs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tacit::io::detail {

/// For each particle of one list its place in another one.
struct IdMatch {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::uint64_t> partner;  ///< by place in the first list; none where the second one has no such particle
  std::uint64_t only_first = 0;
  std::uint64_t only_second = 0;

  /// Whether both are in the same order, and complete.
  [[nodiscard]] bool is_identity() const noexcept;
};

/// Of IDs that occur more than once, the first goes with the first, the second with the second.
/// Cost: O(n log n) with n IDs; 40 bytes for each
[[nodiscard]] IdMatch match_ids(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second);

}  // namespace tacit::io::detail
