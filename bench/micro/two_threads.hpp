// Our workloads with one worker and with two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "micro/team.hpp"

namespace tacit::bench {

/// two_threads_vs_one_*, one for each comparison, and two_threads_vs_one, the least of them: time with one worker over
/// time with two.
/// @param comparisons  whose names end in "_2t_ns"
void measure_two_threads(Session& session, std::span<const Comparison> comparisons);

}  // namespace tacit::bench
