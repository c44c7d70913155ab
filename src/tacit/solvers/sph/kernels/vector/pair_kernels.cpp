// Chooses the vector loops of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"

#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph::kernels::vector {

template <class Kernel>
PairKernels pair_kernels(base::InstructionSet set) noexcept {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) { return pair_kernels_of<Kernel, Isa>(); });
}

template PairKernels pair_kernels<CubicSpline>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<QuarticSpline>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<QuinticSpline>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<WendlandC2>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<WendlandC4>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<WendlandC6>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<WendlandC2Line>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<WendlandC4Line>(base::InstructionSet) noexcept;
template PairKernels pair_kernels<WendlandC6Line>(base::InstructionSet) noexcept;

}  // namespace tacit::sph::kernels::vector
