// The solver's cells: when they are rebuilt or only sorted, and what their tasks see.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "tacit/particles/split.hpp"
#include "tacit/solvers/sph/cell_layout.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {
namespace {

/// Lists are rebuilt when they have become this much longer-ranged than needed, on average.
constexpr double most_excess_reach = 1.4;

/// @param room  of the same shape; overwritten
double median(std::span<const double> values, std::span<double> room) {
  std::ranges::copy(values, room.begin());
  const auto middle = room.begin() + static_cast<std::ptrdiff_t>(room.size() / 2);
  std::nth_element(room.begin(), middle, room.end());
  return *middle;
}

double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

/// A box that holds all particles, with room to move.
particles::Domain SphSolver::surroundings(double margin) const {
  particles::Domain domain;
  domain.periodic = false;
  domain.dimension = parameters_.dimension;
  const std::array<const std::vector<double>*, 3> positions{&gas_.x, &gas_.y, &gas_.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [lowest, highest] = std::ranges::minmax(*positions[axis]);
    const double room = std::max(margin, 0x1p-24 * std::max(std::abs(lowest), std::abs(highest)));  // not lost in sums
    domain.origin[axis] = lowest - room;
    domain.size[axis] = highest - lowest + 2.0 * room;
  }
  return domain;
}

particles::Domain SphSolver::domain(double H) const {
  if (parameters_.boundary == Boundary::periodic) return {{}, box_, true, parameters_.dimension};
  if (parameters_.boundary == Boundary::reflecting) return {{}, box_, false, parameters_.dimension, true};
  return surroundings(H);
}

/// The radius of each particle's kernel [length], in the spare array.
std::span<const double> SphSolver::support_radii() {
  std::ranges::transform(gas_.h, spare_.begin(), [this](double h) { return parameters_.kernel_gamma * h; });
  return spare_;
}

/// Makes cells, lists and graph from nothing but the particles.
void SphSolver::rebuild_cells() {
  graph_.reset();  // first of all: the peak of memory comes while cells and lists are made
  spare_.resize(gas_.size());
  const double H = parameters_.kernel_gamma * median(gas_.h, spare_);
  wrap_positions();
  std::optional<particles::CellTree> former = std::move(grid_);
  grid_.emplace(domain(H), cell_width(parameters_.dimension) * H, gas_.size() / 2 + 64, per_group);
  if (former) grid_->take_memory(std::move(*former));
  former.reset();
  grid_->refine(gas_.x, gas_.y, gas_.z, support_radii(), most_per_cell);
  sort_particles();
  reach_ = grid_->largest_nearby({gas_.x, gas_.y, gas_.z}, support_radii(), slack_in_cells);
  for (double& reach : reach_) reach *= reach_margin;
  slack_.resize(grid_->cells());
  std::size_t fullest = 0;
  for (std::size_t c = 0; c < slack_.size(); ++c) {
    slack_[c] = slack_in_cells * grid_->narrowest(c);
    fullest = std::max(fullest, grid_->range(c).count);
  }
  largest_cell_ = 2 * std::max(most_per_cell, fullest);
  measure_units();
  if (!connect_cells()) {
    throw engine::NumericsError(
        "some particles' kernels reach over more of the box than lists of neighbours can hold\n"
        "  Are positions or smoothing lengths out of hand? A smaller sph.h_max limits them.");
  }
  ++rebuilds_;
}

/// Lists and graph for the present grid and reach. @return false where lists would be absurdly long
bool SphSolver::connect_cells() {
  if (!grid_->link(reach_, slack_)) return false;
  const std::size_t cells = grid_->cells();
  extent_.resize(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    double reach = reach_[c];
    for (const auto& neighbour : grid_->neighbours(c)) reach = std::max(reach, reach_[neighbour.cell]);
    const particles::CellBox box = grid_->box(c);
    double size = 0.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(parameters_.dimension); ++axis) {
      size = std::max(size, box.upper[axis] - box.lower[axis]);
    }
    extent_[c] = 0.5 * size + slack_[c] + reach;
  }
  cells_.assign(cells, CellData{});
  reports_.assign(cells, CellReport{});
  swept_.reset();
  if (parameters_.pairs == Pairs::symmetric && do_cells_suit_sweeps()) {
    swept_.emplace(*grid_, cache_units_, moved_, parameters_.scheme, scratch_.size());
  }
  bounds_.assign(cells, CellBounds{});
  step_data_ = std::make_unique<StepData>(StepData{parameters_, *grid_, *loops_, cache_units_, clock_, reach_, extent_,
                                                   slack_, cells_, reports_, bounds_, scratch_,
                                                   swept_ ? &*swept_ : nullptr, resources_.log});
  graph_.emplace(
      build_step(*step_data_, resources_.deterministic ? tasks::Conflicts::ordered : tasks::Conflicts::any_order));
  bind_cells();
  return true;
}

/// Whether a float tells places in a cell apart as well as kernels need: sweeps count from the middle of the cell.
/// Decided by the lists alone, so that a run that goes on from a checkpoint decides alike.
bool SphSolver::do_cells_suit_sweeps() const {
  constexpr double widest_in_reaches = 2.0 * particles::widest_in_supports;
  for (std::size_t c = 0; c < grid_->cells(); ++c) {
    if (reach_[c] == 0.0) continue;  // no particle comes here before the next rebuild
    const particles::CellBox box = grid_->box(c);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(parameters_.dimension); ++axis) {
      if (box.upper[axis] - box.lower[axis] > widest_in_reaches * reach_[c]) return false;
    }
  }
  return true;
}

/// Points the cells at their particles, which were sorted, and updates what they know of them.
void SphSolver::bind_cells() {
  std::size_t room = 0;
  for (std::size_t c = 0; c < cells_.size(); ++c) room += GroupBoxes::room_for(grid_->groups(c).size() - 1);
  if (room > boxes_.capacity()) boxes_ = {};  // for memory, before there are new ones
  boxes_.assign(room, 0.0);
  group_h_.resize(grid_->total_groups());
  limits_.resize(gas_.size());
  double* boxes = boxes_.data();
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto groups = grid_->groups(c);
    const std::size_t count = groups.size() - 1;
    const auto range = grid_->range(c);
    cells_[c].bind(gas_, range, groups, {{boxes, GroupBoxes::stride_for(count)}},
                   std::span(group_h_).subspan(grid_->first_group(c), count),
                   std::span(limits_).subspan(range.begin, range.count));
    boxes += GroupBoxes::room_for(count);
    if (resources_.log != nullptr) cells_[c].logged.bind(&last_records_);
    reports_[c].drifted_to = clock_.now;
  }
  if (swept_) swept_->bind(*grid_);
  const tasks::StepContext no_task;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Motion& motion = no_task.read(cells_[c].motion);
    bounds_[c] = bound_groups(motion, no_task.read(cells_[c].hydro), loops_->kernels().drift.bound);
    const Integrated& state = no_task.read(cells_[c].integrated);
    report_motion(state, motion, no_task.read(cells_[c].forces), reports_[c]);
    report_bins(state, reports_[c]);
  }
}

void SphSolver::require_finite_positions() const {
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    if (std::isfinite(gas_.x[i] + gas_.y[i] + gas_.z[i])) continue;
    throw engine::NumericsError(
        engine::Flaw{.text = fmt::format("the position of particle {} is not finite: ({}, {}, {})\n"
                                         "  Look at the last snapshot; a smaller sph.cfl or time.dt_max may "
                                         "help.",
                                         gas_.id[i], gas_.x[i], gas_.y[i], gas_.z[i]),
                     .field = "position",
                     .element = gas_.id[i]});
  }
}

void SphSolver::wrap_positions() {
  if (parameters_.boundary != Boundary::periodic) return;
  const auto wrap_all = [](std::vector<double>& values, double length) {
    for (double& value : values) value = particles::wrap(value, 0.0, length);
  };
  wrap_all(gas_.x, box_.x);
  wrap_all(gas_.y, box_.y);
  wrap_all(gas_.z, box_.z);
}

void SphSolver::sort_particles() {
  apply_order(grid_->sort(gas_.x, gas_.y, gas_.z, gas_.id));
  moved_.assign(grid_->cells(), 0.0);
  ++sorts_;
}

/// Through one spare array that stays: others, freed after each sorting, leave gaps that the next graph does not fit.
void SphSolver::apply_order(std::span<const std::uint32_t> order) {
  spare_.resize(order.size());
  const auto sorted = std::as_writable_bytes(std::span(spare_));
  const auto permute = [&]<class T>(std::vector<T>& values) {
    static_assert(sizeof(T) <= sizeof(double));
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(sorted.data() + i * sizeof(T), &values[order[i]], sizeof(T));
    }
    std::memcpy(values.data(), sorted.data(), values.size() * sizeof(T));
  };
  permute(gas_.id);
  for_each_field(gas_, [&](std::string_view /*name*/, auto& array) { permute(array); });
  if (!last_records_.steps.empty()) last_records_.for_each(permute);
}

/// Whether lists made for `reach_` and cells as they are still suit the particles, which were just sorted.
bool SphSolver::do_cells_suit() const {
  // Cells are made finer than this; it is some way from there to where floats fail.
  constexpr double widest = 4.0 * particles::widest_in_supports;
  std::vector<double> longest(grid_->cells(), 0.0);
  for (std::size_t c = 0; c < longest.size(); ++c) {
    const auto [begin, count] = grid_->range(c);
    if (count == 0) continue;
    if (count > largest_cell_) return false;
    const auto [least, most] = std::ranges::minmax(std::span(gas_.h).subspan(begin, count));
    longest[c] = parameters_.kernel_gamma * most;
    if (longest[c] > reach_[c]) return false;
    if (grid_->is_divisible(c) && grid_->narrowest(c) > widest * parameters_.kernel_gamma * least) return false;
  }
  return mean(reach_) <= most_excess_reach * reach_margin * mean(grid_->spread_maximum(longest));
}

/// Brings the cells up to date after all particles have drifted.
void SphSolver::sort_or_rebuild() {
  require_finite_positions();
  if (parameters_.boundary != Boundary::open || grid_->holds(gas_.x, gas_.y, gas_.z)) {
    wrap_positions();
    sort_particles();
    if (do_cells_suit()) {
      bind_cells();
      return;
    }
  }
  rebuild_cells();
}

/// Lets the cells' particles move for a time dt. @return whether their lists still hold then
bool SphSolver::move_within_slack(double dt) {
  bool holds = true;
  for (std::size_t c = 0; c < moved_.size(); ++c) {
    // No particle moves further: with a common step it is still to be kicked, for half of the step.
    const double a = clock_.is_common ? reports_[c].a_max : 0.0;
    moved_[c] += (reports_[c].v_max + 0.5 * a * dt) * dt;
    holds &= moved_[c] <= slack_[c];
  }
  return holds;
}

/// Units in which the vector caches' numbers are near 1, and a velocity that is near all.
void SphSolver::measure_units() {
  double mass = 0.0;
  base::Vec3 momentum;
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    mass += gas_.m[i];
    momentum = momentum + gas_.m[i] * base::Vec3{gas_.vx[i], gas_.vy[i], gas_.vz[i]};
  }
  const bool is_mirrored = parameters_.boundary == Boundary::reflecting;  // there velocities turn round at walls
  cache_units_.velocity = is_mirrored ? base::Vec3{} : (1.0 / mass) * momentum;
  double v2 = 0.0;
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    const base::Vec3 v = base::Vec3{gas_.vx[i], gas_.vy[i], gas_.vz[i]} - cache_units_.velocity;
    const double cs = gas_.cs[i];
    v2 += gas_.m[i] * (dot(v, v) + cs * cs);
  }
  const double typical = std::sqrt(v2 / mass);
  cache_units_.scales = {mass / static_cast<double>(gas_.size()), typical > 0.0 ? typical : 1.0};
}

}  // namespace tacit::sph
