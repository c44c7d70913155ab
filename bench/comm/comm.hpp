// `tacit bench comm`: what messages cost between two ranks of a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark comm_benchmark();

}  // namespace tacit::bench
