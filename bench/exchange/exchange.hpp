// `tacit bench exchange`: messages of a step as tasks, and the steps of a solver that uses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark exchange_benchmark();

}  // namespace tacit::bench
