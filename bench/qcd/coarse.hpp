// The benchmark of the coarse-grid solve of multigrid on several ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "framework/benchmark.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_halo.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark coarse_benchmark();

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view coarse_rank = "--coarse-rank";

/// A rank that was started; rank 0 writes each figure as a line.
/// @param words  after coarse_rank: "full" or "quick", and "node", or "ofi" where halos go through libfabric
void serve_coarse(std::span<const std::string_view> words, std::ostream& out);

/// Halos by persistent requests of MPI, and sums by MPI_Allreduce; empty where this build has no MPI or the ranks are
/// threads.
[[nodiscard]] qcd::multigrid::CoarseTransport mpi_coarse_transport();

}  // namespace tacit::bench
