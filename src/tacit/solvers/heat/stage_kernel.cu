// The kernel on devices of NVIDIA.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/gpu/cuda/start.cuh"
#include "tacit/solvers/heat/stage_kernel.hpp"

namespace tacit::gpu {

using heat::kernels::Kappa;
using heat::kernels::StageKernel;

template <>
StartOnDevice code_on_device<StageKernel<Kappa::constant>>() noexcept {
  return &cuda::start<StageKernel<Kappa::constant>>;
}
template <>
StartOnDevice code_on_device<StageKernel<Kappa::given>>() noexcept {
  return &cuda::start<StageKernel<Kappa::given>>;
}

}  // namespace tacit::gpu
