// `tacit bench talks`: a figure for each claim of the five talks that two cores can show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

[[nodiscard]] Benchmark talks_benchmark();

}  // namespace tacit::bench
