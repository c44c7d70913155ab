// Finds ways to ranks of other nodes, and connects to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tacit/comm/detail/lines.hpp"

namespace tacit::comm::detail {

/// Connected sockets by rank, of those of `partners` that can be reached. Called by all ranks. Both ends of a socket
/// have heard of each other when this returns.
[[nodiscard]] std::map<RankId, int> connect_lines(Bootstrap& bootstrap, const std::vector<RankId>& partners,
                                                  double setup_deadline_s, Lines::Reach reach);

}  // namespace tacit::comm::detail
