// What the tasks of a stage do with the cells of a sub-grid, and what follows behind them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/solvers/amr/step.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

using kernels::Stage;

}  // namespace

void Step::advance(Stage stage, std::size_t leaf, double dt, Scratch& scratch) {
  const kernels::Variables<const double> U = before(stage, leaf);
  const kernels::Gas gas = gas_at(leaf);
  const kernels::Fields& fields = grids_.fields();
  const bool has_scalars = fields.count() > kernels::variables;
  loops_.to_primitive(gas.gamma, grids_.cells(), U, scratch.primitive);
  if (has_scalars) scalar_loops_.to_primitive(gas.gamma, fields, grids_.cells(), U, scratch.primitive);
  for (const PencilShape& shape : shapes_) {
    fill_pencils(stage, leaf, shape.axis, scratch);
    const kernels::Pencils pencils{.cells = shape.cells,
                                   .lanes = shape.lanes(),
                                   .axis = shape.axis,
                                   .scale = gas.scale[shape.axis],
                                   .primitive = {scratch.pencils.first, scratch.pencils.next},
                                   .rate = scratch.pencil_rate,
                                   .low = kept(leaf, shape.axis, 0),
                                   .high = kept(leaf, shape.axis, 1),
                                   .mass = gravity_ || has_scalars ? scratch.faces[shape.axis] : nullptr};
    sweep(pencils);
    put_layers(shape, fields.count() + (fields.has_internal_energy ? 1 : 0),
               {scratch.pencil_rate.first, scratch.pencil_rate.next}, shape.axis == 0 ? Mode::set : Mode::add,
               scratch.rate);
  }
  if (gravity_) {
    gravity_->add_sources(stage, leaf, U, {scratch.faces[0], scratch.faces[1], scratch.faces[2]}, scratch.rate);
  }
  const kernels::Variables<double> begin = grids_.now(leaf);
  loops_.update(stage, {.cells = grids_.cells(),
                        .U = U,
                        .base = {begin.first, begin.next},
                        .rate = {scratch.rate.first, scratch.rate.next},
                        .out = after(stage, leaf),
                        .dt = dt,
                        .fields = fields.count()});
  if (fields.has_internal_energy)
    std::copy_n(scratch.rate.of(fields.count()), grids_.cells(), jumps_.data() + own_place(leaf) * grids_.cells());
}

void Step::sweep(const kernels::Pencils& pencils) const {
  const kernels::Fields& fields = grids_.fields();
  const bool has_scalars = fields.count() > kernels::variables;
  const double gamma = parameters_.gamma;
  if (parameters_.reconstruction == Reconstruction::ppm) {
    parabolic_loops_.sweep(gamma, parameters_.riemann, pencils);
    if (has_scalars) parabolic_loops_.sweep_scalars(gamma, fields, pencils);
  } else {
    loops_.sweep(gamma, parameters_.limiter, parameters_.riemann, pencils);
    if (has_scalars) scalar_loops_.sweep(gamma, parameters_.limiter, fields, pencils);
  }
}

/// Behind `advance`, or a launch in its place.
void Step::end_stage(Stage stage, std::size_t leaf, double dt) {
  if (!balances_.empty()) {
    const double share = weight_of_rate(parameters_.integrator, stage) * dt;
    for (const PencilShape& shape : shapes_) note_sides(leaf, shape.axis, share);
  }
  finish(stage, leaf);
}

/// What sides of the domain let through. @param dt  the part of the step that the stage counts for
void Step::note_sides(std::size_t leaf, std::size_t axis, double dt) {
  const mesh::Node& node = tree_.leaf(leaf);
  const Domain& domain = parameters_.domain;
  Balance& balance = balances_[own_place(leaf)];
  for (std::size_t side = 0; side < 2; ++side) {
    if (beside_[own_place(leaf)][axis][side].relation != mesh::Beside::Relation::outside) continue;
    const double share = dt * domain.volume(node.level) / domain.spacing(axis, node.level);
    const kernels::Variables<double> F = kept(leaf, axis, side);
    for (std::size_t k = 0; k < grids_.fields_count(); ++k) {
      double sum = 0.0;
      for (std::size_t lane = 0; lane < shapes_[axis].lanes(); ++lane) sum += F.of(k)[lane];
      balance.left[k] += (side == 0 ? -share : share) * sum;
      if (k >= 1 && k <= 3) balance.pushed += share * std::abs(sum);
    }
  }
}

void Step::synchronise(std::size_t leaf, kernels::Variables<double> U) {
  if (!grids_.fields().has_internal_energy) return;
  kernels::Synchronise by{.cells = grids_.cells(),
                          .U = U,
                          .jump = jumps_.data() + own_place(leaf) * grids_.cells(),
                          .gravity = {},
                          .trust = parameters_.trust};
  if (gravity_) {
    const auto field = gravity_->field(leaf);
    by.gravity = {field.of(1), field.next};
    by.spacing = parameters_.domain.spacing(0, tree_.leaf(leaf).level);
  }
  scalar_loops_.synchronise(by);
}

/// Lifts what is below the floors. Momentum is kept, and with an internal energy of its own the total one as well.
void Step::raise(Stage stage, std::size_t leaf, kernels::Variables<double> U) {
  const Floors& floors = parameters_.floors;
  if (!floors.are_set()) return;
  const kernels::Fields& fields = grids_.fields();
  const double share =
      weight_of_state(parameters_.integrator, stage) * parameters_.domain.volume(tree_.leaf(leaf).level);
  const double least_heat = floors.pressure / (parameters_.gamma - 1.0);
  Balance& balance = balances_[own_place(leaf)];
  const auto set = [&](std::size_t field, std::size_t cell, double value) {
    double& number = U.of(field)[cell];
    balance.added[field] += share * (value - number);
    number = value;
  };
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell) {
    const double rho = U.of(0)[cell];
    if (rho < floors.density) {
      set(0, cell, floors.density);
      for (std::size_t k = fields.first_species(); k < fields.count(); ++k) {
        const bool is_last = k + 1 == fields.count();
        const double of_nothing = is_last ? floors.density : 0.0;
        set(k, cell, rho > 0.0 ? U.of(k)[cell] * (floors.density / rho) : of_nothing);
      }
    }
    if (fields.has_internal_energy) {
      double& e = U.of(kernels::Fields::internal_energy())[cell];
      if (e < least_heat) e = least_heat;
    } else {
      const double kinetic = kinetic_energy({U.first, U.next}, cell);
      if (U.of(4)[cell] - kinetic < least_heat) set(4, cell, kinetic + least_heat);
    }
  }
}

/// Of a stage that has set the cells of a sub-grid. Gravity changes energies behind the last one.
void Step::finish(Stage stage, std::size_t leaf) {
  const kernels::Variables<double> U = after(stage, leaf);
  if (!gravity_ || !is_last(stage)) {
    synchronise(leaf, U);
    raise(stage, leaf, U);
  }
  conditions_[number_of(stage)][own_place(leaf)] = loops_.look_at(gas_at(leaf), grids_.cells(), {U.first, U.next});
}

/// Behind a step with gravity.
void Step::end_step() {
  tasks::parallel_for(scheduler_, grids_.own().begin, grids_.own().end, [&](std::size_t leaf) {
    synchronise(leaf, grids_.now(leaf));
    raise(stages_of(parameters_.integrator).back(), leaf, grids_.now(leaf));
    if (!balances_.empty()) balances_[own_place(leaf)].left[4] += gravity_->energy_through_sides(leaf);
  });
  look_at_all();
}

/// Own cells, and layers of those beside them.
void Step::fill_pencils(Stage stage, std::size_t leaf, std::size_t axis, Scratch& scratch) const {
  const PencilShape& shape = shapes_[axis];
  const std::size_t ghosts = shape.ghosts;
  const kernels::Fields& fields = grids_.fields();
  const kernels::Variables<double>& pencils = scratch.pencils;
  const auto from_layer = [&](std::size_t layer) {
    return kernels::Variables<double>{pencils.first + layer * shape.lanes(), pencils.next};
  };
  take_layers(shape, fields.count(), {scratch.primitive.first, scratch.primitive.next}, 0, shape.cells,
              from_layer(ghosts));
  for (const mesh::Side side : both_sides) {
    const bool is_low = side == mesh::Side::low;
    const mesh::Beside& beside = beside_[own_place(leaf)][axis][place_of(side)];
    if (beside.relation == mesh::Beside::Relation::outside) {
      fill_outside(shape, fields.count(), side, parameters_.domain.sides[axis][place_of(side)], pencils);
      continue;
    }
    take_layers_beyond(stage, leaf, axis, side, scratch.layers);
    const kernels::Variables<const double> layers{scratch.layers.first, scratch.layers.next};
    const kernels::Variables<double> to = from_layer(is_low ? 0 : ghosts + shape.cells);
    loops_.to_primitive(parameters_.gamma, ghosts * shape.lanes(), layers, to);
    if (fields.count() > kernels::variables)
      scalar_loops_.to_primitive(parameters_.gamma, fields, ghosts * shape.lanes(), layers, to);
  }
}

/// Conserved variables of the cells beyond a side inside the domain.
void Step::take_layers_beyond(Stage stage, std::size_t leaf, std::size_t axis, mesh::Side side,
                              kernels::Variables<double> to) const {
  const PencilShape& shape = shapes_[axis];
  const mesh::Beside& beside = beside_[own_place(leaf)][axis][place_of(side)];
  if (beside.relation == mesh::Beside::Relation::alike) {
    take_layers(shape, grids_.fields_count(), before(stage, beside.leaves[0]),
                side == mesh::Side::low ? shape.cells - shape.ghosts : 0, shape.ghosts, to);
  } else {
    levels_.take_beyond(shape, leaf, side, {grids_, begin_of(stage)}, to);
  }
}

void Step::refresh() {
  if (futures_) return futures_->refresh();
  if (refresh_.size() > 0) scheduler_.run(graph_, refresh_, {});
}

void Step::look() {
  for (auto& of_stage : conditions_) std::ranges::fill(of_stage, kernels::Condition{});
  if (gravity_) gravity_->solve(Moment::now);
  look_at_all();
}

void Step::go_back() {
  if (gravity_) gravity_->solve(Moment::now);
}

void Step::look_at_all() {
  const SubGrids& grids = grids_;
  tasks::parallel_for(scheduler_, grids.own().begin, grids.own().end, [&](std::size_t leaf) {
    kernels::Condition& condition = conditions_.back()[own_place(leaf)];
    condition = loops_.look_at(gas_at(leaf), grids.cells(), grids.now(leaf));
    if (gravity_) condition.fastest = std::max(condition.fastest, gravity_->rate_of_fall(leaf));
  });
}

double Step::fastest() const {
  double most = 0.0;
  for (const kernels::Condition& condition : conditions_.back()) most = std::max(most, condition.fastest);
  return most;
}

std::optional<Step::Flaw> Step::flaw() const {
  for (const Stage stage : stages_of(parameters_.integrator)) {
    const auto& conditions = conditions_[number_of(stage)];
    const auto found = std::ranges::find(conditions, false, &kernels::Condition::is_valid);
    if (found != conditions.end())
      return Flaw{grids_.own().begin + static_cast<std::size_t>(found - conditions.begin()), stage};
  }
  return std::nullopt;
}

}  // namespace tacit::amr
