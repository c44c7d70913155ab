// The kernel on devices of NVIDIA.
// SPDX-License-Identifier: Apache-2.0
#include "empty.hpp"
#include "tacit/gpu/cuda/start.cuh"

namespace tacit::gpu {

template <>
StartOnDevice code_on_device<device_run::Empty>() noexcept {
  return &cuda::start<device_run::Empty>;
}

}  // namespace tacit::gpu
