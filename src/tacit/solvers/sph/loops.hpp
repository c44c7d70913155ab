// The vector loops for a run's smoothing kernel and dimension.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// Of the instruction set that base::chosen_instruction_set() chooses.
[[nodiscard]] kernels::vector::PairLoops pair_loops(Kernel kernel, int dimension);

}  // namespace tacit::sph
