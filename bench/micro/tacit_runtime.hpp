// Our own runtime as a contestant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "micro/runtime.hpp"

namespace tacit::bench {

/// Tracing is on, as it always is.
[[nodiscard]] RuntimeEntry tacit_runtime();

}  // namespace tacit::bench
