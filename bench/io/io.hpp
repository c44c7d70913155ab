// `tacit bench io`: durable writes, output that hides, and what it costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark io_benchmark();

}  // namespace tacit::bench
