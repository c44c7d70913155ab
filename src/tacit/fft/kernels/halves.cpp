// Chooses the loops of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/kernels/halves.hpp"

namespace tacit::fft::kernels {

template <class Real>
Halves<Real> halves_for(base::InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case base::InstructionSet::v2:
      return halves_of<Real, base::isa::v2>();
    case base::InstructionSet::v3:
      return halves_of<Real, base::isa::v3>();
    case base::InstructionSet::v4:
      return halves_of<Real, base::isa::v4>();
#elif defined(__aarch64__)
    case base::InstructionSet::neon64:
      return halves_of<Real, base::isa::neon64>();
#endif
    default:
      return halves_of<Real, base::isa::scalar>();
  }
}

template Halves<double> halves_for(base::InstructionSet);
template Halves<float> halves_for(base::InstructionSet);

}  // namespace tacit::fft::kernels
