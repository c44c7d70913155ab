// `tacit bench dns` and `tacit bench fft`: substages and transforms beside FFTW.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark dns_benchmark();
[[nodiscard]] Benchmark fft_benchmark();
/// Of the figures of dns, those between two emulated nodes. @pre nodes can be emulated
void add_transposes_of_nodes(Session& session);

}  // namespace tacit::bench
