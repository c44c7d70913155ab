// `tacit bench sph`: how fast the sph solver is, from one pair of particles to whole steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark sph_benchmark();

}  // namespace tacit::bench
