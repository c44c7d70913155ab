// Construction, stepping and sums of the sph solver; the arithmetic is in kernels/ and cell_tasks.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/sph_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"

namespace tacit::sph {
namespace {

/// Lists serve kernels this much larger than those they were made for, so that they last for many steps.
constexpr double reach_margin = 1.1;
/// Particles may move by this part of a cell before they are sorted again.
constexpr double slack_in_cells = 0.1;
/// Lists are made anew when they have become this much longer-ranged than needed, on average.
constexpr double most_excess_reach = 1.4;

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

/// The box of an open domain: all particles, with room to move.
particles::Domain bounding_domain(const Gas& gas, double margin, int dimension) {
  particles::Domain domain;
  domain.periodic = false;
  domain.dimension = dimension;
  const std::array<const std::vector<double>*, 3> positions{&gas.x, &gas.y, &gas.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [lowest, highest] = std::ranges::minmax(*positions[axis]);
    domain.origin[axis] = lowest - margin;
    domain.size[axis] = highest - lowest + 2.0 * margin;
  }
  return domain;
}

}  // namespace

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, InitialConditions initial,
                     const engine::Resources& resources)
    : parameters_(parameters),
      units_(units),
      resources_(resources),
      scratch_(resources.scheduler.workers()),
      source_scratch_(resources.scheduler.workers()) {
  std::vector<double> u = std::move(initial.u);
  take(std::move(initial));
  gas_.A_p = u;  // carried through the first sorting; becomes the entropy once densities are known
  rebuild_cells();
  const tasks::StepContext at_start{};
  run_within_reach(&StepGraph::densities, at_start);
  set_entropies();
  run_within_reach(&StepGraph::evaluate, at_start);
  run(graph_->close, at_start);  // a kick of no length: reports speeds
  collect_reports(at_start);
}

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, const io::FileReader& checkpoint,
                     const engine::Resources& resources)
    : parameters_(parameters),
      units_(units),
      resources_(resources),
      scratch_(resources.scheduler.workers()),
      source_scratch_(resources.scheduler.workers()) {
  load(checkpoint);
}

/// Fills the gas from initial conditions: everything but smoothing lengths and entropies.
void SphSolver::take(InitialConditions initial) {
  const std::size_t n = initial.size();
  set_dimension(parameters_, initial.dimension);
  box_ = initial.box;
  start_time_ = initial.time;
  source_ = initial.source;
  checksum_ = initial.checksum;
  for (const Field& field : fields) (gas_.*field.array).assign(n, 0.0);
  others_ = std::move(initial.others);
  gas_.id = std::move(initial.id);
  gas_.x = std::move(initial.x);
  gas_.y = std::move(initial.y);
  gas_.z = std::move(initial.z);
  gas_.m = std::move(initial.m);
  gas_.vx_p = gas_.vx = std::move(initial.vx);
  gas_.vy_p = gas_.vy = std::move(initial.vy);
  gas_.vz_p = gas_.vz = std::move(initial.vz);

  const bool is_bounded = parameters_.boundary != Boundary::open;
  const std::array<double, 3> sides{box_.x, box_.y, box_.z};
  const std::span<const double> used(sides.data(), static_cast<std::size_t>(parameters_.dimension));
  const auto [shortest, longest] = std::ranges::minmax(used);
  double& h_max = parameters_.smoothing.h_max;
  const double widest = (is_bounded ? shortest : longest) / parameters_.kernel_gamma;
  h_max = h_max == 0.0 ? widest : std::min(h_max, widest);
  // Any first guess in the file may be far off; far too long a guess would only make the first lists long.
  const particles::Domain region =
      is_bounded ? domain() : bounding_domain(gas_, shortest * 1e-6, parameters_.dimension);
  const double share = region.volume() / static_cast<double>(n);
  const double typical = parameters_.smoothing.eta * std::pow(share, 1.0 / parameters_.dimension);
  for (std::size_t i = 0; i < n; ++i) {
    const double guess = initial.h.empty() ? typical : std::clamp(initial.h[i], 1e-3 * typical, 10.0 * typical);
    gas_.h[i] = std::min(guess, h_max);
  }
  place_potential();
}

/// The centre where none is given, and its images; along unused axes all is at 0.
void SphSolver::place_potential() {
  kernels::Potential& potential = parameters_.potential;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_used = axis < static_cast<std::size_t>(parameters_.dimension);
    if (!parameters_.is_centre_given[axis]) potential.centre[axis] = is_used ? 0.5 * box_[axis] : 0.0;
    potential.periods[axis] = is_used && parameters_.boundary == Boundary::periodic ? box_[axis] : 0.0;
  }
}

particles::Domain SphSolver::domain() const {
  if (parameters_.boundary == Boundary::periodic) return {{}, box_, true, parameters_.dimension};
  if (parameters_.boundary == Boundary::reflecting) return {{}, box_, false, parameters_.dimension, true};
  return bounding_domain(gas_, parameters_.kernel_gamma * median(gas_.h), parameters_.dimension);
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
  const double width = parameters_.kernel_gamma * median(gas_.h);
  grid_.emplace(domain(), width, gas_.size() / 2 + 64);
  sort_particles();
  reach_ = grid_->spread_maximum(support_radii());
  for (double& reach : reach_) reach *= reach_margin;
  slack_ = slack_in_cells * grid_->narrowest();
  connect_cells();
  ++rebuilds_;
}

/// Lists and graph for the present grid and reach.
void SphSolver::connect_cells() {
  grid_->link(reach_, slack_);
  cells_.assign(grid_->cells(), CellData{});
  reports_.assign(grid_->cells(), CellReport{});
  graph_.emplace(build_step({parameters_, *grid_, reach_, cells_, reports_, scratch_, source_scratch_},
                            resources_.deterministic ? tasks::Conflicts::ordered : tasks::Conflicts::any_order));
  bind_cells();
}

void SphSolver::bind_cells() {
  for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c].bind(gas_, grid_->range(c));
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
  const auto permute = [&order]<class T>(std::vector<T>& values) {
    std::vector<T> sorted(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
    values.swap(sorted);
  };
  permute(gas_.id);
  for (const Field& field : fields) permute(gas_.*field.array);
}

void SphSolver::run(tasks::Activation& part, const tasks::StepContext& step) {
  resources_.scheduler.run(graph_->graph, part, step);
}

/// Runs a part that begins with densities; where smoothing lengths outgrow the lists, makes new lists and runs it
/// again.
void SphSolver::run_within_reach(tasks::Activation StepGraph::*part, const tasks::StepContext& step) {
  run((*graph_).*part, step);
  while (std::ranges::any_of(reports_, &CellReport::out_of_reach)) {
    rebuild_cells();
    run(part == &StepGraph::advance ? graph_->evaluate : (*graph_).*part, step);
  }
}

/// Turns the specific internal energies in A_p into entropies, now that densities are known; a barotropic gas has none.
void SphSolver::set_entropies() {
  if (parameters_.eos.kind == kernels::EquationOfState::Kind::barotropic) {
    gas_.A.assign(gas_.size(), 0.0);
    gas_.A_p = gas_.A;
    double mass = 0.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < gas_.size(); ++i) {
      mass += gas_.m[i];
      sum += gas_.m[i] * std::log(gas_.rho[i]);
    }
    rho_0_ = std::exp(sum / mass);  // so that the bath has neither given nor taken anything yet
    return;
  }
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    gas_.A_p[i] = gas_.A[i] = kernels::entropic_function(gas_.A_p[i], gas_.rho[i], parameters_.gamma);
  }
}

void SphSolver::step(const tasks::StepContext& step) {
  // No particle moves further than this in the step; the lists hold while the sum of such bounds is within the slack.
  const double bound = (v_max_ + 0.5 * a_max_ * step.dt) * step.dt;
  if (moved_ + bound <= slack_) {
    moved_ += bound;
    run_within_reach(&StepGraph::advance, step);
  } else {
    run(graph_->drift, step);
    require_finite_positions();
    const bool inside = parameters_.boundary != Boundary::open || grid_->holds(gas_.x, gas_.y, gas_.z);
    if (inside) sort_particles();
    const auto radii = inside ? support_radii() : std::vector<double>{};
    const bool fits = inside && std::ranges::equal(radii, reach_, std::less_equal<>{});
    if (fits && mean(reach_) <= most_excess_reach * reach_margin * mean(grid_->spread_maximum(radii))) {
      bind_cells();
    } else {
      rebuild_cells();
    }
    run_within_reach(&StepGraph::evaluate, step);
  }
  run(graph_->close, step);
  collect_reports(step);
}

void SphSolver::collect_reports(const tasks::StepContext& step) {
  // Cold gas may take any step; finite, as are all numbers in a checkpoint.
  dt_stable_ = std::numeric_limits<double>::max();
  v_max_ = a_max_ = 0.0;
  for (const CellReport& report : reports_) {
    if (report.not_finite != CellReport::none) {
      throw engine::NumericsError(
          fmt::format("step {}: position, velocity or entropy of particle {} is not finite at t = {:.6g}\n"
                      "  Look at the last snapshot; a smaller sph.cfl or time.dt_max may help.",
                      step.step, report.not_finite, step.time + step.dt));
    }
    dt_stable_ = std::min(dt_stable_, report.dt);
    v_max_ = std::max(v_max_, report.v_max);
    a_max_ = std::max(a_max_, report.a_max);
  }
}

engine::Conserved SphSolver::conserved() const {
  base::ExactSum mass, kinetic, internal, potential, p_scale, l_scale;
  std::array<base::ExactSum, 3> p;
  std::array<base::ExactSum, 3> l;
  const bool is_pulled = parameters_.potential.is_present();
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    const base::Vec3 v{gas_.vx[i], gas_.vy[i], gas_.vz[i]};
    const base::Vec3 momentum = gas_.m[i] * v;
    const base::Vec3 angular = cross({gas_.x[i], gas_.y[i], gas_.z[i]}, momentum);
    mass.add(gas_.m[i]);
    kinetic.add(0.5 * dot(momentum, v));
    internal.add(gas_.m[i] * (kernels::internal_energy(parameters_.eos, gas_.A[i], gas_.rho[i], parameters_.gamma) +
                              kernels::bath_energy(parameters_.eos, gas_.rho[i], rho_0_)));
    if (is_pulled) {
      potential.add(gas_.m[i] * kernels::specific_energy(parameters_.potential, {gas_.x[i], gas_.y[i], gas_.z[i]}));
    }
    p_scale.add(norm(momentum));
    l_scale.add(norm(angular));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      p[axis].add(momentum[axis]);
      l[axis].add(angular[axis]);
    }
  }
  engine::Conserved result;
  result.mass = mass.value();
  result.momentum = {p[0].value(), p[1].value(), p[2].value()};
  result.momentum_scale = p_scale.value();
  result.kinetic_energy = kinetic.value();
  result.internal_energy = internal.value();
  result.potential_energy = potential.value();
  if (parameters_.boundary == Boundary::open && !is_pulled) {
    result.angular_momentum = base::Vec3{l[0].value(), l[1].value(), l[2].value()};
    result.angular_momentum_scale = l_scale.value();
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> SphSolver::origin() const {
  std::vector<std::pair<std::string, std::string>> rows{{"input", source_}};
  if (!checksum_.empty()) rows.emplace_back("input checksum", checksum_);
  if (const std::string others = describe(others_); !others.empty()) rows.emplace_back("carried along", others);
  return rows;
}

}  // namespace tacit::sph
