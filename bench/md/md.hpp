// The benchmark of molecular dynamics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark md_benchmark();

}  // namespace tacit::bench
