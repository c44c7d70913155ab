// The computation beside a halo: in a file of its own, so that no compiler sees that the result is unused.
// SPDX-License-Identifier: Apache-2.0
#include "comm/halo_spec.hpp"

namespace tacit::bench {

double compute(std::size_t loops) noexcept {
  double x[4] = {1.0, 2.0, 3.0, 4.0};
  for (std::size_t i = 0; i < loops; ++i) {
    for (double& value : x) value = value * 0.999 + 0.001;
  }
  return x[0] + x[1] + x[2] + x[3];
}

}  // namespace tacit::bench
