// Programs that are built without CUDA.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/gpu/cuda.hpp"

namespace tacit::gpu {

bool is_built_for_cuda() noexcept { return false; }

FoundDevice find_cuda_device(const CudaOptions& /*options*/) {
  return {.device = nullptr, .why_not = "this program has been built without CUDA (-DTACIT_CUDA=ON)"};
}

}  // namespace tacit::gpu
