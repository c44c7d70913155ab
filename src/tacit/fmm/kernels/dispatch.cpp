// Chooses the loops of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/kernels/direct.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"

namespace tacit::fmm::kernels {

template <class Real>
DirectLoops<Real> direct_loops(base::InstructionSet set) noexcept {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return direct_loops_of<Real, Isa>(); });
}
template DirectLoops<float> direct_loops<float>(base::InstructionSet) noexcept;
template DirectLoops<double> direct_loops<double>(base::InstructionSet) noexcept;

M2LLoops m2l_loops(base::InstructionSet set) noexcept {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return m2l_loops_of<Isa>(); });
}

}  // namespace tacit::fmm::kernels
