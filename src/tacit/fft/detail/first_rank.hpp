// What the first rank alone does, for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tacit/comm/communicator.hpp"

namespace tacit::fft::detail {

/// Calls `make` on the first rank and gives its result to all. An error there ends all.
/// Called by all ranks, outside of tasks.
/// @param task   for messages: "read the tunings"
/// @throws what `make` throws on the first rank, base::Error on the others
[[nodiscard]] std::string of_first_rank(comm::Communicator& ranks, const std::string& task,
                                        const std::function<std::string()>& make);

}  // namespace tacit::fft::detail
