// Chooses the vector loops of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"

#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph::kernels::vector {

template <class Kernel>
PairKernels pair_kernels(base::InstructionSet set) noexcept {
  switch (set) {
#if defined(__x86_64__)
    case base::InstructionSet::v2:
      return pair_kernels_of<Kernel, base::isa::v2>();
    case base::InstructionSet::v3:
      return pair_kernels_of<Kernel, base::isa::v3>();
    case base::InstructionSet::v4:
      return pair_kernels_of<Kernel, base::isa::v4>();
#elif defined(__aarch64__)
    case base::InstructionSet::neon64:
      return pair_kernels_of<Kernel, base::isa::neon64>();
#endif
    default:
      return pair_kernels_of<Kernel, base::isa::scalar>();
  }
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
