// Runs a measurement on ranks that a launcher starts, or on two threads where there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "comm/rank.hpp"
#include "framework/benchmark.hpp"

namespace tacit::bench {

/// Starts the ranks and adds the figures that the first of them says, up to the last one.
void run_processes(Session& session, std::vector<std::string> words, std::string_view last_figure);
/// @param measure  called by two ranks
void run_threads(Session& session, void (*measure)(comm::Communicator&, Effort, const Sink&));

}  // namespace tacit::bench
