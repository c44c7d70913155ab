// `tacit bench tasks`: what the task runtime costs, beside its peers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark tasks_benchmark();

}  // namespace tacit::bench
