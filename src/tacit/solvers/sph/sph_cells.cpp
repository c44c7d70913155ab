// The solver's cells: when they are made anew or only sorted, and what their tasks see.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {
namespace {

/// Lists serve kernels this much larger than those they were made for, so that they last for many steps.
constexpr double reach_margin = 1.1;
/// Particles may move by this part of a cell before they are sorted again.
constexpr double slack_in_cells = 0.1;
/// Lists are made anew when they have become this much longer-ranged than needed, on average.
constexpr double most_excess_reach = 1.4;

/// Width of a cell over the typical support radius, so that it holds some 100 particles: one task, one cache.
double cell_width(int dimension) {
  constexpr std::array widths{16.0, 4.0, 2.4};
  return widths[static_cast<std::size_t>(dimension - 1)];
}
/// Width of a group over the typical support radius: some 10 particles, which share a short list of neighbours.
double group_width(int dimension) {
  constexpr std::array widths{2.0, 1.2, 1.2};
  return widths[static_cast<std::size_t>(dimension - 1)];
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
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
    domain.origin[axis] = lowest - margin;
    domain.size[axis] = highest - lowest + 2.0 * margin;
  }
  return domain;
}

particles::Domain SphSolver::domain() const {
  if (parameters_.boundary == Boundary::periodic) return {{}, box_, true, parameters_.dimension};
  if (parameters_.boundary == Boundary::reflecting) return {{}, box_, false, parameters_.dimension, true};
  return surroundings(parameters_.kernel_gamma * median(gas_.h));
}

std::vector<double> SphSolver::support_radii() const {
  std::vector<double> longest(grid_->cells(), 0.0);
  for (std::size_t c = 0; c < longest.size(); ++c) {
    const auto [begin, count] = grid_->range(c);
    for (std::size_t i = begin; i < begin + count; ++i) longest[c] = std::max(longest[c], gas_.h[i]);
    longest[c] *= parameters_.kernel_gamma;
  }
  return longest;
}

/// Makes cells, lists and graph from nothing but the particles.
void SphSolver::rebuild_cells() {
  const double H = parameters_.kernel_gamma * median(gas_.h);
  const int d = parameters_.dimension;
  grid_.emplace(domain(), cell_width(d) * H, gas_.size() / 2 + 64, group_width(d) * H);
  sort_particles();
  reach_ = grid_->spread_maximum(support_radii());
  for (double& reach : reach_) reach *= reach_margin;
  slack_ = slack_in_cells * grid_->narrowest();
  measure_units();
  connect_cells();
  ++rebuilds_;
}

/// Lists and graph for the present grid and reach.
void SphSolver::connect_cells() {
  grid_->link(reach_, slack_);
  const std::size_t cells = grid_->cells();
  extent_.resize(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    double reach = reach_[c];
    for (const auto& neighbour : grid_->neighbours(c)) reach = std::max(reach, reach_[neighbour.cell]);
    double size = 0.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(parameters_.dimension); ++axis) {
      size = std::max(size, grid_->cell_size()[axis]);
    }
    extent_[c] = size + reach + 2.0 * slack_;
  }
  cells_.assign(cells, CellData{});
  CellReport fresh;
  fresh.drifted_to = clock_.now;
  reports_.assign(cells, fresh);
  step_data_ = std::make_unique<StepData>(
      StepData{parameters_, *grid_, loops_, cache_units_, clock_, reach_, extent_, cells_, reports_, scratch_});
  graph_.emplace(
      build_step(*step_data_, resources_.deterministic ? tasks::Conflicts::ordered : tasks::Conflicts::any_order));
  bind_cells();
}

/// Points the cells at their particles, which were sorted, and makes what they know of them anew.
void SphSolver::bind_cells() {
  boxes_.resize(grid_->total_groups());
  group_h_.resize(grid_->total_groups());
  limits_.resize(gas_.size());
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto groups = grid_->groups(c);
    const std::size_t first = grid_->first_group(c);
    const auto range = grid_->range(c);
    cells_[c].bind(gas_, range, groups, std::span(boxes_).subspan(first, groups.size() - 1),
                   std::span(group_h_).subspan(first, groups.size() - 1),
                   std::span(limits_).subspan(range.begin, range.count));
    const auto bins = std::span(gas_.bin).subspan(range.begin, range.count);
    reports_[c].lowest_bin = bins.empty() ? TimeLine::last_bin : std::ranges::min(bins);
    reports_[c].highest_bin = bins.empty() ? std::uint8_t{0} : std::ranges::max(bins);
    reports_[c].drifted_to = clock_.now;
  }
  const tasks::StepContext nobody;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Motion& motion = nobody.read(cells_[c].motion);
    bound_groups(motion, nobody.read(cells_[c].hydro));
    report_motion(nobody.read(cells_[c].integrated), motion, nobody.read(cells_[c].forces), reports_[c]);
  }
}

void SphSolver::require_finite_positions() const {
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    if (std::isfinite(gas_.x[i] + gas_.y[i] + gas_.z[i])) continue;
    throw engine::NumericsError(
        fmt::format("the position of particle {} is not finite: ({}, {}, {})\n"
                    "  Look at the last snapshot; a smaller sph.cfl or time.dt_max may help.",
                    gas_.id[i], gas_.x[i], gas_.y[i], gas_.z[i]));
  }
}

void SphSolver::sort_particles() {
  if (parameters_.boundary == Boundary::periodic) {
    const auto wrap_all = [](std::vector<double>& values, double length) {
      for (double& value : values) value = particles::wrap(value, 0.0, length);
    };
    wrap_all(gas_.x, box_.x);
    wrap_all(gas_.y, box_.y);
    wrap_all(gas_.z, box_.z);
  }
  apply_order(grid_->sort(gas_.x, gas_.y, gas_.z, gas_.id));
  moved_ = 0.0;
  ++sorts_;
}

void SphSolver::apply_order(std::span<const std::uint32_t> order) {
  const auto permute = [&order]<class T>(std::vector<T>& values, std::vector<T>& sorted) {
    sorted.resize(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
    values.swap(sorted);
  };
  std::vector<double> doubles;
  std::vector<float> floats;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ids;
  permute(gas_.id, ids);
  for_each_field(gas_, [&]<class T>(std::string_view /*name*/, std::vector<T>& array) {
    if constexpr (std::is_same_v<T, double>) permute(array, doubles);
    if constexpr (std::is_same_v<T, float>) permute(array, floats);
    if constexpr (std::is_same_v<T, std::uint8_t>) permute(array, bytes);
  });
}

/// Brings the cells up to date after all particles have drifted.
void SphSolver::sort_or_rebuild() {
  require_finite_positions();
  const bool inside = parameters_.boundary != Boundary::open || grid_->holds(gas_.x, gas_.y, gas_.z);
  if (inside) {
    sort_particles();
    const auto radii = support_radii();
    const bool fits = std::ranges::equal(radii, reach_, std::less_equal<>{});
    if (fits && mean(reach_) <= most_excess_reach * reach_margin * mean(grid_->spread_maximum(radii))) {
      bind_cells();
      return;
    }
  }
  rebuild_cells();
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
