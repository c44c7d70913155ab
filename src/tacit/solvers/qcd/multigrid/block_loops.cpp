// Chooses the loops over blocks that fit a folding.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"

namespace tacit::qcd::multigrid {

BlockLoops block_loops_for(std::size_t lanes) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const BlockLoops loops = base::with_instruction_set(set, [](auto isa) { return block_loops_of<decltype(isa)>(); });
    if (loops.lanes == lanes) return loops;
  }
  TACIT_EXPECT(lanes == 1);
  return block_loops_of<base::isa::scalar>();
}

}  // namespace tacit::qcd::multigrid
