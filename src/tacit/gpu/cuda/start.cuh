// How a kernel becomes code of a device of NVIDIA: a block of threads is its team.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "tacit/gpu/cuda/pack.cuh"
#include "tacit/gpu/kernel.hpp"

namespace tacit::gpu::cuda {

/// The threads of a block, as a kernel sees them.
class Team {
 public:
  using Isa = cuda::Isa;

  [[nodiscard]] __device__ std::size_t rank() const noexcept { return threadIdx.x; }
  [[nodiscard]] __device__ std::size_t size() const noexcept { return blockDim.x; }

  /// A phase: see HostTeam. What the threads have written to memory of the device all see in the phases behind it.
  template <class Visit>
  __device__ void each(std::size_t n, const Visit& visit) {
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) visit(i);
    __syncthreads();
  }
};

/// Small enough for many blocks on a processor of the device, and no larger than rows of sub-grids are long together.
inline constexpr unsigned threads_of_team = 128;

template <class K>
__global__ void __launch_bounds__(threads_of_team) run_block(const __grid_constant__ K kernel) {
  Team team;
  kernel(team, blockIdx.x);
}

/// For code_on_device. @see StartOnDevice
template <Kernel K>
int start(const void* arguments, std::size_t blocks, void* stream) noexcept {
  if (blocks == 0) return 0;
  run_block<K><<<static_cast<unsigned>(blocks), threads_of_team, 0, static_cast<cudaStream_t>(stream)>>>(
      *static_cast<const K*>(arguments));
  return static_cast<int>(cudaGetLastError());
}

}  // namespace tacit::gpu::cuda
