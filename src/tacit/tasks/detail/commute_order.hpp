// The order of commuting tasks by their keys, for results that do not depend on the number of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/tasks/detail/replay.hpp"

namespace tacit::tasks::detail {

/// A sequence of the tasks that keeps the order that `replay` demands, and the order of ranks among tasks that commute
/// on the same datum or on a datum and its part. Replayed with commutes as writes it cannot give a cycle.
///
/// Ranks may contradict what is demanded (a reader of what a commuting task of higher rank writes, itself commuting
/// with it at a lower rank). Then what is demanded holds, and ranks decide only what it leaves open; this depends on
/// the graph alone, never on threads.
///
/// @param rank  shape (tasks): place of each by (key, name of kind, creation)
[[nodiscard]] std::vector<std::uint32_t> commuting_sequence(const Replay& replay, std::span<const std::uint32_t> rank);

}  // namespace tacit::tasks::detail
