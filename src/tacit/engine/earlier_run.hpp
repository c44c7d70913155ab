// What to do with the files of a run that stood in the output directory before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// Moves the files that an earlier run left (snapshots, statistics, summary, ...) to a new folder earlier-N inside
/// `directory`; other files stay. Nothing is ever overwritten or deleted. Where the process ends before all are moved,
/// `finish_moving_aside` moves the others.
///
/// @param series  further numbered files of this solver, its snapshots among them
/// @return the folder, or an empty string where there was no earlier run
/// @throws base::SystemError if a file cannot be moved
std::string set_aside_earlier_run(const std::filesystem::path& directory, std::span<const Series> series = {});

/// Finishes what an earlier process has begun, into the same folder. For the beginning of every run, restarts too.
/// @return the folder, or an empty string where there was nothing to finish
/// @throws base::SystemError if a file cannot be moved, base::FormatError if the list of them is damaged
std::string finish_moving_aside(const std::filesystem::path& directory);

/// What is left of a statistics.csv.
struct KeptStatistics {
  bool has_header = false;
  std::string note;  ///< what was wrong with it; empty if nothing was
};

/// Keeps of a statistics.csv the header and the whole lines up to `step`: what follows the checkpoint is computed
/// again. What is no whole line, and all behind it, is cut off: a machine that fails may leave anything there.
/// @param last  the step of the last line that the checkpoint knows of; none if it does not say
/// @throws base::SystemError if the file cannot be read or written
KeptStatistics keep_statistics_until(const std::filesystem::path& path, std::uint64_t step,
                                     std::optional<std::uint64_t> last = {});

}  // namespace tacit::engine
