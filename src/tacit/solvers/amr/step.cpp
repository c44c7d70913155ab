// Builds the task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/step.hpp"

#include <algorithm>

#include "tacit/base/cpu_features.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

using kernels::ghosts;
using kernels::Stage;

constexpr std::array both_sides{mesh::Side::low, mesh::Side::high};

std::size_t place_of(mesh::Side side) { return side == mesh::Side::low ? 0 : 1; }

}  // namespace

/// Each stage is a task per sub-grid, which writes its own cells only:
///
///     first stage (now of it and those beside it -> between) --> second stage (between of these -> now)
///
/// It fetches the ghost cells that it needs itself, out of the sub-grids beside it. The fluxes through a face between
/// two sub-grids are computed by both, from the same numbers by the same operations: so they are the same, and what
/// leaves one enters the other. Beside finer ones a further task follows, which replaces the fluxes by theirs:
///
///     first stage of it and of the finer ones --> correction (between of it) --> second stage
Step::Step(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
           const engine::Resources& resources)
    : parameters_(parameters),
      tree_(tree),
      grids_(grids),
      loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                        []<class Isa>(Isa) { return kernels::loops_of<Isa>(); })),
      scheduler_(resources.scheduler),
      levels_(parameters.domain, parameters.gamma, tree) {
  const Domain& domain = parameters.domain;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) shapes_.emplace_back(domain, axis);
  for (std::size_t worker = 0; worker < scheduler_.workers(); ++worker) scratch_.emplace_back(domain);
  rebuild();
}

void Step::rebuild() {
  const std::size_t leaves = tree_.size();
  const std::size_t axes = shapes_.size();
  for (auto& of_stage : conditions_) of_stage.assign(leaves, {});
  beside_.resize(leaves);
  now_.clear();
  between_.clear();
  activation_ = {};  // both give back what they hold before others are made
  graph_ = tasks::Graph();
  graph_.reserve(2 * leaves, 2 * leaves, 2 * leaves * (2 + 2 * axes));
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (const mesh::Side side : both_sides) beside_[leaf][axis][place_of(side)] = tree_.beside(leaf, axis, side);
    }
    const double place = static_cast<double>(leaf) / static_cast<double>(leaves);
    for (auto* data : {&now_, &between_}) {
      data->push_back(graph_.add_datum());
      graph_.set_place(data->back(), place);
    }
  }
  keep_fluxes();
  add_stage(Stage::first);
  add_stage(Stage::second);
  activation_ = graph_.activate_all();
}

void Step::add_stage(Stage stage) {
  const bool is_first = stage == Stage::first;
  const tasks::TaskKind kind = graph_.kind(is_first ? "first stage" : "second stage");
  const std::vector<tasks::DatumId>& from = is_first ? now_ : between_;
  tasks::Accesses accesses;
  for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
    accesses.assign(
        {{(is_first ? between_ : now_)[leaf], tasks::AccessMode::write}, {from[leaf], tasks::AccessMode::read}});
    const auto read = [&](std::size_t other) {
      const tasks::Access access{from[other], tasks::AccessMode::read};
      if (std::ranges::find(accesses, access) == accesses.end()) accesses.push_back(access);
    };
    for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
      for (const mesh::Beside& beside : beside_[leaf][axis]) {
        std::for_each_n(beside.leaves.begin(), beside.count, read);
      }
    }
    // Slopes in coarser cells look further around.
    if (is_beside(leaf, mesh::Beside::Relation::coarser)) std::ranges::for_each(tree_.touching(leaf), read);
    const auto compute = [this, stage, leaf](tasks::StepContext& step) {
      advance(stage, leaf, step.dt, scratch_[step.worker()]);
    };
    graph_.add(kind, accesses, compute, {.key = static_cast<std::uint32_t>(leaf)});
  }
  if (parameters_.border_fluxes == BorderFluxes::of_each) return;
  for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
    if (is_beside(leaf, mesh::Beside::Relation::finer)) add_correction(stage, leaf);
  }
}

bool Step::is_beside(std::size_t leaf, mesh::Beside::Relation relation) const {
  for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
    for (const mesh::Beside& beside : beside_[leaf][axis]) {
      if (beside.relation == relation) return true;
    }
  }
  return false;
}

void Step::keep_fluxes() {
  std::size_t size = 0;
  kept_.resize(tree_.size());
  for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
    for (std::size_t axis = 0; axis < shapes_.size(); ++axis) {
      for (std::size_t side = 0; side < 2; ++side) {
        const mesh::Beside::Relation relation = beside_[leaf][axis][side].relation;
        const bool is_kept = relation == mesh::Beside::Relation::finer || relation == mesh::Beside::Relation::coarser;
        kept_[leaf][axis][side] = is_kept ? size : not_kept;
        if (is_kept) size += kernels::variables * shapes_[axis].lanes();
      }
    }
  }
  if (size > fluxes_.capacity()) {
    fluxes_ = {};
    fluxes_.reserve(size + size / 4);
  }
  fluxes_.resize(size);
}

std::size_t Step::bytes_held() const noexcept {
  const auto bytes = [](const auto& numbers) { return numbers.capacity() * sizeof(numbers[0]); };
  return bytes(beside_) + bytes(kept_) + bytes(fluxes_) + bytes(conditions_[0]) + bytes(conditions_[1]) + bytes(now_) +
         bytes(between_);
}

/// Null where fluxes are not kept.
kernels::Variables<double> Step::kept(std::size_t leaf, std::size_t axis, std::size_t side) {
  const std::size_t place = kept_[leaf][axis][side];
  if (place == not_kept) return {};
  return {fluxes_.data() + place, shapes_[axis].lanes()};
}

kernels::Variables<double> Step::after(Stage stage, std::size_t leaf) {
  return stage == Stage::first ? grids_.between(leaf) : grids_.now(leaf);
}

void Step::add_correction(Stage stage, std::size_t leaf) {
  const std::vector<tasks::DatumId>& out = stage == Stage::first ? between_ : now_;
  tasks::Accesses accesses{{out[leaf], tasks::AccessMode::write}};
  for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
    for (const mesh::Beside& beside : beside_[leaf][axis]) {
      if (beside.relation != mesh::Beside::Relation::finer) continue;
      for (std::size_t i = 0; i < beside.count; ++i) {
        const tasks::Access access{out[beside.leaves[i]], tasks::AccessMode::read};
        if (std::ranges::find(accesses, access) == accesses.end()) accesses.push_back(access);
      }
    }
  }
  graph_.add("correction", accesses, [this, stage, leaf](tasks::StepContext& step) { correct(stage, leaf, step.dt); },
             {.cost = 0.1, .key = static_cast<std::uint32_t>(leaf)});
}

void Step::correct(Stage stage, std::size_t leaf, double dt) {
  for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (beside_[leaf][axis][side].relation == mesh::Beside::Relation::finer)
        correct_side(stage, leaf, axis, side, dt);
    }
  }
  const kernels::Variables<double> out = after(stage, leaf);
  conditions_[stage == Stage::first ? 0 : 1][leaf] =
      loops_.look_at(gas_at(leaf), grids_.cells(), {out.first, out.next});
}

/// The cells at a side get what the finer ones have passed, in place of what this sub-grid took for it.
void Step::correct_side(Stage stage, std::size_t leaf, std::size_t axis, std::size_t side, double dt) {
  const PencilShape& shape = shapes_[axis];
  const mesh::Beside& beside = beside_[leaf][axis][side];
  const kernels::Variables<double> own = kept(leaf, axis, side);
  std::array<double, kernels::variables * 256> numbers{};  // of the sides of 16^2 faces
  const kernels::Variables<double> theirs{numbers.data(), shape.lanes()};
  for (std::size_t part = 0; part < beside.count; ++part) {
    const kernels::Variables<double> fine = kept(beside.leaves[part], axis, 1 - side);
    average_fluxes(shape, {fine.first, fine.next}, part, theirs);
  }
  const double share = (stage == Stage::first ? 1.0 : 0.5) * dt * gas_at(leaf).scale[axis];
  const double sign = side == 0 ? share : -share;
  const kernels::Variables<double> out = after(stage, leaf);
  const std::size_t layer = side == 0 ? 0 : (shape.cells - 1) * shape.next;
  for (std::size_t k = 0; k < kernels::variables; ++k) {
    for (std::size_t slow = 0; slow < shape.across[1]; ++slow) {
      for (std::size_t fast = 0; fast < shape.across[0]; ++fast) {
        const std::size_t lane = fast + slow * shape.across[0];
        out.of(k)[layer + fast * shape.next_across[0] + slow * shape.next_across[1]] +=
            sign * (theirs.of(k)[lane] - own.of(k)[lane]);
      }
    }
  }
}

kernels::Variables<const double> Step::before(Stage stage, std::size_t leaf) const {
  const SubGrids& grids = grids_;
  return stage == Stage::first ? grids.now(leaf) : grids.between(leaf);
}

kernels::Gas Step::gas_at(std::size_t leaf) const { return gas_of_level(parameters_, tree_.leaf(leaf).level); }

void Step::advance(Stage stage, std::size_t leaf, double dt, Scratch& scratch) {
  const kernels::Variables<const double> U = before(stage, leaf);
  const kernels::Gas gas = gas_at(leaf);
  loops_.to_primitive(gas.gamma, grids_.cells(), U, scratch.primitive);
  for (const PencilShape& shape : shapes_) {
    fill_pencils(stage, leaf, shape.axis, scratch);
    loops_.sweep(gas.gamma, parameters_.limiter, parameters_.riemann,
                 {.cells = shape.cells,
                  .lanes = shape.lanes(),
                  .axis = shape.axis,
                  .scale = gas.scale[shape.axis],
                  .primitive = {scratch.pencils.first, scratch.pencils.next},
                  .rate = scratch.pencil_rate,
                  .low = kept(leaf, shape.axis, 0),
                  .high = kept(leaf, shape.axis, 1)});
    put_layers(shape, {scratch.pencil_rate.first, scratch.pencil_rate.next}, shape.axis == 0 ? Mode::set : Mode::add,
               scratch.rate);
  }
  const kernels::Variables<double> out = after(stage, leaf);
  loops_.update(stage, {.cells = grids_.cells(),
                        .U = U,
                        .base = {out.first, out.next},
                        .rate = {scratch.rate.first, scratch.rate.next},
                        .out = out,
                        .dt = dt});
  conditions_[stage == Stage::first ? 0 : 1][leaf] = loops_.look_at(gas, grids_.cells(), {out.first, out.next});
}

/// Own cells, and two layers of those beside them.
void Step::fill_pencils(Stage stage, std::size_t leaf, std::size_t axis, Scratch& scratch) const {
  const PencilShape& shape = shapes_[axis];
  const kernels::Variables<double>& pencils = scratch.pencils;
  const auto from_layer = [&](std::size_t layer) {
    return kernels::Variables<double>{pencils.first + layer * shape.lanes(), pencils.next};
  };
  take_layers(shape, {scratch.primitive.first, scratch.primitive.next}, 0, shape.cells, from_layer(ghosts));
  for (const mesh::Side side : both_sides) {
    const bool is_low = side == mesh::Side::low;
    const mesh::Beside& beside = beside_[leaf][axis][place_of(side)];
    if (beside.relation == mesh::Beside::Relation::outside) {
      fill_outside(shape, side, parameters_.domain.sides[axis][place_of(side)], pencils);
      continue;
    }
    if (beside.relation == mesh::Beside::Relation::alike) {
      take_layers(shape, before(stage, beside.leaves[0]), is_low ? shape.cells - ghosts : 0, ghosts, scratch.layers);
    } else {
      levels_.take_beyond(shape, leaf, side, {grids_, stage == Stage::second}, scratch.layers);
    }
    loops_.to_primitive(parameters_.gamma, ghosts * shape.lanes(), {scratch.layers.first, scratch.layers.next},
                        from_layer(is_low ? 0 : ghosts + shape.cells));
  }
}

void Step::look() {
  const SubGrids& grids = grids_;
  tasks::parallel_for(scheduler_, 0, tree_.size(), [&](std::size_t leaf) {
    conditions_[0][leaf] = {};
    conditions_[1][leaf] = loops_.look_at(gas_at(leaf), grids.cells(), grids.now(leaf));
  });
}

double Step::fastest() const {
  double most = 0.0;
  for (const kernels::Condition& condition : conditions_[1]) most = std::max(most, condition.fastest);
  return most;
}

std::optional<Step::Flaw> Step::flaw() const {
  for (const Stage stage : {Stage::first, Stage::second}) {
    const auto& conditions = conditions_[stage == Stage::first ? 0 : 1];
    const auto found = std::ranges::find(conditions, false, &kernels::Condition::is_valid);
    if (found != conditions.end()) return Flaw{static_cast<std::size_t>(found - conditions.begin()), stage};
  }
  return std::nullopt;
}

}  // namespace tacit::amr
