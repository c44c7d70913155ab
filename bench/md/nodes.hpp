// `tacit bench md` on emulated nodes: atoms that a node has copies of, with one rank and with one for each core.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "framework/benchmark.hpp"

namespace tacit::bench {

/// The first word that makes the program one of its ranks; not for users.
inline constexpr std::string_view md_rank = "--md-rank";

/// A rank that was started on an emulated node; rank 0 writes each figure as a line.
/// @param words  after md_rank: "full" or "quick"
void serve_md(std::span<const std::string_view> words, std::ostream& out);

/// Starts the ranks and adds their figures, where nodes can be emulated.
void add_ghosts_of_nodes(Session& session);

}  // namespace tacit::bench
