// The parts of `tacit bench sph`; each adds its figures, whose workloads the help text of sph.cpp gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

/// Speed of full steps by scheme and number of threads, and its share of the peaks (speed.cpp).
void add_speeds(Session& session);
/// One process with two threads beside two with one (processes.cpp).
void add_processes(Session& session);
/// Memory per particle of real runs (footprint.cpp).
void add_footprint(Session& session);
/// Steps of which a hundredth of the particles takes part (active.cpp).
void add_active(Session& session);
/// Cells, lists and graph made from particles by one thread and by two (sorting.cpp).
void add_sorting(Session& session);
/// Single pairs (pairs.cpp, ladder.cpp).
void add_pairs(Session& session);

/// Particles along x and y of the shear layers.
[[nodiscard]] inline std::size_t shear_side(const Session& session) { return session.size(64, 16); }

}  // namespace tacit::bench
