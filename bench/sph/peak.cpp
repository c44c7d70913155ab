// Chooses the loop of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "sph/peak.hpp"

namespace tacit::bench {

PeakLoop peak_loop(base::InstructionSet set) noexcept {
  switch (set) {
#if defined(__x86_64__)
    case base::InstructionSet::v2:
      return peak_loop_of<base::isa::v2>();
    case base::InstructionSet::v3:
      return peak_loop_of<base::isa::v3>();
    case base::InstructionSet::v4:
      return peak_loop_of<base::isa::v4>();
#elif defined(__aarch64__)
    case base::InstructionSet::neon64:
      return peak_loop_of<base::isa::neon64>();
#endif
    default:
      return peak_loop_of<base::isa::scalar>();
  }
}

}  // namespace tacit::bench
