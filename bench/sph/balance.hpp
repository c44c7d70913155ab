// A part of `tacit bench sph_ranks`: how evenly four ranks share a ball of gas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "framework/benchmark.hpp"

namespace tacit::bench {

/// The first word that makes the program one of its ranks; not for users.
inline constexpr std::string_view sph_balance_rank = "--sph-balance-rank";

/// Starts the ranks and adds their figures.
void add_balance(Session& session);

/// A rank that was started; rank 0 writes each figure as a line.
/// @param words  after sph_balance_rank: "full" or "quick"
void serve_sph_balance(std::span<const std::string_view> words, std::ostream& out);

}  // namespace tacit::bench
