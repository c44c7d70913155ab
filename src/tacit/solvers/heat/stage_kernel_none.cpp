// The kernel in programs without CUDA.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/stage_kernel.hpp"

namespace tacit::gpu {

using heat::kernels::Kappa;
using heat::kernels::StageKernel;

template <>
StartOnDevice code_on_device<StageKernel<Kappa::constant>>() noexcept {
  return nullptr;
}
template <>
StartOnDevice code_on_device<StageKernel<Kappa::given>>() noexcept {
  return nullptr;
}

}  // namespace tacit::gpu
