// Steps of the gas; the arithmetic is in kernels/, integrate.cpp and pair_tasks.hpp's tasks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gas_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/checkpoint_values.hpp"
#include "tacit/solvers/sph/coincident.hpp"
#include "tacit/solvers/sph/integrate.hpp"

namespace tacit::sph {
namespace {

/// Where more than this part of the cells is active, running all tasks, of which the others find nothing to do, costs
/// less than choosing.
constexpr double most_worth_choosing = 0.3;

}  // namespace

void GasSteps::find_densities(const tasks::StepContext& at_start) {
  clock_.is_first = true;
  if (physics_.cosmology) clock_.set_scale_factor(at_start.time);
  cells_.rebuild();
  cells_.run(cells_.graph().densities, at_start);
  rerun_within_reach(at_start, Then::nothing);
}

void GasSteps::find_forces(const tasks::StepContext& at_start) {
  evaluate_all(at_start, Then::nothing);
  rerun_within_reach(at_start, Then::nothing);
}

/// Along the axis from there [time].
double GasSteps::longest_step(double from) const noexcept {
  if (!physics_.cosmology) return physics_.dt_max;
  return std::min(physics_.dt_max, from * std::expm1(physics_.dlna_max));
}

/// How far the axis goes on while particles drift for dt, at most a longest step.
double GasSteps::along_axis(double dt, double from) const noexcept {
  return physics_.cosmology ? physics_.cosmology->growth_within(from, dt, longest_step(from)) : dt;
}

/// A common step, with the time in which particles drift.
tasks::StepContext GasSteps::as_tasks_see(const tasks::StepContext& step) {
  tasks::StepContext seen = step;
  if (physics_.cosmology) {
    clock_.set_scale_factor(step.time + step.dt);
    seen.dt = physics_.cosmology->drift_time(step.time, step.dt);
  }
  return seen;
}

void GasSteps::begin(const tasks::StepContext& at_start) {
  reruns_ = 0;
  cells_.run(cells_.graph().close, at_start);
  collect_reports(at_start);
  if (physics_.has_individual_steps) open_time_line(at_start);
}

/// Ticks are a fraction of the shortest first step; then all particles choose their bins.
void GasSteps::open_time_line(const tasks::StepContext& at_start) {
  // Gas at rest without heat may take any step; this one leaves room for longer bins.
  const double shortest =
      std::min({dt_stable_, longest_step(at_start.time), std::numeric_limits<double>::max() * 0x1p-40});
  if (!(shortest > 0.0)) return;  // the engine refuses a step of no length, and says so
  clock_.line = TimeLine(at_start.time, shortest);
  clock_.is_common = false;
  set_clock(0);
  clock_.is_first = true;
  cells_.give_own_steps();
  choose_active();
  cells_.run(cells_.graph().close, at_start);
  limit_steps(at_start);
  clock_.is_first = false;
  finish(at_start);
}

void GasSteps::advance_all(const tasks::StepContext& step) {
  if (CellCopies* copies = cells_.data().copies) copies->choose_all();
  if (cells_.visits_pairs_once()) return run_pairs(cells_.graph().advance_pairs, step, Then::close);
  cells_.run(cells_.graph().advance, step);
}

void GasSteps::evaluate_all(const tasks::StepContext& step, Then then) {
  if (CellCopies* copies = cells_.data().copies) copies->choose_all();
  if (cells_.visits_pairs_once()) return run_pairs(cells_.graph().evaluate_pairs, step, then);
  cells_.run(cells_.graph().evaluate, step);
  if (then == Then::close) close_all(step);
}

/// On one rank alone; sweeps do not wait for a check.
void GasSteps::run_pairs(tasks::Activation& part, const tasks::StepContext& step, Then then) {
  cells_.run(part, step);
  cells_.check().look(cells_.reports());
  if (then == Then::close) close_all(step);
}

/// Ends the steps, unless densities have to be computed again.
void GasSteps::close_all(const tasks::StepContext& step) {
  if (cells_.check().holds()) cells_.run(cells_.graph().close, step);
}

/// A particle whose support is too short for the floats of its cell, of which there may be others; or CellReport::none.
std::uint64_t GasSteps::unresolved() const {
  const auto cell = std::ranges::find_if(
      cells_.reports(), [](std::uint64_t i) { return i != CellReport::none; }, &CellReport::unresolved);
  return cell == cells_.reports().end() ? CellReport::none : cell->unresolved;
}

/// Where smoothing lengths outgrew the lists, or became too short for the cells, makes new cells and lists and computes
/// densities and forces again.
void GasSteps::rerun_within_reach(const tasks::StepContext& step, Then then) {
  constexpr int most_refinements = 6;  // each resolves what is thirty times as short, or more
  int refinements = 0;
  while (!cells_.check().holds()) {
    const bool is_too_coarse = cells_.check().of_all.counts()[ReachCheck::unresolved] > 0;
    if (is_too_coarse && ++refinements > most_refinements) fail_unresolved(unresolved(), step);
    if (!clock_.is_common) drift_all(step);
    cells_.rebuild();
    choose_active();
    evaluate_all(step, then);
    ++reruns_;
  }
}

/// @param i  a particle of this rank, or CellReport::none
void GasSteps::fail_unresolved(std::uint64_t i, const tasks::StepContext& step) const {
  std::optional<engine::Flaw> mine;
  if (i != CellReport::none) {
    mine =
        engine::Flaw{.text = fmt::format("step {}: {}", step.step,
                                         describe_coincident(gas_, i, physics_.kernel_gamma, cells_.tree().domain())),
                     .field = "h",
                     .element = gas_.id[i]};
  }
  const auto flaw = engine::first_flaw(ranks_, mine);
  throw engine::NumericsError(flaw.value());
}

void GasSteps::step(const tasks::StepContext& step) {
  if (clock_.is_common) {
    step_together(step);
  } else {
    step_individually(step);
  }
}

void GasSteps::step_together(const tasks::StepContext& along_axis) {
  clock_.is_first = false;
  const tasks::StepContext step = as_tasks_see(along_axis);
  if (!is_next_known_) look_ahead();
  const bool holds = step.dt <= lists_hold_ && !cells_.is_cut_due();
  cells_.move(step.dt);
  if (holds) {
    advance_all(step);
  } else {
    cells_.run(cells_.graph().drift, step);
    cells_.sort_or_rebuild();
    evaluate_all(step, Then::close);
  }
  rerun_within_reach(step, Then::close);
  ++steps_;
  updated_ = cells_.particles();
  collect_reports(along_axis);
}

/// Goes to the next end of any particle's step; or, where output is wanted before that, only lets time pass: the state
/// in between is computed when it is asked for, so that output does not change the run.
void GasSteps::step_individually(const tasks::StepContext& step) {
  constexpr double rounding = 1e-9;
  constexpr double ulps = 4.0 * std::numeric_limits<double>::epsilon();
  const double rest = dt_stable_ - step.dt;
  // A rest below the resolution of the time itself is none: no step could cover it.
  if (rest > rounding * dt_stable_ && rest > ulps * std::abs(step.time + step.dt)) {
    after_ += step.dt;
    dt_stable_ -= step.dt;
    updated_ = 0;
    return;
  }
  if (!is_next_known_) look_ahead();
  const double span = clock_.between(clock_.now, next_);
  const bool holds = span <= lists_hold_ && !cells_.is_cut_due();
  cells_.move(span);
  set_clock(next_);
  after_ = 0.0;
  list_active();
  if (holds) {
    choose_messages(next_active_);
    advance_active(step);
  } else {
    drift_all(step);
    cells_.sort_or_rebuild();
    choose_active();
    evaluate_active(step);
  }
  rerun_within_reach(step, Then::close);
  ++steps_;
  count_active();
  limit_steps(step);
  finish(step);
}

/// Sets the clock to the end of a step.
void GasSteps::set_clock(std::int64_t now) {
  clock_.go_to(now);
  clock_.longest = static_cast<std::uint8_t>(std::max(clock_.line.bin_within(longest_step(clock_.line.time(now))), 0));
}

/// Finds the cells with particles that end their steps now.
void GasSteps::choose_active() {
  list_active();
  if (clock_.is_common) return;
  choose_messages(total(active_.size()));
}

void GasSteps::list_active() {
  active_.clear();
  if (clock_.is_common) return;
  const std::span<const CellReport> reports = cells_.reports();
  for (std::size_t c = 0; c < reports.size(); ++c) {
    if (cells_.tree().range(c).count > 0 && reports[c].lowest_bin <= clock_.active) {
      active_.push_back(static_cast<std::uint32_t>(c));
    }
  }
}

/// @param active  cells of all ranks: those that are worth choosing are so on all ranks alike
void GasSteps::choose_messages(std::uint64_t active) {
  is_most_active_ = static_cast<double>(active) > most_worth_choosing * static_cast<double>(cells_.tree().leaves());
  CellCopies* copies = cells_.data().copies;
  if (copies == nullptr) return;
  if (is_most_active_) {
    copies->choose_all();
  } else {
    copies->choose_seen(cells_.data());
  }
}

void GasSteps::advance_active(const tasks::StepContext& step) {
  if (is_most_active_) {
    advance_all(step);
    return;
  }
  cells_.graph().choose_advance(cells_.data(), active_, true);
  cells_.run(cells_.graph().part, step);
}

void GasSteps::evaluate_active(const tasks::StepContext& step) {
  if (is_most_active_) {
    evaluate_all(step, Then::close);
    return;
  }
  cells_.graph().choose_advance(cells_.data(), active_, false);
  cells_.run(cells_.graph().part, step);
}

/// Those that have ended their steps.
void GasSteps::count_active() {
  updated_ = 0;
  for (const std::uint32_t c : active_) updated_ += cells_.reports()[c].active_count;
}

/// Drifts the particles that have not been drifted to the end of the step.
void GasSteps::drift_all(const tasks::StepContext& step) { cells_.run(cells_.graph().drift, step); }

/// Wakes particles whose neighbours' steps became much shorter than their own.
void GasSteps::limit_steps(const tasks::StepContext& step) {
  list_limited();
  CellCopies* copies = cells_.data().copies;
  const bool has_messages = copies != nullptr && copies->choose_quick(cells_.data());
  if (!limited_.empty() || has_messages) {
    cells_.graph().choose_limits(cells_.data(), limited_);
    cells_.run(cells_.graph().part, step);
  }
}

/// Finds the cells that may hold such particles: beside those that are active.
void GasSteps::list_limited() {
  const StepData& data = cells_.data();
  limited_.clear();
  is_limited_.assign(data.grid.cells(), 0);
  const auto add = [this](std::size_t c) {
    if (is_limited_[c] == 0) limited_.push_back(static_cast<std::uint32_t>(c));
    is_limited_[c] = 1;
  };
  for (const std::uint32_t quick : active_) {
    for (const auto& neighbour : data.grid.neighbours(quick)) {
      if (neighbour.cell < data.grid.cells() && may_limit(data, quick, neighbour)) add(neighbour.cell);
    }
  }
  if (data.copies == nullptr) return;
  for (std::size_t c = 0; c < data.grid.cells(); ++c) {
    if (!data.copies->has_copy(c) || is_limited_[c] != 0) continue;
    const auto needs_limit = [&](const particles::Neighbour& neighbour) {
      return neighbour.cell >= data.grid.cells() && is_too_quick(data, data.reports[neighbour.cell], data.reports[c]);
    };
    if (std::ranges::any_of(data.grid.neighbours(c), needs_limit)) add(c);
  }
}

/// Ends a step of particles' own. What approaches from beyond the kernels may shorten steps that have just been chosen,
/// and then those of others beside them.
void GasSteps::finish(const tasks::StepContext& step) {
  const std::uint64_t updated = updated_;
  if (conclude(step) || !heed_approaching(step)) return;
  limit_steps(step);
  updated_ = updated;
  static_cast<void>(conclude(step));
}

/// Shortens the steps that are too long for it. @return whether there were any, on all ranks alike
bool GasSteps::heed_approaching(const tasks::StepContext& step) {
  const std::span<const TooLong> too_long = watch_.find_too_long(cells_);
  for (const TooLong& steps : too_long) shorten(steps);
  if (total(too_long.size()) == 0) return false;
  if (cells_.data().copies != nullptr) cells_.run(cells_.graph().tell_bins, step);
  return true;
}

/// They have just begun.
void GasSteps::shorten(const TooLong& steps) {
  const CellData& cell = cells_.cells()[steps.cell];
  const Integrated& state = cell.integrated.between_runs();
  const Hydro& hydro = cell.hydro.between_runs();
  const Forces& forces = cell.forces.between_runs();
  CellReport& report = cells_.reports()[steps.cell];
  const auto bin = static_cast<std::uint8_t>(std::max(clock_.bin_within(steps.longest_step), 0));
  if (bin >= steps.bin) return;
  for (std::size_t i = 0; i < cell.motion.between_runs().gas(); ++i) {
    if (state.bin[i] != steps.bin) continue;
    change_bin(state, hydro, forces, i, bin, physics_, cells_.tree().domain(), clock_);
  }
  report.woken_at = clock_.now;
  report.lowest_active_bin = std::min(report.lowest_active_bin, bin);
  const Motion& motion = cell.motion.between_runs();
  report_bins(state, motion.gas(), report);
  report_motion(state, motion, forces, report);
}

void GasSteps::set_bins(std::span<const std::uint8_t> bins) {
  TACIT_EXPECT(!clock_.is_common && after_ == 0.0 && bins.size() == gas_.size());
  const std::span<CellReport> reports = cells_.reports();
  for (std::size_t c = 0; c < reports.size(); ++c) {
    const auto [begin, count] = cells_.tree().range(c);
    if (count == 0) continue;
    const Integrated& state = cells_.cells()[c].integrated.between_runs();
    const Hydro& hydro = cells_.cells()[c].hydro.between_runs();
    const Forces& forces = cells_.cells()[c].forces.between_runs();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t bin = bins[begin + i];
      if (bin == state.bin[i]) continue;
      TACIT_EXPECT(bin <= TimeLine::highest_active(clock_.now));
      change_bin(state, hydro, forces, i, bin, physics_, cells_.tree().domain(), clock_);
    }
    report_bins(state, cells_.cells()[c].motion.between_runs().gas(), reports[c]);
  }
  limited_.resize(reports.size());
  std::iota(limited_.begin(), limited_.end(), 0U);
  for (CellReport& report : reports) report.woken_at = clock_.now;  // others are told of all of them
  const double shortest = dt_shortest_;
  const std::uint64_t updated = updated_;
  static_cast<void>(conclude({}));
  dt_shortest_ = shortest;
  updated_ = updated;
}

std::unique_ptr<const PresentGravity> GasSteps::gravity_now() const {
  const bool is_known = clock_.is_common || (clock_.now == 0 && after_ == 0.0);
  if (!gas_.has_gravity || is_known) return nullptr;
  return std::make_unique<const PresentGravity>(physics_, gas_, cells_, clock_, after_);
}

void GasSteps::save(io::FileWriter& file) const {
  using checkpoint::store;
  store(file, "stable step", {dt_stable_});
  store(file, "begin of the time line", {clock_.line.begin()});
  store(file, "tick", {clock_.line.tick()});
  store(file, "ticks passed", {static_cast<double>(clock_.now)});
  store(file, "next tick", {static_cast<double>(next_)});
  store(file, "time since the last tick", {after_});
  if (physics_.cosmology) store(file, "scale factor", {clock_.a});
}

void GasSteps::load(const io::FileReader& file) {
  using checkpoint::read_scalar;
  dt_stable_ = read_scalar(file, "stable step");
  std::array<double, 1> shortest{-std::numeric_limits<double>::infinity()};  // with the other sign
  for (const float dt : gas_.dt) shortest[0] = std::max(shortest[0], -static_cast<double>(dt));
  exchange::take_largest(ranks_, std::span<double>(shortest));
  if (physics_.cosmology) clock_.set_scale_factor(read_scalar(file, "scale factor"));
  dt_shortest_ = along_axis(-shortest[0], clock_.a);
  const double tick = read_scalar(file, "tick");
  if (!(tick > 0.0)) return;
  clock_.is_common = false;
  clock_.line = TimeLine::restored(read_scalar(file, "begin of the time line"), tick);
  if (clock_.line.bin_within(longest_step(clock_.a)) < 0) {
    const char* const key = longest_step(clock_.a) == physics_.dt_max ? "time.dt_max" : "cosmology.longest_step";
    throw base::FormatError(file.path().string(),
                            fmt::format("counts time in ticks of {:.3g}, longer than {} = {:.3g}\n"
                                        "  Raise {}, or start again from a snapshot.",
                                        clock_.line.tick(), key, longest_step(clock_.a), key));
  }
  set_clock(checkpoint::ticks(file, read_scalar(file, "ticks passed")));
  next_ = checkpoint::ticks(file, read_scalar(file, "next tick"));
  after_ = read_scalar(file, "time since the last tick");
  if (next_ <= clock_.now) throw base::FormatError(file.path().string(), "has no next step; the file is damaged");
}

}  // namespace tacit::sph
