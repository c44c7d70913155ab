// The keys of the axis along which a run advances: those of time, or those of a count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/engine/keys.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// key_tables() for such an axis: where it is counted, NAME.end stands in place of the keys of time, and the intervals
/// of output are counts.
[[nodiscard]] std::vector<config::KeyTable> key_tables(const Axis& axis);

/// As read_time_parameters, with whole numbers where the axis is counted.
[[nodiscard]] TimeParameters read_time_parameters(const config::Parameters& parameters, const Axis& axis, double start);

}  // namespace tacit::engine
