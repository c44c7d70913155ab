// A step of a solver, as runs and rehearsals take it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/engine/keys.hpp"
#include "tacit/engine/schedule.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// The longest stable step from the present state [code time].
/// @throws NumericsError if there is none, or an element needs one below time.dt_min
[[nodiscard]] double longest_step(const Solver& solver, const TimeParameters& times);

/// Takes a step. Where the solver has converged then, the schedule ends.
/// @param number  of the step, from 0
/// @param dt      as the schedule has cut it [code time]
/// @return        where the step has ended on the axis [code time]
/// @throws        what the solver throws
[[nodiscard]] double take_step(Solver& solver, Schedule& schedule, std::uint64_t number, double time, double dt);

}  // namespace tacit::engine
