// The checkpoints of a run in its directory: which are there, which one is taken, which may go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tacit/comm/communicator.hpp"

namespace tacit::tasks {
class Scheduler;
}

namespace tacit::engine {

/// "restart_000120.hdf5"
[[nodiscard]] std::string checkpoint_name(std::uint64_t step);

/// Steps of the checkpoints in a directory, the newest first; none if there is no directory.
[[nodiscard]] std::vector<std::uint64_t> checkpoints_in(const std::filesystem::path& directory);

/// What a restart found.
struct FoundCheckpoint {
  std::filesystem::path path;  ///< empty: there is none
  std::uint64_t step = 0;
  std::set<std::uint64_t> damaged;  ///< steps of newer ones that cannot be taken
  std::vector<std::string> notes;   ///< what is wrong with each of these
};

/// The newest checkpoint of which every byte is as it was written. All ranks look at a share of each, and find the
/// same.
///
/// @param workers  that compare; null: the caller does
/// @throws base::FormatError if there are some, and all are damaged: names each; comm::PeerError
[[nodiscard]] FoundCheckpoint find_checkpoint(const std::filesystem::path& directory, comm::Communicator& ranks,
                                              tasks::Scheduler* workers = nullptr);

/// Removes all but the `kept` newest checkpoints; those that are known to be damaged count for nothing, and go.
/// What cannot be removed stays.
void remove_old_checkpoints(const std::filesystem::path& directory, std::size_t kept,
                            const std::set<std::uint64_t>& damaged) noexcept;

}  // namespace tacit::engine
