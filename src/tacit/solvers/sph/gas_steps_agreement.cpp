// What the ranks find out together when a step ends: whether all is finite, and how long the next one is.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "tacit/base/ticks.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/gas_steps.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::sph {

/// Over all ranks.
std::uint64_t GasSteps::total(std::uint64_t mine) {
  if (ranks_.size() == 1) return mine;
  exchange::Reduction& all = reductions_.of({.counts = 1});
  all.counts()[0] = mine;
  decide(all);
  return all.counts()[0];
}

/// Combines what all ranks bring. Waiting for them is a part of what communication costs.
void GasSteps::decide(exchange::Reduction& all) {
  if (ranks_.size() == 1) return;
  trace::Recorder& recorder = cells_.recorder();
  const trace::KindId kind = recorder.kind("ranks decide", trace::Category::wait);
  const std::int64_t begin = base::ticks();
  all.run();
  recorder.track(0).record({.begin = begin, .end = base::ticks(), .kind = kind, .key = 0});
}

/// Of this rank's particles.
GasSteps::Extremes GasSteps::extremes() const {
  Extremes found;
  for (const CellReport& report : std::as_const(cells_).reports()) {
    found.fastest = std::max(found.fastest, report.gas_v_max);
    found.slowest_signal = std::min(found.slowest_signal, static_cast<double>(report.slowest_signal));
  }
  return found;
}

/// When the next particle ends its step: what all ranks find together. @return whether nothing can be overrun by what
/// approaches
bool GasSteps::conclude(const tasks::StepContext& step) {
  std::optional<engine::Flaw> flaw = read_reports(step);
  std::uint8_t lowest = TimeLine::last_bin;
  for (const CellReport& report : cells_.reports()) lowest = std::min(lowest, report.lowest_bin);
  // Other ranks do not know whom this one woke.
  const CellCopies* copies = cells_.data().copies;
  const auto is_news = [&](std::uint32_t c) {
    return cells_.reports()[c].woken_at == clock_.now && copies->has_copy(c);
  };
  const bool has_news = copies != nullptr && std::ranges::any_of(limited_, is_news);
  const std::array<std::uint64_t, TimeLine::bins> cells = cells_by_lowest_bin();
  const Extremes mine = extremes();
  exchange::Reduction& all = reductions_.of({.counts = 2 + cells.size(), .least = 5});
  all.counts()[0] = updated_;
  all.counts()[1] = has_news ? 1 : 0;
  std::ranges::copy(cells, all.counts().subspan(2).begin());
  all.least()[0] = flaw ? -std::numeric_limits<double>::infinity() : dt_stable_;
  all.least()[1] = lowest;
  all.least()[2] = cells_.time_within_slack();
  all.least()[3] = -mine.fastest;
  all.least()[4] = mine.slowest_signal;
  decide(all);
  updated_ = all.counts()[0];
  take(all.least()[0], flaw);
  lowest = static_cast<std::uint8_t>(all.least()[1]);
  if (all.counts()[1] > 0) cells_.run(cells_.graph().tell_bins, step);
  next_ = TimeLine::next_end(clock_.now, lowest);
  dt_stable_ = clock_.line.span(next_ - clock_.now);
  look_ahead(all.least()[2], all.counts().subspan(2));
  return watch_.is_quiet(-all.least()[3], all.least()[4]);
}

/// Shape (bins): cells of this rank with particles, by the lowest bin that they hold.
std::array<std::uint64_t, TimeLine::bins> GasSteps::cells_by_lowest_bin() const {
  std::array<std::uint64_t, TimeLine::bins> cells{};
  const std::span<const CellReport> reports = std::as_const(cells_).reports();
  for (std::size_t c = 0; c < reports.size(); ++c) {
    if (cells_.tree().range(c).count > 0) ++cells[reports[c].lowest_bin];
  }
  return cells;
}

/// @param hold   how long lists hold, on all ranks [time]
/// @param cells  of all ranks, as cells_by_lowest_bin
void GasSteps::look_ahead(double hold, std::span<const std::uint64_t> cells) {
  is_next_known_ = true;
  lists_hold_ = hold;
  const auto active = cells.first(TimeLine::highest_active(next_) + std::size_t{1});
  next_active_ = std::accumulate(active.begin(), active.end(), std::uint64_t{0});
}

/// Where a run was continued: what would have been found when its last step ended.
void GasSteps::look_ahead() {
  std::array<std::uint64_t, TimeLine::bins> cells = cells_by_lowest_bin();
  exchange::add_over(ranks_, cells);
  look_ahead(reductions_.least(cells_.time_within_slack()), cells);
}

/// The shortest stable step of this rank's particles, and the first of them that is not finite.
std::optional<engine::Flaw> GasSteps::read_reports(const tasks::StepContext& step) {
  // Cold gas may take any step; finite, as are all numbers in a checkpoint.
  dt_stable_ = std::numeric_limits<double>::max();
  std::optional<engine::Flaw> flaw;
  for (const CellReport& report : cells_.reports()) {
    if (report.not_finite != CellReport::none && !flaw) {
      flaw = engine::Flaw{
          .text = fmt::format("step {}: position, velocity or thermal energy of particle {} is not finite at t = "
                              "{:.6g}\n"
                              "  Look at the last snapshot; a smaller sph.cfl or time.dt_max may help.",
                              step.step, report.not_finite, step.time + step.dt),
          .element = report.not_finite};
    }
    dt_stable_ = std::min(dt_stable_, report.dt);
  }
  return flaw;
}

/// @param shortest  step of all ranks [time]; below 0 where any has a flaw
void GasSteps::take(double shortest, const std::optional<engine::Flaw>& mine) {
  if (shortest < 0.0) throw engine::NumericsError(engine::first_flaw(ranks_, mine).value());
  dt_stable_ = dt_shortest_ = along_axis(shortest, clock_.a);
}

void GasSteps::collect_reports(const tasks::StepContext& step) {
  const std::optional<engine::Flaw> flaw = read_reports(step);
  const Extremes mine = extremes();
  exchange::Reduction& all = reductions_.of({.least = 4});
  all.least()[0] = flaw ? -std::numeric_limits<double>::infinity() : dt_stable_;
  all.least()[1] = cells_.time_within_slack();
  all.least()[2] = -mine.fastest;
  all.least()[3] = mine.slowest_signal;
  decide(all);
  const double shortest = all.least()[0];
  take(shortest, flaw);
  is_next_known_ = true;
  lists_hold_ = all.least()[1];
  if (watch_.is_quiet(-all.least()[2], all.least()[3])) return;
  const double a = clock_.a;
  const double most_drift = physics_.cosmology ? physics_.cosmology->drift_time(a, longest_step(a)) : physics_.dt_max;
  const double most = std::min(shortest, most_drift);
  if (const double longest = watch_.longest_common_step(cells_, most); longest < most) {
    dt_stable_ = along_axis(longest, a);
  }
}

}  // namespace tacit::sph
