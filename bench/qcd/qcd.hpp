// The benchmark of the Dirac operator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark qcd_benchmark();

/// Twelve sources of multigrid one after the other, over all at once.
void measure_at_once(Session& session);

}  // namespace tacit::bench
