// Devices of NVIDIA, where the program has been built for them (TACIT_CUDA) and the machine has some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tacit/gpu/device.hpp"

namespace tacit::gpu {

struct CudaOptions {
  int number = 0;  ///< of the device, among those that the process sees (CUDA_VISIBLE_DEVICES)
  std::size_t streams = 128;
  std::size_t memory_bytes = std::size_t{1} << 28U;  ///< of the device; as much of the host mirrors it
  std::size_t pinned_bytes = 0;                      ///< of the host, for launches to write to
};

/// A device, or why there is none.
struct FoundDevice {
  std::unique_ptr<Device> device;
  std::string why_not = {};  ///< "the driver of NVIDIA is not there"
};

/// Whether this program has code for such devices.
[[nodiscard]] bool is_built_for_cuda() noexcept;
/// Takes a device with all memory and streams that are asked for. Where anything of that fails there is none; nothing
/// is thrown, and nothing stays allocated.
[[nodiscard]] FoundDevice find_cuda_device(const CudaOptions& options);

}  // namespace tacit::gpu
