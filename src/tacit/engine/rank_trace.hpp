// One trace of all ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "tacit/comm/communicator.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {

/// Events that each worker keeps for trace.json: some 7 MB of text; sums are kept of all. Fewer where many ranks share
/// the file.
/// @param workers  of a rank
[[nodiscard]] std::size_t events_kept(std::size_t workers, std::size_t ranks) noexcept;

/// Writes what the recorders of all ranks hold into one file, on the first rank: a process for each rank, on one clock,
/// which is that of the first. All ranks call it at the same point.
///
/// The clocks are compared once, when all leave a barrier: ranks may be off by what that takes, some microseconds.
/// Cost: the text passes in pieces, so that no rank holds that of another.
/// @throws base::SystemError if the file cannot be written; comm::PeerError
void write_joint_trace(const trace::Recorder& recorder, const std::filesystem::path& path,
                       std::span<const std::pair<std::string, std::string>> about, comm::Communicator& ranks);

}  // namespace tacit::engine
