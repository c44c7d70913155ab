// The benchmark of the Dirac operator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark qcd_benchmark();

}  // namespace tacit::bench
