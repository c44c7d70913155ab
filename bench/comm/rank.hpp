// What each of the two ranks does that `tacit bench comm` starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/turns.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::bench {

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view comm_rank = "--comm-rank";

/// Measures all figures. Called by both ranks; rank 0 hands them to `sink`.
void measure_comm(comm::Communicator& world, Effort effort, const Sink& sink);

/// A rank that mpirun started; rank 0 writes each figure as a line.
/// @param words  after comm_rank: "full" or "quick"
void serve_comm(std::span<const std::string_view> words, std::ostream& out);

/// A figure as a line, and back. @throws base::FormatError
[[nodiscard]] std::string to_line(const Result& result);
[[nodiscard]] Result from_line(const std::string& line);

// Runs of a measurement on ranks that a launcher starts, or on two threads where there is none.

/// Starts the ranks and adds the figures that the first of them prints, up to the last one.
void run_processes(Session& session, std::vector<std::string> words, std::string_view last_figure);
/// @param measure  called by two ranks
void run_threads(Session& session, void (*measure)(comm::Communicator&, Effort, const Sink&));

}  // namespace tacit::bench
