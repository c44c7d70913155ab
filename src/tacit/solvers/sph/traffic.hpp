// What other numbers of ranks would send of a gas that one rank has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/particles/cell_tree.hpp"

namespace tacit::sph {

/// What a step sends.
struct StepBytes {
  std::vector<std::size_t> of_particle;  ///< by phase [byte]
  std::size_t of_cell = 0;               ///< a report, in one message with those on others; 0: none [byte]
  double times = 1.0;                    ///< how often, on average
};

/// Who would own the leaves.
/// @return  shape (leaves): ranks; empty where there are fewer leaves than ranks
[[nodiscard]] std::vector<std::uint32_t> owners_among(const particles::CellTree& tree, std::size_t ranks);

/// Counts what a step that all particles end would send: each leaf travels, once, to each other rank that has a leaf
/// whose list names it, in every phase.
///
/// @param tree   sorted and linked, of one rank
/// @param owner  shape (leaves): ranks
/// Cost: O(entries of lists), and sorting those that name leaves of others
[[nodiscard]] engine::StepTraffic count_traffic(const particles::CellTree& tree, std::span<const std::uint32_t> owner,
                                                std::size_t ranks, const StepBytes& bytes);

/// The same for 2, 4, 8, ... ranks, as long as each has some leaves.
[[nodiscard]] std::vector<engine::StepTraffic> count_traffic(const particles::CellTree& tree, const StepBytes& bytes);

}  // namespace tacit::sph
