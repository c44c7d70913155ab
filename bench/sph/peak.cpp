// Chooses the loop of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "sph/peak.hpp"

namespace tacit::bench {

PeakLoop peak_loop(base::InstructionSet set) noexcept {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return peak_loop_of<Isa>(); });
}

}  // namespace tacit::bench
