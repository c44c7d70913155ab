// Builds the task graph of one step, nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/step.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "tacit/particles/chunks.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/counted.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/log_task.hpp"
#include "tacit/tasks/batch.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::sph {
namespace {

using tasks::reads;
using tasks::StepContext;
using tasks::TaskOptions;
using tasks::writes;

TaskOptions options(const StepData& data, std::size_t c, double work_per_particle) {
  const double particles = static_cast<double>(data.grid.range(c).count);
  return {.cost = 1.0 + work_per_particle * particles, .key = static_cast<std::uint32_t>(c)};
}

void run_drift(const StepData& data, std::size_t c, const StepContext& step) {
  // Twice in a step would undo densities that have been computed since.
  if (!data.clock.is_common && data.reports[c].drifted_to == data.clock.now) return;
  const CellData& cell = data.cells[c];
  const Motion& motion = step.write(cell.motion);
  const Integrated& state = step.write(cell.integrated);
  const Hydro& hydro = step.write(cell.hydro);
  const Forces& forces = step.write(cell.forces);
  const auto& loops = data.loops.kernels().drift;
  const Drift how{step.dt, data.clock, !data.are_all_active(c), loops.drift};
  drift(motion, state, hydro, forces, data.physics, how, data.scratch[step.worker()].drift);
  const particles::Domain& domain = data.grid.domain();
  if (domain.mirrored && data.clock.is_common) reflect(motion, state, forces, domain);
  if (domain.mirrored && !data.clock.is_common) reflect_predicted(motion, domain);
  data.bounds[c] = bound_groups(motion, hydro, loops.bound);
  data.reports[c].drifted_to = data.clock.now;
}

void add_drift(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  batch.add(kind, writes(cell.motion, cell.integrated, cell.hydro, cell.forces),
            counted(data, c, CellCost::drift, run_drift), options(data, c, 1.0));
}

enum class Seen { within_own_reach, all };

/// Whether tasks of a cell look at another. Without a reach neither has gas, nor will have any as long as lists hold.
bool looks_at(const StepData& data, std::size_t c, std::size_t other) {
  return data.reach[c] > 0.0 || data.reach[other] > 0.0;
}

/// The accesses of a task of cell c, by datum: a graph takes these without looking further.
/// @param of_own    to the data of the cell itself
/// @param of_other  (CellData) -> to those of a neighbour
template <std::size_t N, class OfOther>
tasks::Accesses accesses(const StepData& data, std::size_t c, Seen seen, const tasks::AccessList<N>& of_own,
                         const OfOther& of_other) {
  tasks::Accesses all;
  all.reserve(N + of_other(data.cells[c]).size() * data.grid.neighbours(c).size());
  all.insert(all.end(), of_own.begin(), of_own.end());
  std::size_t last = c;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    const bool is_seen = seen == Seen::all || neighbour.within_own_reach;
    if (!is_seen || neighbour.cell == last || neighbour.cell == c) continue;  // images of a cell follow each other
    last = neighbour.cell;
    if (!looks_at(data, c, neighbour.cell)) continue;
    const auto more = of_other(data.cells[neighbour.cell]);
    all.insert(all.end(), more.begin(), more.end());
  }
  const auto by_datum = [](const tasks::Access& a, const tasks::Access& b) { return a.datum < b.datum; };
  std::ranges::sort(all, by_datum);
  return all;
}

/// Reads only the neighbours within the cell's own reach: those whose particles may lie in its kernels.
void add_density(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  auto touched = accesses(data, c, Seen::within_own_reach, reads(cell.motion, cell.integrated) + writes(cell.hydro),
                          [](const CellData& other) { return reads(other.motion); });
  // Behind the others, as all accesses are ordered by datum.
  if (data.check != nullptr) touched.push_back(reads(data.check->searched).items[0]);
  batch.add(kind, touched, counted(data, c, CellCost::density, compute_densities), options(data, c, 30.0));
}

void add_gradient(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  const auto touched = accesses(data, c, Seen::within_own_reach,
                                reads(cell.motion, cell.hydro, cell.integrated) + writes(cell.gradients),
                                [](const CellData& other) { return reads(other.motion, other.hydro); });
  batch.add(kind, touched, counted(data, c, CellCost::gradient, compute_gradients), options(data, c, 20.0));
}

void add_force(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  auto touched = accesses(data, c, Seen::all,
                          reads(cell.motion, cell.hydro, cell.integrated, cell.gradients) + writes(cell.forces),
                          [](const CellData& other) { return reads(other.motion, other.hydro, other.gradients); });
  // Behind the others, as all accesses are ordered by datum.
  if (data.gravity != nullptr) touched.push_back(reads(cell.attraction).items[0]);
  batch.add(kind, touched, counted(data, c, CellCost::force, compute_forces), options(data, c, 30.0));
}

/// What all ranks find together behind their last density task.
std::vector<tasks::TaskId> add_check(tasks::Graph& graph, const StepData& data) {
  if (data.check == nullptr) return {};
  const auto look = [&data](StepContext& /*step*/) { data.check->look(data.reports.first(data.grid.cells())); };
  // More than forces and kicks, so that others need not wait for it: it is on its way while these are computed.
  const double cost = 40.0 * data.fullest();
  return data.check->of_all.add(graph, "check reach", writes(data.check->searched, data.check->known), look, cost);
}

void run_kick(const StepData& data, std::size_t c, const StepContext& step) {
  if (!data.is_active(c) || (data.check != nullptr && !data.check->holds())) return;
  const CellData& cell = data.cells[c];
  kick(step.write(cell.integrated), step.read(cell.motion), step.write(cell.hydro), step.write(cell.gradients),
       step.read(cell.forces), data.physics, data.grid.domain(), data.clock, step.dt, data.reports[c]);
}

void add_kick(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  tasks::Accesses accesses = reads(cell.motion, cell.forces) + writes(cell.integrated, cell.hydro, cell.gradients);
  if (data.check != nullptr) accesses.push_back(reads(data.check->known).items[0]);
  batch.add(kind, accesses, counted(data, c, CellCost::kick, run_kick), options(data, c, 1.0));
}

void add_log(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  batch.add(
      kind, reads(cell.motion, cell.integrated, cell.hydro, cell.forces) + writes(cell.logged),
      [&data, c](StepContext& step) { log_particles(data, c, step); }, options(data, c, 0.5));
}

/// Around the particles that end their steps now, at places of some time since the lists were made.
kernels::Box box_of_active(const StepData& data, std::size_t c) {
  if (data.are_all_active(c)) return data.bounds[c].box;
  const Motion& motion = data.cells[c].motion.between_runs();
  Selection active;
  for_each_active(data.clock, data.cells[c].integrated.between_runs().bin, [&](std::size_t i) {
    const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
    active.add({at, at}, 0.0, 1);
  });
  return active.box;
}

/// Whether particles of the cell within the box may look at the neighbour, or be seen by it, as long as lists hold.
bool may_see(const StepData& data, std::size_t c, const kernels::Box& box, const particles::Neighbour& neighbour) {
  const std::size_t other = neighbour.cell;
  const double farthest = std::max(data.reach[c], data.reach[other]) + data.slack[c] + data.slack[other];
  return distance2(box, data.bounds[other].box, data.grid.view(neighbour)) < farthest * farthest;
}

void add_limit(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  const auto touched =
      accesses(data, c, Seen::all, reads(cell.motion, cell.hydro, cell.integrated) + writes(cell.limits),
               [](const CellData& other) { return reads(other.motion, other.hydro, other.integrated); });
  batch.add(kind, touched, counted(data, c, CellCost::limit, limit_bins), options(data, c, 1.0));
}

void add_wake(tasks::Batch& batch, tasks::TaskKind kind, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  batch.add(kind, reads(cell.limits, cell.motion, cell.hydro) + writes(cell.integrated, cell.forces),
            counted(data, c, CellCost::wake, wake), options(data, c, 1.0));
}

/// Room for what is added, so that nothing is moved or left over.
void reserve(tasks::Graph& graph, const StepData& data) {
  const std::size_t cells = data.grid.cells();
  std::size_t neighbours = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    neighbours += static_cast<std::size_t>(std::ranges::count_if(
        data.grid.neighbours(c), [&](const auto& neighbour) { return looks_at(data, c, neighbour.cell); }));
  }
  const std::size_t gradients = data.physics.scheme == Scheme::sphenix ? 1 : 0;
  const std::size_t limits = data.physics.has_individual_steps ? 1 : 0;
  const std::size_t logs = data.log != nullptr ? 1 : 0;
  // Per neighbour: density 1, gradient 2, force 3, limit 3; and the few of the cells themselves.
  graph.reserve((6 + logs) * cells, (4 + gradients + 2 * limits + logs) * cells,
                (4 + 2 * gradients + 3 * limits) * neighbours + (26 + 5 * logs) * cells);
}

void add_data(StepGraph& step, const StepData& data) {
  for (CellData& cell : data.cells) {
    cell.motion = step.graph.add_data<Motion>();
    cell.integrated = step.graph.add_data<Integrated>();
    cell.hydro = step.graph.add_data<Hydro>();
    cell.gradients = step.graph.add_data<Gradients>();
    cell.forces = step.graph.add_data<Forces>();
    cell.limits = step.graph.add_data<std::span<std::uint8_t>>();
    if (data.log != nullptr) cell.logged = step.graph.add_data<LastRecords*>();
  }
  if (data.check != nullptr) {
    data.check->searched = step.graph.add_datum();
    data.check->known = step.graph.add_datum();
  }
}

}  // namespace

double StepData::fullest() const {
  std::size_t most = 0;
  for (std::size_t c = 0; c < grid.cells(); ++c) most = std::max(most, grid.range(c).count);
  return static_cast<double>(most);
}

void StepGraph::choose_advance(const StepData& data, std::span<const std::uint32_t> cells, bool is_drifting) {
  chosen.clear();
  is_drifted.assign(data.cells.size(), is_drifting ? 0 : 1);
  for (const std::uint32_t c : cells) {
    const kernels::Box active = is_drifting ? box_of_active(data, c) : kernels::Box{};
    for (const auto& neighbour : data.grid.neighbours(c)) {
      if (neighbour.cell >= drifts.size() || is_drifted[neighbour.cell] != 0) continue;
      if (!may_see(data, c, active, neighbour)) continue;
      is_drifted[neighbour.cell] = 1;
      chosen.push_back(drifts[neighbour.cell]);
    }
    chosen.push_back(densities_of[c]);
    if (!gradients_of.empty()) chosen.push_back(gradients_of[c]);
    chosen.push_back(forces_of[c]);
    chosen.push_back(kicks[c]);
    if (!logs.empty()) chosen.push_back(logs[c]);
  }
  chosen.insert(chosen.end(), check.begin(), check.end());
  if (data.copies != nullptr) choose_messages(*data.copies, is_drifting);
  if (data.gravity != nullptr) choose_gravity(data, cells, is_drifting);
  graph.activate(chosen, part);
}

/// What other ranks see, and what this one does.
void StepGraph::choose_messages(CellCopies& copies, bool is_drifting) {
  using Phase = CellCopies::Phase;
  for (std::size_t c = 0; c < drifts.size(); ++c) {
    if (copies.is_chosen(c) && is_drifted[c] == 0) chosen.push_back(drifts[c]);
  }
  if (is_drifting) copies.append_chosen(Phase::motion, chosen);
  copies.append_chosen(Phase::hydro, chosen);
  copies.append_chosen(Phase::gradients, chosen);
  copies.append_chosen(Phase::bins, chosen);
}

void StepGraph::choose_limits(const StepData& data, std::span<const std::uint32_t> cells) {
  chosen.clear();
  if (data.copies != nullptr) data.copies->append_chosen(CellCopies::Phase::quick, chosen);
  for (const std::uint32_t c : cells) {
    chosen.push_back(limits[c]);
    chosen.push_back(wakes[c]);
  }
  graph.activate(chosen, part);
}

namespace {

/// The parts that run in every step, without those that were chosen. Each is made by one worker.
void make_parts(StepGraph& step, const CellCopies* copies, tasks::Scheduler* workers) {
  using Tasks = std::vector<tasks::TaskId>;
  using Phase = CellCopies::Phase;
  struct Part {
    tasks::Activation* part;
    std::vector<const Tasks*> lists;
  };
  const auto messages = [copies](Phase phase) { return copies != nullptr ? copies->all(phase) : Tasks{}; };
  // Where nothing is drifted, thermal variables may have been set.
  const Tasks motion = messages(Phase::motion);
  const Tasks hydro = messages(Phase::hydro);
  const Tasks gradients = messages(Phase::gradients);
  const Tasks bins = messages(Phase::bins);
  Tasks gravity = step.multipoles;
  std::ranges::copy_if(step.expansions, std::back_inserter(gravity),
                       [](tasks::TaskId task) { return task != tasks::TaskId::none; });
  gravity.insert(gravity.end(), step.attractions_of.begin(), step.attractions_of.end());
  // In halves that take about as long.
  const std::array parts{Part{&step.advance,
                              {&step.drifts, &gravity, &motion, &step.densities_of, &step.check, &hydro,
                               &step.gradients_of, &gradients, &step.forces_of, &step.kicks, &step.logs, &bins}},
                         Part{&step.close, {&step.kicks, &step.logs, &bins}},
                         Part{&step.drift, {&step.drifts}},
                         Part{&step.evaluate,
                              {&gravity, &motion, &step.densities_of, &step.check, &hydro, &step.gradients_of,
                               &gradients, &step.forces_of}},
                         Part{&step.densities, {&motion, &step.densities_of, &step.check}},
                         Part{&step.tell_bins, {&bins}},
                         Part{&step.attract, {&gravity}}};
  particles::for_parts(workers, parts.size(), [&](std::size_t first, std::size_t end) {
    for (const Part& part : std::span(parts).subspan(first, end - first)) {
      Tasks all;
      for (const Tasks* list : part.lists) all.insert(all.end(), list->begin(), list->end());
      *part.part = step.graph.activate(all);
    }
  });
}

/// Adds a task of each cell, prepared by all workers. @param add  (batch, kind, data, cell)
/// @return  shape (cells)
template <class Add>
std::vector<tasks::TaskId> add_all(tasks::Graph& graph, tasks::TaskKind kind, const StepData& data,
                                   tasks::Scheduler* workers, const Add& add) {
  constexpr std::size_t least_cells = 64;
  const particles::Chunks chunks(workers, data.grid.cells(), least_cells);
  std::vector<tasks::Batch> batches;
  for (std::size_t k = 0; k < chunks.count(); ++k) batches.emplace_back(graph);
  chunks.for_each([&](std::size_t k, std::size_t first, std::size_t end) {
    for (std::size_t c = first; c < end; ++c) add(batches[k], kind, data, c);
  });
  std::vector<tasks::TaskId> ids;
  ids.reserve(data.grid.cells());
  for (tasks::Batch& batch : batches) {
    const std::size_t size = batch.size();
    const auto first = static_cast<std::uint32_t>(graph.add(std::move(batch)));
    for (std::uint32_t k = 0; k < size; ++k) ids.push_back(static_cast<tasks::TaskId>(first + k));
  }
  return ids;
}

}  // namespace

StepGraph build_step(const StepData& data, tasks::Conflicts conflicts, tasks::Scheduler* workers) {
  StepGraph step;
  step.graph = tasks::Graph(conflicts);
  reserve(step.graph, data);
  add_data(step, data);
  const auto add = [&](const char* name, auto add_task) {
    return add_all(step.graph, step.graph.kind(name), data, workers, add_task);
  };
  step.drifts = add("drift", add_drift);
  if (data.copies != nullptr) data.copies->add_motion(step.graph, data);
  if (data.gravity != nullptr) add_gravity(step, data);
  step.densities_of = add("density", add_density);
  step.check = add_check(step.graph, data);
  if (data.copies != nullptr) data.copies->add_hydro(step.graph, data);
  if (data.physics.scheme == Scheme::sphenix) {
    step.gradients_of = add("gradient", add_gradient);
    if (data.copies != nullptr) data.copies->add_gradients(step.graph, data);
  }
  step.forces_of = add("force", add_force);
  step.kicks = add("kick", add_kick);
  if (data.log != nullptr) {
    step.logs = add_all(step.graph, step.graph.kind("log", trace::Category::output), data, workers, add_log);
  }
  if (data.physics.has_individual_steps) {
    if (data.copies != nullptr) {
      data.copies->add_bins(step.graph, data);
      data.copies->add_quick(step.graph, data);
    }
    step.limits = add("limit", add_limit);
    step.wakes = add("wake", add_wake);
  }
  make_parts(step, data.copies, workers);
  if (data.swept != nullptr) add_sweeps(step, data);
  return step;
}

}  // namespace tacit::sph
