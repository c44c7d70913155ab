// Counts what the tasks of a cell take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/solvers/sph/pair_tasks.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

/// Adds what a task takes to the cost of its cell, if anybody asks.
class CostOf {
 public:
  CostOf(const StepData& data, std::size_t c, CellCost::Kind kind)
      : sum_(data.costs.empty() ? nullptr : &data.costs[c].ticks[kind]),
        clock_(data.cost_clock),
        begin_(sum_ != nullptr ? clock_() : 0) {}
  ~CostOf() {
    if (sum_ != nullptr) *sum_ += clock_() - begin_;
  }
  CostOf(const CostOf&) = delete;
  CostOf& operator=(const CostOf&) = delete;

 private:
  std::int64_t* sum_;
  CostClock clock_;
  std::int64_t begin_;
};

/// The body of a task: `work`(data, c, step), whose cost is counted.
template <class Work>
auto counted(const StepData& data, std::size_t c, CellCost::Kind kind, const Work& work) {
  return [&data, c, kind, work](tasks::StepContext& step) {
    const CostOf cost(data, c, kind);
    work(data, c, step);
  };
}

}  // namespace tacit::sph
