// Builds the task graph of one step, nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/step.hpp"

#include <array>

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

void add_kick_drift(tasks::Graph& graph, const StepData& data, std::size_t c) {
  CellData& cell = data.cells[c];
  graph.add(
      "kick_drift", reads(cell.forces) + writes(cell.motion, cell.integrated, cell.hydro),
      [&cell, &domain = data.grid.domain()](StepContext& step) {
        kick_and_drift(step.write(cell.motion), step.write(cell.integrated), step.write(cell.hydro),
                       step.read(cell.forces), step.dt, domain.dimension);
        if (domain.mirrored) reflect(step.write(cell.motion), step.write(cell.integrated), domain);
      },
      options(data, c, 1.0));
}

/// Fills the worker's cache with all particles that may lie within `radius` of the cell's particles.
kernels::NeighbourCache& collect_motion(const StepData& data, std::size_t c, double radius, StepContext& step) {
  auto& cache = data.scratch[step.worker()];
  cache.size = 0;
  const kernels::Box box = bounding_box(step.read(data.cells[c].motion));
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!neighbour.within_own_reach) continue;
    append_motion(cache, step.read(data.cells[neighbour.cell].motion), data.grid.view(neighbour), box, radius);
  }
  return cache;
}

/// Looks no further than a little beyond the present smoothing lengths, and only if one grew more than that, as far as
/// the list of neighbours serves.
void run_density(const StepData& data, DensityFunction density, std::size_t c, StepContext& step) {
  constexpr double margin = 1.1;
  const Motion& motion = step.read(data.cells[c].motion);
  const Hydro& hydro = step.write(data.cells[c].hydro);
  if (motion.x.empty()) return;
  const double near = std::min(margin * data.physics.kernel_gamma * largest_h(hydro), data.reach[c]);
  density(collect_motion(data, c, near, step), motion, hydro, data.physics, near, data.reports[c]);
  if (data.reports[c].out_of_reach && near < data.reach[c]) {
    density(collect_motion(data, c, data.reach[c], step), motion, hydro, data.physics, data.reach[c], data.reports[c]);
  }
}

/// Reads only the neighbours within the cell's own reach: those whose particles may lie in its kernels.
void add_density(tasks::Graph& graph, const StepData& data, DensityFunction density, std::size_t c) {
  std::vector<tasks::DatumId> seen;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (neighbour.within_own_reach) seen.push_back(data.cells[neighbour.cell].motion.id());
  }
  graph.add(
      "density", reads(data.cells[c].motion) + tasks::reads_all(seen) + writes(data.cells[c].hydro),
      [data, density, c](StepContext& step) { run_density(data, density, c, step); }, options(data, c, 300.0));
}

/// Looks as far as the cell's own kernels reach, and further at particles whose kernels reach back.
void run_force(const StepData& data, ForceFunction force, std::size_t c, StepContext& step) {
  const Motion& motion = step.read(data.cells[c].motion);
  const Hydro& hydro = step.read(data.cells[c].hydro);
  if (motion.x.empty()) return;
  auto& cache = data.scratch[step.worker()];
  cache.size = 0;
  const kernels::Box box = bounding_box(motion);
  const double support = data.physics.kernel_gamma;
  const double radius = support * largest_h(hydro);
  for (const auto& neighbour : data.grid.neighbours(c)) {
    const CellData& other = data.cells[neighbour.cell];
    append_motion_and_hydro(cache, step.read(other.motion), step.read(other.hydro), data.grid.view(neighbour), box,
                            radius, support);
  }
  force(cache, motion, hydro, step.write(data.cells[c].forces), data.physics, data.reports[c]);
  if (data.physics.sources.empty()) return;
  add_sources(motion, step.read(data.cells[c].integrated), hydro, step.write(data.cells[c].forces), data.physics,
              step.time + step.dt, data.source_scratch[step.worker()], data.reports[c]);
}

void add_force(tasks::Graph& graph, const StepData& data, ForceFunction force, std::size_t c) {
  CellData& cell = data.cells[c];
  std::vector<tasks::DatumId> seen;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    seen.push_back(data.cells[neighbour.cell].motion.id());
    seen.push_back(data.cells[neighbour.cell].hydro.id());
  }
  graph.add(
      "force", reads(cell.motion, cell.hydro, cell.integrated) + tasks::reads_all(seen) + writes(cell.forces),
      [data, force, c](StepContext& step) { run_force(data, force, c, step); }, options(data, c, 300.0));
}

void add_kick(tasks::Graph& graph, const StepData& data, std::size_t c) {
  CellData& cell = data.cells[c];
  CellReport& report = data.reports[c];
  graph.add(
      "kick", reads(cell.motion, cell.forces) + writes(cell.integrated),
      [&cell, &report](StepContext& step) {
        kick(step.read(cell.motion), step.write(cell.integrated), step.read(cell.forces), step.dt, report);
      },
      options(data, c, 1.0));
}

}  // namespace

StepGraph build_step(const StepData& data, tasks::Conflicts conflicts) {
  const CellFunctions functions = cell_functions(data.physics.kernel, data.physics.dimension);
  StepGraph step;
  step.graph = tasks::Graph(conflicts);
  for (CellData& cell : data.cells) {
    cell.motion = step.graph.add_data<Motion>();
    cell.integrated = step.graph.add_data<Integrated>();
    cell.hydro = step.graph.add_data<Hydro>();
    cell.forces = step.graph.add_data<Forces>();
  }
  const std::size_t cells = data.cells.size();
  for (std::size_t c = 0; c < cells; ++c) add_kick_drift(step.graph, data, c);
  for (std::size_t c = 0; c < cells; ++c) add_density(step.graph, data, functions.density, c);
  for (std::size_t c = 0; c < cells; ++c) add_force(step.graph, data, functions.force, c);
  for (std::size_t c = 0; c < cells; ++c) add_kick(step.graph, data, c);

  const auto part = [&graph = step.graph](std::initializer_list<const char*> names) {
    std::vector<tasks::TaskKind> kinds;
    for (const char* name : names) kinds.push_back(graph.kind(name));
    return graph.activate(kinds);
  };
  step.drift = part({"kick_drift"});
  step.densities = part({"density"});
  step.evaluate = part({"density", "force"});
  step.advance = part({"kick_drift", "density", "force"});
  step.close = part({"kick"});
  return step;
}

}  // namespace tacit::sph
