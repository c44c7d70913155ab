// Steps of the sph solver; the arithmetic is in kernels/, integrate.cpp and pair_tasks.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/sph_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/crowd.hpp"
#include "tacit/solvers/sph/integrate.hpp"

namespace tacit::sph {
namespace {

/// Where more than this part of the cells is active, running all tasks, of which the others find nothing to do, costs
/// less than choosing.
constexpr double most_worth_choosing = 0.3;

}  // namespace

void SphSolver::run(tasks::Activation& part, const tasks::StepContext& step) {
  resources_.scheduler.run(graph_->graph, part, step);
}

/// Whether sweeps over pairs can do the present step: they treat all particles as active.
bool SphSolver::visits_pairs_once() const {
  if (!swept_) return false;
  for (std::size_t c = 0; c < reports_.size(); ++c) {
    if (grid_->range(c).count > 0 && !step_data_->are_all_active(c)) return false;
  }
  return true;
}

void SphSolver::advance_all(const tasks::StepContext& step) {
  run(visits_pairs_once() ? graph_->advance_pairs : graph_->advance, step);
}

void SphSolver::evaluate_all(const tasks::StepContext& step) {
  run(visits_pairs_once() ? graph_->evaluate_pairs : graph_->evaluate, step);
}

/// A particle whose support is too short for the floats of its cell, of which there may be others; or CellReport::none.
std::uint64_t SphSolver::unresolved() const {
  const auto cell = std::ranges::find_if(
      reports_, [](std::uint64_t i) { return i != CellReport::none; }, &CellReport::unresolved);
  return cell == reports_.end() ? CellReport::none : cell->unresolved;
}

/// Where smoothing lengths outgrew the lists, or became too short for the cells, makes new cells and lists and computes
/// densities and forces again.
void SphSolver::rerun_within_reach(const tasks::StepContext& step) {
  constexpr int most_refinements = 6;  // each resolves what is thirty times as short, or more
  int refinements = 0;
  while (true) {
    const std::uint64_t i = unresolved();
    if (i != CellReport::none && ++refinements > most_refinements) {
      throw engine::NumericsError(engine::Flaw{
          .text =
              fmt::format("step {}: {}", step.step, describe_crowd(gas_, i, parameters_.kernel_gamma, grid_->domain())),
          .field = "h",
          .element = gas_.id[i]});
    }
    if (i == CellReport::none && std::ranges::none_of(reports_, &CellReport::out_of_reach)) return;
    if (!clock_.is_common) drift_all(step);
    rebuild_cells();
    choose_active();
    evaluate_all(step);
  }
}

void SphSolver::step(const tasks::StepContext& step) {
  if (clock_.is_common) {
    step_together(step);
  } else {
    step_individually(step);
  }
}

void SphSolver::step_together(const tasks::StepContext& step) {
  clock_.is_first = false;
  if (move_within_slack(step.dt)) {
    advance_all(step);
  } else {
    run(graph_->drift, step);
    sort_or_rebuild();
    evaluate_all(step);
  }
  rerun_within_reach(step);
  run(graph_->close, step);
  updated_ = gas_.size();
  collect_reports(step);
}

/// Goes to the next end of any particle's step; or, where output is wanted before that, only lets time pass: the state
/// in between is computed when it is asked for, so that output does not change the run.
void SphSolver::step_individually(const tasks::StepContext& step) {
  constexpr double rounding = 1e-9;
  constexpr double ulps = 4.0 * std::numeric_limits<double>::epsilon();
  const double rest = dt_stable_ - step.dt;
  // A rest that is lost in the time itself is none: no step could cover it.
  if (rest > rounding * dt_stable_ && rest > ulps * std::abs(step.time + step.dt)) {
    after_ += step.dt;
    dt_stable_ -= step.dt;
    updated_ = 0;
    return;
  }
  const bool holds = move_within_slack(clock_.line.span(next_ - clock_.now));
  set_clock(next_);
  after_ = 0.0;
  choose_active();
  if (holds) {
    advance_active(step);
  } else {
    drift_all(step);
    sort_or_rebuild();
    choose_active();
    evaluate_active(step);
  }
  rerun_within_reach(step);
  close_active(step);
  limit_steps(step);
  collect_reports(step);
  find_next_time();
}

/// Sets the clock to the end of a step.
void SphSolver::set_clock(std::int64_t now) {
  clock_.now = now;
  clock_.active = TimeLine::highest_active(now);
  clock_.longest = static_cast<std::uint8_t>(std::max(clock_.line.bin_within(parameters_.dt_max), 0));
  for (std::uint8_t b = 0; b < TimeLine::bins; ++b) {
    clock_.since[b] = clock_.line.since_middle(b, now);
    clock_.ahead[b] = 0.5 * clock_.line.span(std::int64_t{1} << b);
  }
}

/// Lists the cells with particles that end their steps now.
void SphSolver::choose_active() {
  active_.clear();
  if (clock_.is_common) return;
  for (std::size_t c = 0; c < reports_.size(); ++c) {
    if (grid_->range(c).count > 0 && reports_[c].lowest_bin <= clock_.active) {
      active_.push_back(static_cast<std::uint32_t>(c));
    }
  }
  is_most_active_ = static_cast<double>(active_.size()) > most_worth_choosing * static_cast<double>(reports_.size());
}

void SphSolver::advance_active(const tasks::StepContext& step) {
  if (is_most_active_) {
    advance_all(step);
    return;
  }
  graph_->choose_advance(*step_data_, active_, true);
  run(graph_->part, step);
}

void SphSolver::evaluate_active(const tasks::StepContext& step) {
  if (is_most_active_) {
    evaluate_all(step);
    return;
  }
  graph_->choose_advance(*step_data_, active_, false);
  run(graph_->part, step);
}

void SphSolver::close_active(const tasks::StepContext& step) {
  updated_ = 0;
  for (const std::uint32_t c : active_) {
    const auto [begin, count] = grid_->range(c);
    const auto bins = std::span(gas_.bin).subspan(begin, count);
    updated_ += static_cast<std::uint64_t>(
        std::ranges::count_if(bins, [this](std::uint8_t bin) { return bin <= clock_.active; }));
  }
  if (!is_most_active_) graph_->choose_close(active_);
  run(is_most_active_ ? graph_->close : graph_->part, step);
}

/// Drifts the particles that are not at the end of the step yet.
void SphSolver::drift_all(const tasks::StepContext& step) { run(graph_->drift, step); }

/// Wakes particles whose neighbours' steps became much shorter than their own.
void SphSolver::limit_steps(const tasks::StepContext& step) {
  active_.clear();
  for (std::size_t c = 0; c < reports_.size(); ++c) {
    if (may_need_limit(*step_data_, c)) active_.push_back(static_cast<std::uint32_t>(c));
  }
  if (active_.empty()) return;
  graph_->choose_limits(active_);
  run(graph_->part, step);
}

/// When the next particle ends its step.
void SphSolver::find_next_time() {
  std::uint8_t lowest = TimeLine::last_bin;
  for (const CellReport& report : reports_) lowest = std::min(lowest, report.lowest_bin);
  next_ = TimeLine::next_end(clock_.now, lowest);
  dt_stable_ = clock_.line.span(next_ - clock_.now);
}

void SphSolver::set_bins(std::span<const std::uint8_t> bins) {
  TACIT_EXPECT(!clock_.is_common && after_ == 0.0 && bins.size() == gas_.size());
  const tasks::StepContext no_step;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto [begin, count] = grid_->range(c);
    if (count == 0) continue;
    const Integrated& state = no_step.read(cells_[c].integrated);
    const Forces& forces = no_step.read(cells_[c].forces);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t bin = bins[begin + i];
      if (bin == state.bin[i]) continue;
      TACIT_EXPECT(bin <= TimeLine::highest_active(clock_.now));
      change_bin(state, forces, i, bin, clock_);
    }
    report_bins(state, reports_[c]);
  }
  find_next_time();
}

void SphSolver::collect_reports(const tasks::StepContext& step) {
  // Cold gas may take any step; finite, as are all numbers in a checkpoint.
  dt_stable_ = std::numeric_limits<double>::max();
  for (const CellReport& report : reports_) {
    if (report.not_finite != CellReport::none) {
      throw engine::NumericsError(engine::Flaw{
          .text = fmt::format("step {}: position, velocity or thermal energy of particle {} is not finite at t = "
                              "{:.6g}\n"
                              "  Look at the last snapshot; a smaller sph.cfl or time.dt_max may help.",
                              step.step, report.not_finite, step.time + step.dt),
          .element = report.not_finite});
    }
    dt_stable_ = std::min(dt_stable_, report.dt);
  }
  dt_shortest_ = dt_stable_;
}

double SphSolver::time_step() const {
  const double tick = clock_.is_common ? 0.0 : clock_.line.tick();
  if (dt_shortest_ >= tick) return dt_stable_;
  const engine::StepLimit limit = step_limit();
  throw engine::NumericsError(engine::Flaw{
      .text = fmt::format("{} needs a time step of {:.3g}, below 2^-24 of the shortest first one = {:.3g}\n"
                          "  Look at the last snapshot{}",
                          limit.element, dt_shortest_, tick, limit.advice),
      .element = limit.id});
}

engine::StepLimit SphSolver::step_limit() const {
  const auto i = static_cast<std::size_t>(std::ranges::min_element(gas_.dt) - gas_.dt.begin());
  return {
      .element = fmt::format("particle {} at ({:.6g}, {:.6g}, {:.6g})", gas_.id[i], gas_.x[i], gas_.y[i], gas_.z[i]),
      .id = gas_.id[i],
      .advice = ": particles on top of each other, or a velocity out of hand?"};
}

}  // namespace tacit::sph
