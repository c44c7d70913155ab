// What each rank sends to each, as all learn it when an all-to-all-v is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"

namespace tacit::comm::detail {

/// Called by all ranks. @return  by sender and receiver
/// @throws MismatchError if a rank names counts for another number of ranks; DeadlineError
[[nodiscard]] std::vector<std::vector<std::size_t>> gather_counts(Communicator& communicator,
                                                                  std::span<const std::size_t> mine);
/// All times the length of an element.
[[nodiscard]] std::vector<std::vector<std::size_t>> in_bytes(std::vector<std::vector<std::size_t>> counts,
                                                             std::size_t bytes);

}  // namespace tacit::comm::detail
