// For where FFTW's library of threads is not found.
// SPDX-License-Identifier: Apache-2.0
#include "dns/round_trip.hpp"

namespace tacit::bench {

bool fftw_may_have_threads() { return false; }

void fftw_set_threads(std::size_t /*threads*/) {}

}  // namespace tacit::bench
