// Chooses the loops of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/kernels/halves.hpp"
#include "tacit/fft/kernels/lane_copies.hpp"

namespace tacit::fft::kernels {

template <class Real>
Halves<Real> halves_for(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return halves_of<Real, Isa>(); });
}
template Halves<double> halves_for(base::InstructionSet);
template Halves<float> halves_for(base::InstructionSet);

template <class Real>
LaneCopies<Real> lane_copies_for(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return lane_copies_of<Real, Isa>(); });
}
template LaneCopies<double> lane_copies_for(base::InstructionSet);
template LaneCopies<float> lane_copies_for(base::InstructionSet);

}  // namespace tacit::fft::kernels
