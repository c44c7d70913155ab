// `tacit bench nodes`: collectives and halos between emulated nodes, beside MPI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark nodes_benchmark();
/// Of these, the collectives of four nodes with four ranks each, through MPI.
void add_collectives_of_nodes(Session& session);

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view nodes_rank = "--nodes-rank";

/// A rank that mpirun started on an emulated node; rank 0 writes each figure as a line, and then `end_of_figures`.
/// @param words  after nodes_rank: "full" or "quick", "collectives", "halo" or "puts", the transport between nodes, and
///               how the names of the figures begin
void serve_nodes(std::span<const std::string_view> words, std::ostream& out);
inline constexpr std::string_view end_of_figures = "end";

}  // namespace tacit::bench
