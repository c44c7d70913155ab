// The solver md on ranks, for benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

/// Atoms on some ranks, with some workers on each.
class OnRanks {
 public:
  /// @param parameters  of all atoms, of which each rank takes its share
  OnRanks(const md::MdParameters& parameters, comm::Communicator& ranks, std::size_t workers = 1)
      : ranks_(ranks),
        recorder_(workers, 1024),
        scheduler_(workers, recorder_),
        dt_(parameters.dt),
        solver_((scheduler_.attach(ranks.completions()), share_of(parameters, ranks)),
                {.scheduler = scheduler_, .ranks = ranks}, nullptr) {}
  ~OnRanks() { scheduler_.detach(ranks_.completions()); }
  OnRanks(const OnRanks&) = delete;
  OnRanks& operator=(const OnRanks&) = delete;
  void run(std::size_t steps) {
    for (std::size_t k = 0; k < steps; ++k) {
      step_.dt = dt_;
      solver_.step(step_);
      step_.time += dt_;
      ++step_.step;
    }
  }
  [[nodiscard]] const md::MdSolver& solver() const noexcept { return solver_; }
  [[nodiscard]] double exposed_s() {
    scheduler_.settle();
    return recorder_.exposure().exposed_s;
  }

 private:
  static md::MdParameters share_of(md::MdParameters parameters, const comm::Communicator& ranks) {
    md::keep_share(parameters.initial.atoms, particles::share_of(ranks));
    return parameters;
  }
  comm::Communicator& ranks_;
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  double dt_;
  md::MdSolver solver_;
  tasks::StepContext step_;
};

}  // namespace tacit::bench
