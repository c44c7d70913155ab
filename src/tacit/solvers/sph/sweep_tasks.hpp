// The work of the tasks that visit each pair of particles once: packing, sweeps, and what follows from the sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/sph/swept_cells.hpp"

namespace tacit::sph {

/// What pairs are visited for.
enum class SweepFor { density, gradient, force };

/// Packs the cell's particles after their drift, brings their orders up to date and clears their sums.
void pack_cell(const StepData& data, std::size_t c, const tasks::StepContext& step);

/// Adds to the sums of a cell what its particles find in it and in its own images; and to those of this cell and of all
/// that come behind it in the order of cells what their particles find in each other.
void sweep_cell(const StepData& data, std::size_t c, SweepFor what, const tasks::StepContext& step);

/// Turns the cell's sums into densities, gradients or forces; packs what the next sweep needs, and clears the sums.
/// Particles whose h has to change look for their neighbours themselves, as in compute_densities.
void finish_sweep(const StepData& data, std::size_t c, SweepFor what, tasks::StepContext& step);

}  // namespace tacit::sph
