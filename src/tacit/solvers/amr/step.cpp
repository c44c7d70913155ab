// Builds the task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/step.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

using kernels::Stage;

/// Of a sub-grid, in its own coordinates.
mesh::Box cells_of(const Domain& domain) {
  mesh::Box box{.begin = {}, .end = {1, 1, 1, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) box.end[axis] = static_cast<mesh::Index>(domain.cells_of_block(axis));
  return box;
}

}  // namespace

/// Each stage is a task per sub-grid, which writes its own cells only:
///
///     first stage (now of it and those beside it -> between) --> second stage (between of these -> now)
///
/// Of three stages the second leaves a state of its own, from which the third one goes on.
///
/// It fetches the ghost cells that it needs itself, out of the sub-grids beside it. The fluxes through a face between
/// two sub-grids are computed by both, from the same numbers by the same operations: so they are the same, and what
/// leaves one enters the other. Beside finer ones a further task follows, which replaces the fluxes by theirs:
///
///     first stage of it and of the finer ones --> correction (between of it) --> second stage
///
/// Of sub-grids of other ranks there are copies, which messages fill before each stage; fluxes of finer ones come in
/// messages of their own. Sub-grids that see none of other ranks wait for no message:
///
///     halo pack, post .. arrive, unpack (copies) --> first stage at the rim --> (first fluxes .. correction) --> halo
Step::Step(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
           const engine::Resources& resources)
    : parameters_(parameters),
      tree_(tree),
      grids_(grids),
      loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                        []<class Isa>(Isa) { return kernels::loops_of<Isa>(); })),
      scalar_loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                               []<class Isa>(Isa) { return kernels::scalar_loops_of<Isa>(); })),
      parabolic_loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                                  []<class Isa>(Isa) { return kernels::parabolic_loops_of<Isa>(); })),
      scheduler_(resources.scheduler),
      launch_slots_(parameters.launches, resources.scheduler),
      levels_(parameters.domain, parameters.gamma, tree),
      conditions_(stages_of(parameters.integrator).size()),
      costs_(parameters, resources),
      exchange_(resources.ranks) {
  const Domain& domain = parameters.domain;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) shapes_.emplace_back(domain, axis);
  const std::size_t polling = slots() != nullptr ? 1 : 0;
  for (std::size_t worker = 0; worker < scheduler_.workers() + polling; ++worker)
    scratch_.emplace_back(domain, parameters.fields);
  if (gpu::Slots* const slots = launch_slots_.slots()) {
    launch_kind_ = slots->kind("gas stage");
    launches_.emplace(parameters, shapes_);
  }
  if (parameters.gravity) gravity_.emplace(parameters, tree, grids, shapes_, costs_, resources);
  if (parameters.order == StepOrder::futures) futures_.emplace(*this, resources);
  rebuild();
}

void Step::rebuild() {
  const mesh::LeafRange& own = grids_.own();
  for (auto& of_stage : conditions_) of_stage.assign(own.size(), {});
  costs_.reset(own.size());
  balances_.assign(parameters_.is_open() ? own.size() : 0, {});
  if (parameters_.fields.has_internal_energy) jumps_.resize(own.size() * grids_.cells());
  beside_.resize(own.size());
  for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) {
    for (std::size_t axis = 0; axis < shapes_.size(); ++axis) {
      for (const mesh::Side side : both_sides)
        beside_[own_place(leaf)][axis][place_of(side)] = tree_.beside(leaf, axis, side);
    }
  }
  keep_fluxes();
  if (futures_) {
    futures_->rebuild();
    if (gravity_) gravity_->rebuild(beside_);
    return;
  }
  activations_.clear();  // they give back what they hold before others are made
  refresh_ = {};
  exchange_.clear();
  graph_ = tasks::Graph();
  add_data();
  std::vector<std::size_t> begins;
  for (const Stage stage : stages_of(parameters_.integrator)) {
    begins.push_back(graph_.size());
    add_stage(stage);
  }
  exchange_.connect();
  if (!is_timed_) exchange_.time_transfers();  // again for each tree it would take longer than it is worth
  is_timed_ = true;
  if (!gravity_) {
    activations_.push_back(graph_.activate_all());
    return;
  }
  std::vector<tasks::TaskId> tasks(graph_.size());
  for (std::size_t task = 0; task < tasks.size(); ++task) tasks[task] = static_cast<tasks::TaskId>(task);
  begins.push_back(tasks.size());
  for (std::size_t stage = 0; stage + 1 < begins.size(); ++stage)
    activations_.push_back(graph_.activate(std::span(tasks).subspan(begins[stage], begins[stage + 1] - begins[stage])));
  gravity_->rebuild(beside_);
}

/// With gravity all ranks meet behind each stage, as all cells act on all.
void Step::run(const tasks::StepContext& step) {
  std::ranges::fill(balances_, Balance{});
  if (gravity_) gravity_->drive(step.time, step.dt);
  const auto timed = [](double& seconds, const auto& work) {
    const base::Stopwatch watch;
    work();
    seconds += watch.seconds();
  };
  const std::span<const Stage> stages = stages_of(parameters_.integrator);
  if (!gravity_) {
    timed(times_.stages, [&] { run_stages(stages, 0, step); });
    return grids_.end_step();
  }
  timed(times_.stages, [&] { run_stages(stages.first(1), 0, step); });
  gravity_->begin();
  for (std::size_t stage = 1; stage < stages.size(); ++stage) {
    timed(times_.gravity, [&] { gravity_->solve(begin_of(stages[stage])); });
    timed(times_.stages, [&] { run_stages(stages.subspan(stage, 1), stage, step); });
  }
  grids_.end_step();
  timed(times_.gravity, [&] { gravity_->end(step.dt); });
  end_step();
  if (!parameters_.driving) return;
  for (std::size_t leaf = grids_.own().begin; leaf < grids_.own().end; ++leaf)
    note(leaf, gravity_->driven(leaf, step.dt));
}

/// @param part  of the step that these stages are: of its activations, where a graph has them
void Step::run_stages(std::span<const Stage> stages, std::size_t part, const tasks::StepContext& step) {
  if (futures_) {
    futures_->run(stages, step.dt);
  } else {
    scheduler_.run(graph_, activations_[part], step);
  }
}

void Step::note(std::size_t leaf, const Turned& added) {
  Balance& balance = balances_[own_place(leaf)];
  balance.added[1] += added.momentum_x;
  balance.added[2] += added.momentum_y;
  balance.added[4] += added.energy;
  balance.turned += added.angular_momentum;
}

void Step::turn_frame(double from, double by) {
  std::ranges::fill(balances_, Balance{});
  for (std::size_t leaf = grids_.own().begin; leaf < grids_.own().end; ++leaf)
    note(leaf, amr::turn_frame(from, by, parameters_.domain, tree_.leaf(leaf), grids_.cells(), grids_.now(leaf)));
}

void Step::add_data() {
  const mesh::LeafRange& own = grids_.own();
  const std::size_t stages = conditions_.size();
  graph_.reserve(stages * own.size(), stages * own.size(), stages * own.size() * (2 + 2 * shapes_.size()));
  std::vector<std::vector<tasks::DatumId>*> states{&now_, &between_};
  if (stages > 2) states.push_back(&later_);
  for (auto* data : states) data->clear();
  copies_.clear();
  for (std::size_t leaf = 0; leaf < own.size(); ++leaf) {
    for (auto* data : states) {
      data->push_back(graph_.add_datum());
      graph_.set_place(data->back(), static_cast<double>(leaf) / static_cast<double>(own.size()));
    }
  }
  for (std::size_t copy = 0; copy < grids_.copied().size(); ++copy) copies_.push_back(graph_.add_datum());
  passed_.assign(kept_.size(), tasks::DatumId::none);
  for (const auto* passed : {&to_pass_, &to_take_}) {
    for (const Passed& one : *passed) {
      tasks::DatumId& datum = passed_[held_place(one.leaf)];
      if (datum == tasks::DatumId::none) datum = graph_.add_datum();
    }
  }
}

std::size_t Step::held_place(std::size_t leaf) const noexcept {
  return grids_.own().contains(leaf) ? own_place(leaf) : grids_.own().size() + grids_.place_of_copy(leaf);
}

const std::vector<tasks::DatumId>& Step::data_of(Moment moment) const noexcept {
  if (moment == Moment::now) return now_;
  return moment == Moment::between ? between_ : later_;
}

/// Of what a stage begins with.
tasks::DatumId Step::before_datum(Stage stage, std::size_t leaf) const {
  if (!grids_.own().contains(leaf)) return copies_[grids_.place_of_copy(leaf)];
  return data_of(begin_of(stage))[own_place(leaf)];
}

std::vector<std::size_t> Step::seen_by(std::size_t leaf) const {
  std::vector<std::size_t> seen;
  const auto see = [&](std::size_t other) {
    if (other != leaf && std::ranges::find(seen, other) == seen.end()) seen.push_back(other);
  };
  for (std::size_t axis = 0; axis < shapes_.size(); ++axis) {
    for (const mesh::Beside& beside : beside_[own_place(leaf)][axis])
      std::for_each_n(beside.leaves.begin(), beside.count, see);
  }
  // Slopes in coarser cells look further around.
  if (is_beside(leaf, mesh::Beside::Relation::coarser)) std::ranges::for_each(tree_.touching(leaf), see);
  return seen;
}

/// Of a task that advances a sub-grid: itself, what it sees, and the fluxes that it passes to another rank.
tasks::Accesses Step::accesses_of(Stage stage, std::size_t leaf) const {
  const std::size_t place = own_place(leaf);
  tasks::Accesses accesses{{data_of(end_of(stage))[place], tasks::AccessMode::write},
                           {before_datum(stage, leaf), tasks::AccessMode::read}};
  for (const std::size_t other : seen_by(leaf))
    accesses.emplace_back(before_datum(stage, other), tasks::AccessMode::read);
  if (passed_[place] != tasks::DatumId::none) accesses.emplace_back(passed_[place], tasks::AccessMode::write);
  return accesses;
}

void Step::add_stage(Stage stage) {
  add_halo(stage);
  const mesh::LeafRange& own = grids_.own();
  const tasks::TaskKind kind = graph_.kind(std::array{"first stage", "second stage", "third stage"}[number_of(stage)]);
  for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) {
    if (launches_) {
      add_launching_task(kind, stage, leaf);
    } else {
      add_task(kind, stage, leaf);
    }
  }
  if (parameters_.border_fluxes == BorderFluxes::of_each) return;
  add_fluxes(stage);
  for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) {
    if (is_beside(leaf, mesh::Beside::Relation::finer)) add_correction(stage, leaf);
  }
}

void Step::add_task(tasks::TaskKind kind, Stage stage, std::size_t leaf) {
  const auto compute = [this, stage, leaf](tasks::StepContext& step) { this->compute(stage, leaf, step.dt); };
  graph_.add(kind, accesses_of(stage, leaf), compute, {.key = static_cast<std::uint32_t>(leaf)});
}

/// By the worker that calls it.
void Step::compute(Stage stage, std::size_t leaf, double dt) {
  costs_.count(own_place(leaf), [&] {
    advance(stage, leaf, dt, scratch_[tasks::Scheduler::current_worker()]);
    end_stage(stage, leaf, dt);
  });
}

/// What other ranks see of the sub-grids of this one before a stage, and the reverse: a message for each sub-grid, of
/// which small ones travel together.
void Step::add_halo(Stage stage) {
  const mesh::OctreeHalo& halo = grids_.share().halo;
  exchange::Messages messages;
  const auto message_of = [this](const mesh::SharedCells& part) {
    return exchange::Message{
        .peer = part.rank, .key = static_cast<std::uint32_t>(part.leaf), .count = count_of_cells(part)};
  };
  for (const mesh::SharedCells& part : halo.send) {
    messages.send<double>(
        message_of(part), tasks::reads(before_datum(stage, part.leaf)),
        [this, stage, part](tasks::StepContext& /*step*/, std::span<double> to) { pack_cells(stage, part, to); });
  }
  for (const mesh::SharedCells& part : halo.receive) {
    messages.receive<double>(
        message_of(part), tasks::writes(before_datum(stage, part.leaf)),
        [this, part](tasks::StepContext& /*step*/, std::span<const double> from) { unpack_cells(part, from); });
  }
  const std::vector<tasks::TaskId> tasks = exchange_.add(graph_, "halo", std::move(messages)).all();
  if (stage == Stage::first && !tasks.empty()) refresh_ = graph_.activate(tasks);
}

std::size_t Step::count_of_cells(const mesh::SharedCells& part) const {
  return grids_.fields_count() * part.cells.points();
}

void Step::pack_cells(Stage stage, const mesh::SharedCells& part, std::span<double> to) const {
  const mesh::Layout layout(cells_of(parameters_.domain));
  const kernels::Variables<const double> U = before(stage, part.leaf);
  for (std::size_t k = 0; k < grids_.fields_count(); ++k) {
    const std::span<const double> field(U.of(k), grids_.cells());
    to = to.subspan(mesh::pack<double>(layout, part.cells, field, to));
  }
}

void Step::unpack_cells(const mesh::SharedCells& part, std::span<const double> from) {
  const mesh::Layout layout(cells_of(parameters_.domain));
  const kernels::Variables<double> U = grids_.copy(part.leaf);
  for (std::size_t k = 0; k < grids_.fields_count(); ++k) {
    const std::span<double> field(U.of(k), grids_.cells());
    from = from.subspan(mesh::unpack<double>(layout, part.cells, field, from));
  }
}

bool Step::is_beside(std::size_t leaf, mesh::Beside::Relation relation) const {
  for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
    for (const mesh::Beside& beside : beside_[own_place(leaf)][axis]) {
      if (beside.relation == relation) return true;
    }
  }
  return false;
}

std::size_t Step::bytes_held() const noexcept {
  const auto bytes = [](const auto& numbers) { return numbers.capacity() * sizeof(numbers[0]); };
  std::size_t of_conditions = 0;
  for (const auto& of_stage : conditions_) of_conditions += bytes(of_stage);
  return bytes(beside_) + bytes(kept_) + bytes(fluxes_) + of_conditions + bytes(now_) + bytes(between_) +
         bytes(later_) + bytes(copies_) + bytes(jumps_) + bytes(balances_) + bytes(to_pass_) + bytes(to_take_) +
         bytes(passed_) + costs_.bytes_held() + exchange_.memory_bytes() + (gravity_ ? gravity_->bytes_held() : 0);
}

kernels::Variables<double> Step::after(Stage stage, std::size_t leaf) {
  if (is_last(stage)) return grids_.next(leaf);
  return stage == Stage::first ? grids_.between(leaf) : grids_.later(leaf);
}

kernels::Variables<const double> Step::before(Stage stage, std::size_t leaf) const {
  return StateView{grids_, begin_of(stage)}.of(leaf);
}

kernels::Gas Step::gas_at(std::size_t leaf) const { return gas_of_level(parameters_, tree_.leaf(leaf).level); }

}  // namespace tacit::amr
