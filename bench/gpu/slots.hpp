// The benchmark of launch slots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark slots_benchmark();

}  // namespace tacit::bench
