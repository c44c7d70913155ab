// The benchmark of the operators of gravity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark fmm_benchmark();

}  // namespace tacit::bench
