// The parts of `tacit bench comm`, each with figures of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/turns.hpp"

namespace tacit::bench {

/// All-to-all and all-to-all-v beside the bound of shared memory and MPI.
void measure_all_to_all(const Plan& plan);
/// Reductions, barriers, broadcasts and all-gathers beside MPI.
void measure_other_collectives(const Plan& plan);
/// The halo of a lattice in four dimensions, alone and while something is computed.
void measure_halo(const Plan& plan);
/// Windows with insert and extract beside those without.
void measure_buffered(const Plan& plan);

}  // namespace tacit::bench
