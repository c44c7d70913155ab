// A gauge field for benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/solvers/qcd/gauge/updates.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::bench {

/// Some sweeps from a field near unity: rough, though not yet of the equilibrium's distribution.
[[nodiscard]] inline qcd::GaugeField heat_bath_field(const qcd::Division& division, tasks::Scheduler& scheduler,
                                                     std::uint64_t sweeps) {
  qcd::GaugeField field = qcd::random_gauge_field(division.part(), 0.25, 1);
  qcd::LinkTasks tasks(field, division, scheduler);
  qcd::Sweeps by(tasks, 6.0, 1);
  for (std::uint64_t n = 1; n <= sweeps; ++n) {
    by.heat_bath(field, n);
    by.overrelax(field);
  }
  return field;
}

}  // namespace tacit::bench
