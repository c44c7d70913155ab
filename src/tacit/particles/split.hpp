// Where the roots of a forest have to be split so that no leaf is crowded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/particles/forest.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::particles {

/// A leaf that is this many times as wide as the shortest support of its particles is split even if it holds few:
/// single precision must tell apart places within that support.
inline constexpr double widest_in_supports = 32.0;

/// Levels of leaves, in order, such that a node is split if it is not at the deepest level and
/// - holds more than `most_per_leaf` particles, and its children are at least half as wide as the median support of its
///   particles; or
/// - is more than `widest_in_supports` times as wide as the shortest of these supports.
///
/// @param roots      a forest that is not split
/// @param positions  shape (N)
/// @param support    shape (N): how far each particle's kernel reaches [length]; one without a kernel, 0, fits into any
/// leaf
/// @param ranks      that have the particles together, and all call this; null: this one has all
/// @param workers    that share the work; null: the caller does it alone
/// Cost: O(N) and O(particles in crowded nodes) on each level, and a sum over ranks for each. The result does not
/// depend on the particles' order, nor on which rank has which.
[[nodiscard]] std::vector<std::uint64_t> split_levels(const Forest& roots, const Positions& positions,
                                                      std::span<const double> support, std::size_t most_per_leaf,
                                                      comm::Communicator* ranks = nullptr,
                                                      tasks::Scheduler* workers = nullptr);

}  // namespace tacit::particles
