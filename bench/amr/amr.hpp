// The benchmark of gas on an octree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark amr_benchmark();

}  // namespace tacit::bench
