// A gauge field of one rank with what computes on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "on_lattice.hpp"
#include "tacit/solvers/qcd/gauge/link_tasks.hpp"

namespace tacit::qcd::testing {

struct OneField {
  explicit OneField(GaugeField links, std::size_t workers = 1)
      : on(workers), field(std::move(links)), tasks(field, field.extents, on.scheduler) {}
  Workers on;
  GaugeField field;
  LinkTasks tasks;
};

}  // namespace tacit::qcd::testing
