// What each of the ranks does that `tacit bench actions` starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "comm/rank.hpp"

namespace tacit::bench {

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view actions_rank = "--actions-rank";
/// The figures that two ranks of one node, and those of two emulated nodes, measure last.
inline constexpr std::string_view last_actions_on_node = "channel_2r_ns";
inline constexpr std::string_view last_actions_on_nodes = "wire_messages_per_1000";

/// Measures all figures of two ranks on one node; rank 0 hands them to `sink`.
void measure_actions(comm::Communicator& world, Effort effort, const Sink& sink);

/// A rank that was started; rank 0 writes each figure as a line.
/// @param words  after actions_rank: "full" or "quick", and "node" or "nodes"
void serve_actions(std::span<const std::string_view> words, std::ostream& out);

}  // namespace tacit::bench
