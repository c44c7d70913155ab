// Chooses the loops of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/peak.hpp"

namespace tacit::engine {

PeakLoops peak_loops(base::InstructionSet set) noexcept {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return peak_loops_of<Isa>(); });
}

}  // namespace tacit::engine
