// The kernel in programs without CUDA.
// SPDX-License-Identifier: Apache-2.0
#include "empty.hpp"

namespace tacit::gpu {

template <>
StartOnDevice code_on_device<device_run::Empty>() noexcept {
  return nullptr;
}

}  // namespace tacit::gpu
