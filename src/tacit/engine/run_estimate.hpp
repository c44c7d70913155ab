// How many steps a run will take, and how long they last: from rehearsals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/rehearsal.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// A run that may be rehearsed.
struct RunAhead {
  const SolverEntry& solver;
  const config::Parameters& parameters;
  const Prediction& prediction;
  std::size_t threads = 1;  ///< of all ranks
  /// The parameters with further settings, as of --set.
  std::function<config::Parameters(const std::vector<std::string>& settings)> with;
};

/// What rehearsals may take in all.
struct EstimateLimits {
  /// Whole runs at coarser resolutions, and then first steps, by the assumed speed of the solver on a thread [s]. This
  /// is counted, not measured, so that what is found does not depend on the machine.
  double whole_s = 0.7;
  double first_s = 0.5;
  /// After which they are ended on a machine that is slower [s].
  double most_whole_s = 1.2;
  double most_first_s = 0.8;
};

/// A run at some resolution.
struct RehearsedRun {
  double factor = 1.0;  ///< by which distances of elements are longer than in the run that is to come
  Rehearsal rehearsal;
};

/// What the steps of a run will be.
struct StepEstimate {
  double steps = 0.0;  ///< 0: they cannot be told
  double updates = 0.0;
  std::string basis = {};  ///< "by runs at 1/4 and 1/2 of the resolution"
};

/// Of a run for which there are whole runs at coarser resolutions. After its first steps, what changes by a power of
/// the resolution from one to the next goes on so; where there is one alone, steps become shorter as the first one
/// does. The first steps show a power, too, of the time in which they are: of the run itself, but of a part of it. It
/// counts by the square root w of that part of the finest run's steps:
///
///     p = (1 - w) p_between_runs + w p_of_first_steps
///
/// @param runs      the coarsest first, at least one
/// @param first     first steps of the run itself; null: there are none
/// @param elements  of the run that is to come
/// @param first_dt  its first step [code time]; 0: it is not known
[[nodiscard]] StepEstimate extrapolate(const std::vector<RehearsedRun>& runs, const Rehearsal* first, double elements,
                                       double first_dt);

struct RunEstimate {
  StepEstimate steps;
  double updates_per_s = 0.0;  ///< of all threads together, in steps
  std::string speed_basis = {};
  double steps_s = 0.0;                    ///< of all steps
  double setup_s = 0.0;                    ///< before the first step
  double statistics_s = 0.0;               ///< of a line of statistics
  double events = 0.0;                     ///< of a trace that keeps all, of all threads; 0: not known
  std::vector<std::string> warnings = {};  ///< that the first steps of the run itself brought up
};

/// Rehearses what is affordable. Writes nothing.
/// @throws as rehearse, if the run itself can be rehearsed and fails
[[nodiscard]] RunEstimate estimate(const RunAhead& run, const TimeParameters& times, const EstimateLimits& limits = {});

}  // namespace tacit::engine
