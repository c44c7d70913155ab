// The heat solver on some ranks, to be timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "comm/crew.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

/// A periodic cube of cells, or layers of one, with a constant diffusivity, by rk2, with one worker per rank.
class HeatedCube {
 public:
  HeatedCube(comm::Communicator& ranks, std::size_t n) : HeatedCube(ranks, n, n) {}
  /// n x n x `layers` cells.
  HeatedCube(comm::Communicator& ranks, std::size_t n, std::size_t layers);
  ~HeatedCube() { scheduler_.detach(ranks_.completions()); }
  HeatedCube(const HeatedCube&) = delete;
  HeatedCube& operator=(const HeatedCube&) = delete;

  void run(std::size_t steps);
  /// Time so far in which this rank did nothing but communicate, or wait for that [s].
  [[nodiscard]] double exposed_s();
  /// The lengths of the messages that this rank sends to others in a step [byte].
  [[nodiscard]] std::vector<std::size_t> messages_of_step() const;

 private:
  comm::Communicator& ranks_;
  trace::Recorder recorder_{1, 64};
  tasks::Scheduler scheduler_;
  heat::HeatSolver solver_;
  tasks::StepContext step_;
};

/// A step on all ranks, the mean of several.
struct ExposedStep {
  double seconds = 0.0;  ///< of the slowest rank
  double exposed = 0.0;  ///< seconds in which a rank only communicates or waits for that; mean of the ranks
};
[[nodiscard]] ExposedStep time_exposed(Crew& crew, HeatedCube& cube, std::size_t steps);

}  // namespace tacit::bench
