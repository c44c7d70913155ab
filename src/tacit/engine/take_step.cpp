// Hands a step to the solver, and asks it whether that was the last.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/take_step.hpp"

#include <fmt/format.h>

#include "tacit/engine/error.hpp"

namespace tacit::engine {

double longest_step(const Solver& solver, const TimeParameters& times) {
  const double stable = solver.time_step();
  if (const double shortest = solver.shortest_step(); shortest < times.dt_min) {
    const StepLimit limit = solver.step_limit();
    throw NumericsError(
        Flaw{.text = fmt::format("{} needs a time step of {:.4g}, below time.dt_min = {:.4g}\n"
                                 "  Look at the last snapshot{} If all is as it should be, lower time.dt_min.",
                                 limit.element, shortest, times.dt_min, limit.advice),
             .element = limit.id});
  }
  return stable;
}

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
