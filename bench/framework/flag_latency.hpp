// How long a flag takes from one core to another: the yardstick of everything that two threads do together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "framework/statistics.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {

/// Cores whose flags arrive sooner count as near; where machines are shared, placement changes over minutes.
inline constexpr double near_ns = 80.0;

/// One-way time of a flag between the first two of `processors` [ns]: two threads bound to them pass one back and
/// forth; each sample is the mean of one batch of round trips, halved.
/// @return nothing with fewer than two processors
/// Cost: about 5 ms, two threads.
[[nodiscard]] std::optional<Summary> measure_flag_latency(std::span<const topology::CpuId> processors);

}  // namespace tacit::bench
