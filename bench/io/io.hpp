// `tacit bench io`: durable writes, output that hides, and what it costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark io_benchmark();
/// Of these, the durable writes by every strategy, in a folder of their own.
void add_all_writes(Session& session);

}  // namespace tacit::bench
