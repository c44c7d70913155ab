// Threads of FFTW.
// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>

#include "dns/round_trip.hpp"

namespace tacit::bench {

bool fftw_may_have_threads() {
  static const bool is_there = fftw_init_threads() != 0;
  return is_there;
}

void fftw_set_threads(std::size_t threads) { fftw_plan_with_nthreads(static_cast<int>(threads)); }

}  // namespace tacit::bench
