// A run, or its first steps, in memory: without output, to learn what its steps are and how long they take here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine {

struct RehearsedStep {
  double end = 0.0;  ///< where it ended on the axis [code time]
  std::uint64_t updates = 0;
  double seconds = 0.0;  ///< that worker 0 worked, or looked for work
};

struct Rehearsal {
  std::uint64_t elements = 0;  ///< at the begin
  bool keeps_elements = true;  ///< there are as many at its end
  double begin = 0.0;          ///< on the axis [code time]
  double first_dt = 0.0;       ///< stable at the begin [code time]
  double setup_s = 0.0;
  double statistics_s = 0.0;  ///< of a line of statistics, on average; 0: none was made
  double events = 0.0;        ///< that a trace would hold
  std::vector<RehearsedStep> steps = {};
  bool is_whole = false;                   ///< it came to the end of the run
  bool has_converged = false;              ///< which was that of a solve
  std::vector<std::string> warnings = {};  ///< that a run would print; of lines of statistics

  [[nodiscard]] std::uint64_t updates() const;

  struct Counts {
    double steps = 0.0;
    double updates = 0.0;
  };
  /// What came after a time [code time], and what before it; the step that it falls into is divided.
  [[nodiscard]] Counts after(double time) const;
  [[nodiscard]] Counts before(double time) const;
};

/// Lines of statistics, of which nothing is kept. They use the caches, so steps between them take longer.
enum class Lines : std::uint8_t { none, as_in_a_run };

/// Where a rehearsal ends though its run does not. It takes at least one step.
struct RehearsalLimits {
  double seconds = std::numeric_limits<double>::infinity();  ///< of work in all of it
  double updates = std::numeric_limits<double>::infinity();  ///< of its steps
  double updates_of_step = 0.0;                              ///< by so many more, each step counts
  Lines lines = Lines::none;
};

/// Steps a problem as a run of it does, on this process alone.
/// @param workers  threads, the caller included
/// @throws NumericsError where a run would end by it, with the step and the place: a step that fails, a state that is
/// not finite at its begin or end, and, where there are lines, what drifts further than it may; what making the solver
/// throws; std::bad_alloc
[[nodiscard]] Rehearsal rehearse(const SolverEntry& solver, const config::Parameters& parameters, std::size_t workers,
                                 const RehearsalLimits& limits);

}  // namespace tacit::engine
