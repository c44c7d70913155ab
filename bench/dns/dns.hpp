// `tacit bench dns` and `tacit bench fft`: substages and transforms beside FFTW.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark dns_benchmark();
[[nodiscard]] Benchmark fft_benchmark();

}  // namespace tacit::bench
