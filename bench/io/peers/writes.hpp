// What the peers of `tacit bench io` write, and how.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace tacit::bench {

/// One array of doubles, of which each rank has as much as every other, in the order of ranks.
struct PeerJob {
  std::filesystem::path folder;
  std::span<const std::byte> mine;  ///< less than 16 GiB
};

/// One file by a collective call, and MPI_File_sync.
void write_by_mpi(const PeerJob& job);

[[nodiscard]] bool has_collective_hdf5() noexcept;
/// One contiguous array, transferred collectively; flushed, which syncs the file.
void write_by_hdf5(const PeerJob& job);

}  // namespace tacit::bench
