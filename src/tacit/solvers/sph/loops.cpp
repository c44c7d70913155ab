// Chooses the vector loops of a run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/loops.hpp"

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph {
namespace {

template <class Shape>
kernels::vector::PairLoops loops_of(int dimension) {
  return {kernels::vector::pair_kernels<Shape>(base::chosen_instruction_set()), kernels::space_of<Shape>(dimension)};
}

}  // namespace

kernels::vector::PairLoops pair_loops(Kernel kernel, int dimension) {
  const bool is_line = dimension == 1;
  switch (kernel) {
    case Kernel::cubic_spline:
      return loops_of<kernels::CubicSpline>(dimension);
    case Kernel::quartic_spline:
      return loops_of<kernels::QuarticSpline>(dimension);
    case Kernel::quintic_spline:
      return loops_of<kernels::QuinticSpline>(dimension);
    case Kernel::wendland_c2:
      return is_line ? loops_of<kernels::WendlandC2Line>(1) : loops_of<kernels::WendlandC2>(dimension);
    case Kernel::wendland_c4:
      return is_line ? loops_of<kernels::WendlandC4Line>(1) : loops_of<kernels::WendlandC4>(dimension);
    case Kernel::wendland_c6:
      break;
  }
  return is_line ? loops_of<kernels::WendlandC6Line>(1) : loops_of<kernels::WendlandC6>(dimension);
}

}  // namespace tacit::sph
