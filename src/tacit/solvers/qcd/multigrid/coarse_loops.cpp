// Chooses the loops over the coarse lattice.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_loops.hpp"

#include "tacit/base/cpu_features.hpp"

namespace tacit::qcd::multigrid {

CoarseLoops coarse_loops(std::size_t most_lanes) {
  CoarseLoops best = coarse_loops_of<base::isa::scalar>();
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const CoarseLoops loops =
        base::with_instruction_set(set, [](auto isa) { return coarse_loops_of<decltype(isa)>(); });
    if (loops.lanes <= most_lanes && loops.lanes > best.lanes) best = loops;
  }
  return best;
}

}  // namespace tacit::qcd::multigrid
