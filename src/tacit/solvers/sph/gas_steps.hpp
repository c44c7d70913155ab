// The steps of the gas: a common one or steps of the particles' own, and which parts of the graph they run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/engine/error.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/approach_watch.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/solvers/sph/gravity/present.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/time_line.hpp"

namespace tacit::sph {

/// Advances the gas in its cells; of several ranks all make the same calls. What it is made with must outlive it and
/// stay where it is.
class GasSteps {
 public:
  /// @param clock  set by this alone; the cells read it
  GasSteps(const Physics& physics, Gas& gas, GasCells& cells, StepClock& clock, comm::Communicator& ranks)
      : physics_(physics), gas_(gas), cells_(cells), clock_(clock), ranks_(ranks), watch_(physics, clock, ranks) {
    clock_.cosmology = physics.cosmology ? &*physics.cosmology : nullptr;
  }
  GasSteps(const GasSteps&) = delete;
  GasSteps& operator=(const GasSteps&) = delete;

  // The start of a run, at its time and without a length, in this order.

  /// Makes the cells and finds all smoothing lengths and densities.
  void find_densities(const tasks::StepContext& at_start);
  /// Finds densities again, and forces.
  void find_forces(const tasks::StepContext& at_start);
  /// Lets all particles choose their first steps.
  void begin(const tasks::StepContext& at_start);

  void step(const tasks::StepContext& step);

  // Of an expanding box, all times that come and go here are of the axis, which is the scale factor.

  /// The longest step from here; with steps of their own: until the next particle ends its step, or what is left of
  /// that [time].
  [[nodiscard]] double time_step() const noexcept { return dt_stable_; }
  /// The shortest stable step of any particle that has chosen one [time].
  [[nodiscard]] double shortest() const noexcept { return dt_shortest_; }
  /// Time since particles last ended their steps: none, but where output is wanted in between [time].
  [[nodiscard]] double after() const noexcept { return after_; }
  /// Particles that ended their steps in the last step.
  [[nodiscard]] std::uint64_t updated() const noexcept { return updated_; }
  /// How often densities and forces were computed in a step, on average: more than once where lists had to be made
  /// again.
  [[nodiscard]] double runs_per_step() const noexcept {
    return steps_ == 0 ? 1.0 : 1.0 + static_cast<double>(reruns_) / static_cast<double>(steps_);
  }

  /// Gravity of all particles at the present time, where it is not known yet: with steps of their own. Else null.
  [[nodiscard]] std::unique_ptr<const PresentGravity> gravity_now() const;

  /// @see SphSolver::set_bins
  void set_bins(std::span<const std::uint8_t> bins);

  void save(io::FileWriter& file) const;
  /// Before the cells are loaded, which look at the clock.
  /// @throws base::FormatError where the file is damaged, or its ticks are too long for the parameters
  void load(const io::FileReader& file);

 private:
  /// Whether kicks follow the forces that a call computes.
  enum class Then : std::uint8_t { nothing, close };

  [[nodiscard]] double longest_step(double from) const noexcept;
  [[nodiscard]] double along_axis(double dt, double from) const noexcept;
  [[nodiscard]] tasks::StepContext as_tasks_see(const tasks::StepContext& step);
  void step_together(const tasks::StepContext& along_axis);
  void step_individually(const tasks::StepContext& step);
  void open_time_line(const tasks::StepContext& at_start);
  void set_clock(std::int64_t now);
  void choose_active();
  void advance_all(const tasks::StepContext& step);
  void evaluate_all(const tasks::StepContext& step, Then then);
  void run_pairs(tasks::Activation& part, const tasks::StepContext& step, Then then);
  void close_all(const tasks::StepContext& step);
  void advance_active(const tasks::StepContext& step);
  void evaluate_active(const tasks::StepContext& step);
  void count_active();
  void drift_all(const tasks::StepContext& step);
  void limit_steps(const tasks::StepContext& step);
  void list_limited();
  void rerun_within_reach(const tasks::StepContext& step, Then then);
  [[nodiscard]] std::uint64_t unresolved() const;
  [[noreturn]] void fail_unresolved(std::uint64_t i, const tasks::StepContext& step) const;
  [[nodiscard]] std::uint64_t total(std::uint64_t mine);
  [[nodiscard]] std::array<std::uint64_t, TimeLine::bins> cells_by_lowest_bin() const;
  void look_ahead();
  void look_ahead(double hold, std::span<const std::uint64_t> cells);
  void decide(exchange::Reduction& all);
  [[nodiscard]] std::optional<engine::Flaw> read_reports(const tasks::StepContext& step);
  void take(double shortest, const std::optional<engine::Flaw>& mine);
  void finish(const tasks::StepContext& step);
  [[nodiscard]] bool conclude(const tasks::StepContext& step);
  [[nodiscard]] bool heed_approaching(const tasks::StepContext& step);
  void shorten(const TooLong& steps);
  struct Extremes {
    double fastest = 0.0;
    double slowest_signal = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] Extremes extremes() const;
  void list_active();
  void choose_messages(std::uint64_t active);
  void collect_reports(const tasks::StepContext& step);

  const Physics& physics_;
  Gas& gas_;
  GasCells& cells_;
  StepClock& clock_;
  comm::Communicator& ranks_;
  exchange::RankReductions reductions_{ranks_};
  ApproachWatch watch_;
  std::int64_t next_ = 0;               // ticks at the end of the next step
  double after_ = 0.0;                  // [time]
  std::vector<std::uint32_t> active_;   // cells with particles that end their steps
  std::vector<std::uint32_t> limited_;  // cells with particles that may have been woken
  std::vector<std::uint8_t> is_limited_;
  bool is_most_active_ = true;  // more cells are active than are worth choosing
  // What all ranks found out for the next step when the last ended; not known where a run has just been continued.
  bool is_next_known_ = false;
  double lists_hold_ = 0.0;        // how long [time]
  std::uint64_t next_active_ = 0;  // individual steps: cells that will be active
  double dt_stable_ = 0.0;
  double dt_shortest_ = std::numeric_limits<double>::infinity();
  std::uint64_t updated_ = 0;
  std::uint64_t steps_ = 0;   // since the begin
  std::uint64_t reruns_ = 0;  // in these
};

}  // namespace tacit::sph
