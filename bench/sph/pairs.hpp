// `tacit bench sph_pairs`: what one pair of particles costs, by instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark sph_pairs_benchmark();

}  // namespace tacit::bench
