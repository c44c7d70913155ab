// Copies between memory of the host.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/gpu/device.hpp"

#include <cstring>

namespace tacit::gpu {

void Copy::run() const noexcept {
  for (std::size_t plane = 0; plane < planes; ++plane) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(to + plane * to_plane + row * to_row, from + plane * from_plane + row * from_row, row_bytes);
    }
  }
}

}  // namespace tacit::gpu
