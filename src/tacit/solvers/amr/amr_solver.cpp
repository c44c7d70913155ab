// What the engine asks of the amr solver, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/amr_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/amr/initial_state.hpp"

namespace tacit::amr {
namespace {

/// What no rank has too little memory for.
double agreed_limit(const AmrParameters& parameters, const engine::Resources& resources,
                    exchange::RankReductions& reductions) {
  const auto on_node = static_cast<double>(engine::ranks_on_node(resources.ranks));
  const double machines = static_cast<double>(resources.ranks.size()) / on_node;
  return std::floor(reductions.least(leaves_limit(parameters, machines)));
}

// Of a step, what ranks agree on.
constexpr exchange::ReductionShape step_shape{.largest = 1, .least = 1};
constexpr double no_stage = std::numeric_limits<double>::infinity();

}  // namespace

AmrSolver::AmrSolver(const AmrParameters& parameters, const engine::Resources& resources,
                     const io::FileReader* checkpoint)
    : parameters_(parameters),
      resources_(resources),
      reductions_(resources.ranks),
      most_leaves_(agreed_limit(parameters, resources, reductions_)),
      tree_(make_tree(parameters.domain)),
      grids_(parameters.domain, share_of(parameters.domain, tree_, resources.ranks.size(), resources.ranks.rank()),
             parameters.fields),
      statistics_(parameters_, tree_, resources),
      star_statistics_(parameters_, tree_, resources),
      time_(parameters.begin) {
  if (parameters_.halvings > 0) grids_.keep_begin();
  if (parameters_.integrator == Integrator::rk3) grids_.keep_later();
  if (checkpoint != nullptr) {
    load(*checkpoint);
  } else {
    begin();
  }
  step_ = std::make_unique<Step>(parameters_, tree_, grids_, resources_);
  if (parameters_.is_adaptive || is_divided_by_cost())
    mover_.emplace(parameters_, resources_.scheduler, resources_.ranks, step_->moves());
  step_->look();
  agree();
}

/// The one message of a step that all ranks wait for: how fast the gas is, and whether a stage has left a flaw.
void AmrSolver::agree() {
  exchange::Reduction& all = reductions_.of(step_shape);
  const auto flaw = step_->flaw();
  all.largest()[0] = step_->fastest();
  all.least()[0] = flaw ? static_cast<double>(flaw->after) : no_stage;
  all.run();
  fastest_ = all.largest()[0];
  flawed_stage_ = all.least()[0];
}

/// Level by level: what the finer one shows of the initial conditions asks for the next.
void AmrSolver::begin() {
  for (std::uint32_t level = parameters_.domain.level; parameters_.is_adaptive && level < parameters_.finest; ++level) {
    engine::fail_together(resources_.ranks, [&] { check_initial(parameters_, tree_, grids_); });
    // A ball of energy may be too small for the coarser levels.
    static_cast<void>(set_initial(parameters_, tree_, grids_, &reductions_));
    std::vector<Indicators> seen = indicators_of(parameters_, tree_, grids_, resources_.scheduler, resources_.ranks);
    constexpr double beyond_all = std::numeric_limits<double>::infinity();
    for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
      if (asks_for_finer(parameters_, tree_.leaf(leaf))) seen[leaf].jump = seen[leaf].density = beyond_all;
    }
    mesh::Octree next = adapted(parameters_, tree_, seen);
    if (static_cast<double>(next.size()) > most_leaves_) {
      throw base::Error(fmt::format("the initial conditions need {}", excess_text(next.size())));
    }
    set_tree(std::move(next));
  }
  engine::fail_together(resources_.ranks, [&] { check_initial(parameters_, tree_, grids_); });
  require_initial(parameters_, tree_, grids_, &reductions_);
  warnings_ = coarse_features(parameters_, tree_, grids_, reductions_);
}

std::vector<std::string> AmrSolver::new_warnings() {
  std::vector<std::string> warnings = std::exchange(warnings_, {});
  for (std::string& warning : step_->new_warnings()) warnings.push_back(std::move(warning));
  return warnings;
}

/// Their state is not set. @pre there is no step yet
void AmrSolver::set_tree(mesh::Octree tree) {
  tree_ = std::move(tree);
  grids_.resize(share_of(parameters_.domain, tree_, resources_.ranks.size(), resources_.ranks.rank()));
}

void AmrSolver::adapt() {
  step_->refresh();
  mesh::Octree next =
      adapted(parameters_, tree_, indicators_of(parameters_, tree_, grids_, resources_.scheduler, resources_.ranks));
  if (std::ranges::equal(next.leaves(), tree_.leaves())) return redivide();
  if (static_cast<double>(next.size()) > most_leaves_) {
    needed_ = next.size();
    return;
  }
  mover_->move(tree_, next, division_of(next), grids_);
  tree_ = std::move(next);
  look_at_move();
}

/// Has the sub-grids on the ranks that are to have them.
void AmrSolver::redivide() {
  mesh::LeafDivision division = is_divided_by_cost() ? mesh::better_division(grids_.share().division, costs())
                                                     : mesh::LeafDivision(tree_.size(), resources_.ranks.size());
  if (division == grids_.share().division) return;
  mover_->move(tree_, tree_, std::move(division), grids_);
  look_at_move();
}

void AmrSolver::look_at_move() {
  step_->rebuild();
  step_->look();
  agree();
}

bool AmrSolver::is_divided_by_cost() const {
  return parameters_.rebalance == Rebalance::cost && resources_.ranks.size() > 1;
}

/// Of all leaves, on all ranks. They count again from now on.
std::vector<std::uint64_t> AmrSolver::costs() {
  std::vector<std::uint64_t> costs = step_->take_costs();
  exchange::add_over(resources_.ranks, costs);
  for (std::size_t leaf = 0; leaf < costs.size() && parameters_.cost_of; ++leaf)
    costs[leaf] = parameters_.cost_of(tree_.leaf(leaf));
  return costs;
}

/// Of other sub-grids; found by all ranks from the same numbers.
mesh::LeafDivision AmrSolver::division_of(const mesh::Octree& next) {
  if (!is_divided_by_cost()) return {next.size(), resources_.ranks.size()};
  return mesh::better_division(mesh::carried_over(grids_.share().division, tree_, next),
                               mesh::carried_over(costs(), tree_, next));
}

/// "300 sub-grids (6.6 MB), more than amr.most_sub_grids = 200; ..."
std::string AmrSolver::excess_text(std::size_t leaves) const {
  const double megabytes = 1e-6 * memory_of(parameters_, static_cast<double>(leaves));
  const std::string limit = parameters_.most_leaves > 0
                                ? fmt::format("amr.most_sub_grids = {}", parameters_.most_leaves)
                                : fmt::format("the memory of this machine holds ({:.0f})", most_leaves_);
  return fmt::format(
      "{} sub-grids ({:.4g} MB), more than {}; a larger amr.most_sub_grids where there is memory for it, a lower "
      "amr.finest or larger thresholds",
      leaves, megabytes, limit);
}

/// The engine asks for the next step when the state is good and stands in no file yet: so it is kept.
double AmrSolver::time_step() const {
  if (needed_ > 0) {
    throw engine::NumericsError(
        fmt::format("the next steps need {}; the last state is kept: --restart goes on from it with another "
                    "amr.most_sub_grids",
                    excess_text(needed_)));
  }
  return parameters_.cfl / fastest_;
}

void AmrSolver::step(const tasks::StepContext& step) {
  measured_.reset();
  advance(step, parameters_.halvings);
  frame_angle_ += parameters_.frame_rotation * step.dt;
  if (parameters_.follows_stars && (step.step + 1) % parameters_.follow_every == 0) follow_stars();
  if (!mover_ || (step.step + 1) % parameters_.regrid_every != 0) return;
  if (parameters_.is_adaptive) {
    adapt();
  } else {
    redivide();
  }
}

/// As fast as the stars go around each other, and what brings them back to the line along x in a quarter of an orbit.
void AmrSolver::follow_stars() {
  const StarsMeasured stars = star_statistics_.measure(grids_, *step_->gravity());
  if (!(stars.separation() >= 0.5 * parameters_.initial.separation)) return;
  const double before = parameters_.frame_rotation;
  const double orbital = stars.orbital_frequency();
  const double back = std::abs(orbital) * (2.0 / std::numbers::pi);
  const double by = orbital + back * stars.angle() - before;
  step_->turn_frame(before, by);
  for (const Balance& balance : step_->balances()) ledger_.add(balance);
  parameters_.frame_rotation = before + by;
  step_->look();
  agree();
}

/// What leaves cells that are not valid is made again from the state before, in two halves. All ranks agree on it.
void AmrSolver::advance(const tasks::StepContext& step, std::uint32_t halvings) {
  step_->run(step);
  time_ = step.time + step.dt;
  agree();
  if (flawed_stage_ == no_stage) {
    for (const Balance& balance : step_->balances()) ledger_.add(balance);
    return;
  }
  if (halvings == 0) refuse();
  if (halvings == parameters_.halvings) tell_of_halving(step);
  grids_.go_back();
  step_->go_back();
  tasks::StepContext half = step;
  half.dt = 0.5 * step.dt;
  advance(half, halvings - 1);
  half.time = step.time + half.dt;
  half.dt = step.dt - half.dt;
  advance(half, halvings - 1);
  time_ = step.time + step.dt;
}

/// The first time, the tenth, the hundredth: where it happens all the time it is not said all the time.
void AmrSolver::tell_of_halving(const tasks::StepContext& step) {
  ++halved_;
  std::uint64_t power = 1;
  while (power < halved_) power *= 10;
  if (halved_ != power) return;
  const engine::Flaw flaw = engine::first_flaw(resources_.ranks, first_flaw()).value();
  warnings_.push_back(fmt::format("step {} from t = {:.6g} is made again in halves ({} so far): otherwise {}",
                                  step.step + 1, step.time, halved_, flaw.text));
}

/// On all ranks, in the same words: the first sub-grid after the earliest stage, as ranks have them in their order.
void AmrSolver::refuse() const {
  throw engine::NumericsError(engine::first_flaw(resources_.ranks, first_flaw()).value());
}

/// Of this rank, after the earliest stage.
std::optional<engine::Flaw> AmrSolver::first_flaw() const {
  const auto mine = step_->flaw();
  if (!mine || static_cast<double>(mine->after) != flawed_stage_) return std::nullopt;
  return describe(*mine);
}

engine::Flaw AmrSolver::describe(const Step::Flaw& flaw) const {
  const SubGrids& grids = grids_;
  const auto U = grids.at(end_of(flaw.after), flaw.leaf);
  const mesh::Node& leaf = tree_.leaf(flaw.leaf);
  const auto is_good = [](double value) { return value > 0.0 && value < 1.7e308; };
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell) {
    const GasState gas = gas_of(U, cell, parameters_.gamma, parameters_.fields);
    const double E = U.of(4)[cell];
    if (is_good(gas.rho) && is_good(gas.P) && std::isfinite(E)) continue;
    const auto at = coordinates_of(parameters_.domain, leaf, cell);
    const Point x = centre_of(parameters_.domain, leaf, cell);
    const auto [field, value] = !is_good(gas.rho) ? std::pair("density", gas.rho)
                                : !is_good(gas.P) ? std::pair("pressure", gas.P)
                                                  : std::pair("energy", E);
    const char* smoother = parameters_.limiter == kernels::Limiter::minmod ? "" : " or amr.limiter = \"minmod\"";
    if (parameters_.reconstruction == Reconstruction::ppm) smoother = " or amr.reconstruction = \"plm\"";
    return {.text = fmt::format("the {} of the cell ({}, {}, {}) of level {}, at ({:.6g}, {:.6g}, {:.6g}), is {:.6g}; "
                                "amr.cfl = {:.3g}{} may help",
                                field, at[0], at[1], at[2], leaf.level, x[0], x[1], x[2], value, 0.5 * parameters_.cfl,
                                smoother),
            .field = field,
            .element = flaw.leaf * grids_.cells() + cell};
  }
  return {.text = "a density or pressure is not positive"};
}

std::vector<engine::StepPart> AmrSolver::step_parts() const {
  if (!parameters_.gravity) return {};
  return {{"gravity", step_->times().gravity}, {"hydrodynamics", step_->times().stages}};
}

const Measured& AmrSolver::measured() const {
  if (!measured_) measured_ = statistics_.measure(grids_, time_ - parameters_.begin, step_->gravity(), &ledger_);
  return *measured_;
}

/// What has left through sides counts as if it were there, and what floors have added as if it were not: so all is
/// kept. Where cells are divided or joined, potentials are other ones.
engine::Conserved AmrSolver::conserved() const {
  const Measured& now = measured();
  const std::vector<double> momentum(now.balanced.begin() + 1, now.balanced.begin() + 4);
  engine::Conserved result;
  result.quantities = {{.name = "mass", .value = {now.balanced[0]}, .scale = now.mass},
                       {.name = "momentum",
                        .value = momentum,
                        .scale = now.momentum_scale,
                        .is_kept = parameters_.frame_rotation == 0.0},
                       {.name = "energy",
                        .value = {now.balanced[4] + now.potential},
                        .scale = now.energy - now.potential,
                        .is_kept = !(parameters_.gravity && parameters_.is_adaptive)}};
  const kernels::Fields& fields = parameters_.fields;
  for (std::size_t k = 0; k < fields.species; ++k) {
    result.quantities.push_back({.name = fmt::format("mass_species_{}", k + 1),
                                 .value = {now.balanced[fields.first_species() + k]},
                                 .scale = now.mass});
  }
  result.columns = {{"mass", now.mass},
                    {"kinetic_energy", now.kinetic},
                    {"internal_energy", now.energy - now.kinetic},
                    {"total_energy", now.energy + now.potential},
                    {"momentum_x", now.momentum[0]},
                    {"momentum_y", now.momentum[1]},
                    {"momentum_z", now.momentum[2]}};
  if (parameters_.gravity) result.columns.push_back({"potential_energy", now.potential});
  for (std::size_t k = 0; k < fields.species; ++k)
    result.columns.push_back({fmt::format("mass_species_{}", k + 1), now.species[k]});
  if (parameters_.domain.has(Wall::outflow) || parameters_.domain.has(Wall::diode)) {
    result.columns.push_back({"mass_left", now.left[0]});
    result.columns.push_back({"energy_left", now.left[4]});
  }
  if (parameters_.floors.are_set() || parameters_.driving || parameters_.follows_stars) {
    result.columns.push_back({"mass_added", now.added[0]});
    result.columns.push_back({"energy_added", now.added[4]});
  }
  return result;
}

std::vector<engine::Statistic> AmrSolver::statistics() const {
  const Measured& now = measured();
  std::vector<engine::Statistic> result{{"cells", static_cast<double>(elements())},
                                        {"largest_density", now.largest_density},
                                        {"largest_vx", now.largest_speed[0]},
                                        {"largest_vy", now.largest_speed[1]},
                                        {"largest_vz", now.largest_speed[2]}};
  if (StarStatistics::is_wanted(parameters_)) {
    const StarsMeasured stars = star_statistics_.measure(grids_, *step_->gravity());
    result.push_back({"angular_momentum_z", stars.angular_momentum});
    result.push_back({"virial_error", stars.virial_error});
    if (parameters_.driving) result.push_back({"angular_momentum_driven", now.turned});
    if (parameters_.follows_stars) {
      result.push_back({"frame_rotation", parameters_.frame_rotation});
      result.push_back({"frame_angle", frame_angle_});
    }
    if (parameters_.fields.species > 0 && parameters_.initial.stars > 0)
      result.push_back({"spin_1", stars.stars[0].spin(stars.middle)});
    if (parameters_.fields.species > 1 && parameters_.initial.stars > 1) {
      result.push_back({"spin_2", stars.stars[1].spin(stars.middle)});
      result.push_back({"orbital_angular_momentum", stars.orbital_angular_momentum()});
      result.push_back({"separation", stars.separation()});
      result.push_back({"orbital_frequency", stars.orbital_frequency()});
      result.push_back({"flux_L1", stars.flux_L1});
    }
  }
  if (parameters_.initial.exact) {
    result.push_back({"error_density", now.error_density});
    result.push_back({"error_velocity", now.error_velocity});
    result.push_back({"error_pressure", now.error_pressure});
  }
  return result;
}

}  // namespace tacit::amr
