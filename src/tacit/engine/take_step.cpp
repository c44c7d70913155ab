// Hands a step to the solver, and asks it whether that was the last.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/take_step.hpp"

namespace tacit::engine {

double take_step(Solver& solver, Schedule& schedule, std::uint64_t number, double time, double dt) {
  tasks::StepContext step;
  step.step = number;
  step.time = time;
  step.dt = dt;
  solver.step(step);
  const double end = schedule.end_of_step(time, dt);
  if (solver.has_converged()) schedule.end_at(end);
  return end;
}

}  // namespace tacit::engine
