// The whole ladder at once: sorted and vectorised loops beside a plain one over all pairs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/measure.hpp"
#include "tacit/tasks/host_thread.hpp"

namespace tacit::bench {

/// Adds pair_sorted_vs_naive and what belongs to it; described in the help of sph_pairs.
void add_ladder(Session& session, tasks::HostThread& host, const Repetitions& often);

}  // namespace tacit::bench
