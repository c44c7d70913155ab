// What ranks send each other in a step of a flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// The transposes of all substages on a number of ranks, and which share of the points the one with most has. Files,
/// statistics, forcing and tracers are not in it.
///
/// Of more than 512 ranks, the first stands for the one that sends most.
/// @throws base::Error if no grid of ranks gives each of them something
[[nodiscard]] engine::StepTraffic count_traffic(const FlowParameters& parameters, std::size_t ranks);

/// The same for 2, 4, 8, ... ranks, as long as each has a plane or a pencil.
[[nodiscard]] std::vector<engine::StepTraffic> count_traffic(const FlowParameters& parameters);

/// Work of a point relative to that in other grids: transforms of n points on a side take n log n operations.
[[nodiscard]] double work_of_point(const FlowParameters& parameters);

}  // namespace tacit::dns
