// The triad's loop.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/triad.hpp"

namespace tacit::engine {

void Triad::run() noexcept {
  double* a = a_.data();
  const double* b = b_.data();
  const double* c = c_.data();
  const std::size_t size = a_.size();
  double scale = 3.0;
  asm volatile("" : "+m"(scale));
  for (std::size_t i = 0; i < size; ++i) a[i] = b[i] + scale * c[i];
  asm volatile("" : : "r"(a) : "memory");
}

}  // namespace tacit::engine
