// `tacit bench actions`: calls of functions on another rank, and channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark actions_benchmark();

}  // namespace tacit::bench
