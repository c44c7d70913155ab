// One trace of all ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "tacit/comm/communicator.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {

/// Events that the ring of each worker keeps for trace.json; sums are kept of all. Fewer where many ranks share the
/// file.
/// @param workers  of a rank
[[nodiscard]] std::size_t events_kept(TraceDetail detail, std::size_t workers, std::size_t ranks) noexcept;

/// Entries of a worker in trace.json, some 105 bytes each, as trace::readable takes them: together about 2 MB, but at
/// least a thousand of each. As many as its ring keeps where every event shall be there.
[[nodiscard]] std::size_t events_written(TraceDetail detail, std::size_t workers, std::size_t ranks) noexcept;

/// Writes what the recorder of the only rank holds.
/// @throws base::SystemError if the file cannot be written
void write_trace_of_run(const trace::Recorder& recorder, TraceDetail detail, const std::filesystem::path& path,
                        std::span<const std::pair<std::string, std::string>> about);

/// Writes what the recorders of all ranks hold into one file, on the first rank: a process for each rank, on one clock,
/// which is that of the first. All ranks call it at the same point.
///
/// The clocks are compared once, when all leave a barrier: ranks may be off by what that takes, some microseconds.
/// Cost: the text passes in pieces, so that no rank holds that of another.
/// @throws base::SystemError if the file cannot be written; comm::PeerError
void write_joint_trace(const trace::Recorder& recorder, TraceDetail detail, const std::filesystem::path& path,
                       std::span<const std::pair<std::string, std::string>> about, comm::Communicator& ranks);

}  // namespace tacit::engine
