// Gravity of a whole sphere of bodies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/benchmark.hpp"

namespace tacit::bench {

/// Adds plummer_32k_...; described in the help of fmm.
void measure_sphere(Session& session);

}  // namespace tacit::bench
