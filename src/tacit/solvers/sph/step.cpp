// Builds the task graph of one step, nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/step.hpp"

#include <algorithm>
#include <array>

#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/log_task.hpp"
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

/// From the time of the cell's positions to the end of the step.
double drift_time(const StepData& data, std::size_t c, const StepContext& step) {
  if (data.clock.is_common) return step.dt;
  return data.clock.line.span(data.clock.now - data.reports[c].drifted_to);
}

void run_drift(const StepData& data, std::size_t c, const StepContext& step) {
  // Twice in a step would predict from the forces at its end, where densities had to be computed again.
  if (!data.clock.is_common && data.reports[c].drifted_to == data.clock.now) return;
  const CellData& cell = data.cells[c];
  const Motion& motion = step.write(cell.motion);
  const Integrated& state = step.write(cell.integrated);
  const Hydro& hydro = step.write(cell.hydro);
  const Forces& forces = step.write(cell.forces);
  const auto& loops = data.loops.kernels().drift;
  const Drift how{drift_time(data, c, step), data.clock, !data.are_all_active(c), loops.drift};
  drift(motion, state, hydro, forces, data.physics, how, data.scratch[step.worker()].drift);
  if (data.grid.domain().mirrored) reflect(motion, state, forces, data.grid.domain());
  data.bounds[c] = bound_groups(motion, hydro, loops.bound);
  data.reports[c].drifted_to = data.clock.now;
}

tasks::TaskId add_drift(tasks::Graph& graph, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  return graph.add(
      "drift", writes(cell.motion, cell.integrated, cell.hydro, cell.forces),
      [&data, c](StepContext& step) { run_drift(data, c, step); }, options(data, c, 1.0));
}

/// Reads only the neighbours within the cell's own reach: those whose particles may lie in its kernels.
tasks::TaskId add_density(tasks::Graph& graph, const StepData& data, std::size_t c) {
  std::vector<tasks::DatumId> seen;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (neighbour.within_own_reach) seen.push_back(data.cells[neighbour.cell].motion.id());
  }
  const CellData& cell = data.cells[c];
  return graph.add(
      "density", reads(cell.motion, cell.integrated) + tasks::reads_all(seen) + writes(cell.hydro),
      [&data, c](StepContext& step) { compute_densities(data, c, step); }, options(data, c, 30.0));
}

/// Motion and density of all neighbours.
std::vector<tasks::DatumId> seen_by(const StepData& data, std::size_t c) {
  std::vector<tasks::DatumId> seen;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    seen.push_back(data.cells[neighbour.cell].motion.id());
    seen.push_back(data.cells[neighbour.cell].hydro.id());
  }
  return seen;
}

tasks::TaskId add_gradient(tasks::Graph& graph, const StepData& data, std::size_t c) {
  std::vector<tasks::DatumId> seen;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!neighbour.within_own_reach) continue;
    seen.push_back(data.cells[neighbour.cell].motion.id());
    seen.push_back(data.cells[neighbour.cell].hydro.id());
  }
  const CellData& cell = data.cells[c];
  return graph.add(
      "gradient", reads(cell.motion, cell.hydro, cell.integrated) + tasks::reads_all(seen) + writes(cell.gradients),
      [&data, c](StepContext& step) { compute_gradients(data, c, step); }, options(data, c, 20.0));
}

tasks::TaskId add_force(tasks::Graph& graph, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  std::vector<tasks::DatumId> seen = seen_by(data, c);
  for (const auto& neighbour : data.grid.neighbours(c)) seen.push_back(data.cells[neighbour.cell].gradients.id());
  return graph.add(
      "force", reads(cell.motion, cell.hydro, cell.integrated) + tasks::reads_all(seen) + writes(cell.forces),
      [&data, c](StepContext& step) { compute_forces(data, c, step); }, options(data, c, 30.0));
}

void run_kick(const StepData& data, std::size_t c, const StepContext& step) {
  if (!data.is_active(c)) return;
  const CellData& cell = data.cells[c];
  kick(step.write(cell.integrated), step.read(cell.motion), step.write(cell.hydro), step.write(cell.gradients),
       step.read(cell.forces), data.physics, data.clock, step.dt, data.reports[c]);
}

tasks::TaskId add_kick(tasks::Graph& graph, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  return graph.add(
      "kick", reads(cell.motion, cell.forces) + writes(cell.integrated, cell.hydro, cell.gradients),
      [&data, c](StepContext& step) { run_kick(data, c, step); }, options(data, c, 1.0));
}

tasks::TaskId add_log(tasks::Graph& graph, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  return graph.add(
      graph.kind("log", trace::Category::output),
      reads(cell.motion, cell.integrated, cell.hydro, cell.forces) + writes(cell.logged),
      [&data, c](StepContext& step) { log_particles(data, c, step); }, options(data, c, 0.5));
}

/// Around the particles that end their steps now, at places of some time since the lists were made.
kernels::Box box_of_active(const StepData& data, std::size_t c) {
  if (data.are_all_active(c)) return data.bounds[c].box;
  const StepContext no_task;  // no task runs
  const Motion& motion = no_task.read(data.cells[c].motion);
  Selection active;
  for_each_active(data.clock, no_task.read(data.cells[c].integrated).bin, [&](std::size_t i) {
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

tasks::TaskId add_limit(tasks::Graph& graph, const StepData& data, std::size_t c) {
  std::vector<tasks::DatumId> seen = seen_by(data, c);
  for (const auto& neighbour : data.grid.neighbours(c)) seen.push_back(data.cells[neighbour.cell].integrated.id());
  const CellData& cell = data.cells[c];
  return graph.add(
      "limit", reads(cell.motion, cell.hydro) + tasks::reads_all(seen) + writes(cell.limits),
      [&data, c](StepContext& step) { limit_bins(data, c, step); }, options(data, c, 1.0));
}

tasks::TaskId add_wake(tasks::Graph& graph, const StepData& data, std::size_t c) {
  const CellData& cell = data.cells[c];
  return graph.add(
      "wake", reads(cell.limits, cell.motion, cell.forces) + writes(cell.integrated),
      [&data, c](StepContext& step) { wake(data, c, step); }, options(data, c, 1.0));
}

/// Room for what is added, so that nothing is moved or left over.
void reserve(tasks::Graph& graph, const StepData& data) {
  const std::size_t cells = data.cells.size();
  std::size_t neighbours = 0;
  for (std::size_t c = 0; c < cells; ++c) neighbours += data.grid.neighbours(c).size();
  const std::size_t gradients = data.physics.scheme == Scheme::sphenix ? 1 : 0;
  const std::size_t limits = data.physics.has_individual_steps ? 1 : 0;
  const std::size_t logs = data.log != nullptr ? 1 : 0;
  // Per neighbour: density 1, gradient 2, force 3, limit 3; and the few of the cells themselves.
  graph.reserve((6 + logs) * cells, (4 + gradients + 2 * limits + logs) * cells,
                (4 + 2 * gradients + 3 * limits) * neighbours + (24 + 5 * logs) * cells);
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
}

}  // namespace

void StepGraph::choose_advance(const StepData& data, std::span<const std::uint32_t> cells, bool is_drifting) {
  chosen.clear();
  is_drifted.assign(data.cells.size(), is_drifting ? 0 : 1);
  for (const std::uint32_t c : cells) {
    const kernels::Box active = is_drifting ? box_of_active(data, c) : kernels::Box{};
    for (const auto& neighbour : data.grid.neighbours(c)) {
      if (is_drifted[neighbour.cell] != 0 || !may_see(data, c, active, neighbour)) continue;
      is_drifted[neighbour.cell] = 1;
      chosen.push_back(drifts[neighbour.cell]);
    }
    chosen.push_back(densities_of[c]);
    if (!gradients_of.empty()) chosen.push_back(gradients_of[c]);
    chosen.push_back(forces_of[c]);
  }
  graph.activate(chosen, part);
}

void StepGraph::choose_close(std::span<const std::uint32_t> cells) {
  chosen.clear();
  for (const std::uint32_t c : cells) {
    chosen.push_back(kicks[c]);
    if (!logs.empty()) chosen.push_back(logs[c]);
  }
  graph.activate(chosen, part);
}

void StepGraph::choose_limits(std::span<const std::uint32_t> cells) {
  chosen.clear();
  for (const std::uint32_t c : cells) {
    chosen.push_back(limits[c]);
    chosen.push_back(wakes[c]);
  }
  graph.activate(chosen, part);
}

StepGraph build_step(const StepData& data, tasks::Conflicts conflicts) {
  StepGraph step;
  step.graph = tasks::Graph(conflicts);
  reserve(step.graph, data);
  add_data(step, data);
  const auto add_all = [&](auto add) {
    std::vector<tasks::TaskId> ids(data.cells.size());
    for (std::size_t c = 0; c < ids.size(); ++c) ids[c] = add(step.graph, data, c);
    return ids;
  };
  step.drifts = add_all(add_drift);
  step.densities_of = add_all(add_density);
  const bool has_gradients = data.physics.scheme == Scheme::sphenix;
  if (has_gradients) step.gradients_of = add_all(add_gradient);
  step.forces_of = add_all(add_force);
  step.kicks = add_all(add_kick);
  if (data.log != nullptr) step.logs = add_all(add_log);
  if (data.physics.has_individual_steps) {
    step.limits = add_all(add_limit);
    step.wakes = add_all(add_wake);
  }
  const auto part = [&graph = step.graph](std::initializer_list<const char*> names) {
    std::vector<tasks::TaskKind> kinds;
    for (const char* name : names) kinds.push_back(graph.kind(name));
    return graph.activate(kinds);
  };
  step.drift = part({"drift"});
  step.densities = part({"density"});
  if (has_gradients) {
    step.evaluate = part({"density", "gradient", "force"});
    step.advance = part({"drift", "density", "gradient", "force"});
  } else {
    step.evaluate = part({"density", "force"});
    step.advance = part({"drift", "density", "force"});
  }
  step.close = part({"kick"});
  if (data.log != nullptr) {
    step.close =
        step.graph.activate(std::array{step.graph.kind("kick"), step.graph.kind("log", trace::Category::output)});
  }
  if (data.swept != nullptr) add_sweeps(step, data);
  return step;
}

}  // namespace tacit::sph
