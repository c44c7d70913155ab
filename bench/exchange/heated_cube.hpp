// The heat solver on some ranks, to be timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "comm/crew.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

/// A periodic cube of cells with a constant diffusivity, by rk2, with one worker per rank.
class HeatedCube {
 public:
  HeatedCube(comm::Communicator& ranks, std::size_t n);
  ~HeatedCube() { scheduler_.detach(ranks_.completions()); }
  HeatedCube(const HeatedCube&) = delete;
  HeatedCube& operator=(const HeatedCube&) = delete;

  void run(std::size_t steps);
  /// What communication has cost so far.
  [[nodiscard]] trace::Exposure exposure();
  /// That this rank sends to others in a step.
  [[nodiscard]] double bytes_per_step() const;

 private:
  comm::Communicator& ranks_;
  trace::Recorder recorder_{1, 64};
  tasks::Scheduler scheduler_;
  heat::HeatSolver solver_;
  tasks::StepContext step_;
};

/// Steps on all ranks: their times and what communication costs in them, by sample.
struct ExposedSteps {
  std::vector<double> seconds;  ///< of a step, of the slowest rank
  std::vector<double> exposed;  ///< seconds of a step, mean of the ranks
  std::vector<double> serial;   ///< likewise: its messages alone and blocking
};
[[nodiscard]] ExposedSteps measure_exposed(Crew& crew, HeatedCube& cube, std::size_t steps, std::size_t samples);

}  // namespace tacit::bench
