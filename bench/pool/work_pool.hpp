// `tacit bench work_pool`: a work pool beside a master and beside a fixed division.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark work_pool_benchmark();

}  // namespace tacit::bench
