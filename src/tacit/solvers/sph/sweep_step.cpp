// The tasks that visit each pair of particles once, in the graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/solvers/sph/step.hpp"
#include "tacit/solvers/sph/sweep_tasks.hpp"

namespace tacit::sph {
namespace {

using tasks::commutes;
using tasks::reads;
using tasks::StepContext;
using tasks::TaskOptions;
using tasks::writes;

TaskOptions options(std::size_t c, double cost) { return {.cost = 1.0 + cost, .key = static_cast<std::uint32_t>(c)}; }
double particles_of(const StepData& data, std::size_t c) { return static_cast<double>(data.grid.range(c).count); }

void add_packing(tasks::Graph& graph, const StepData& data) {
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    const SweptCell& swept = data.swept->cells()[c];
    const CellData& cell = data.cells[c];
    graph.add(
        "pack", reads(cell.motion) + writes(cell.hydro, swept.packed, swept.sums),
        [&data, c](StepContext& step) { pack_cell(data, c, step); }, options(c, 3.0 * particles_of(data, c)));
  }
}

/// A task for each cell: it sweeps over the cell, and over its pairs with all cells behind it in the order of cells.
/// One task for each pair would leave the caches of one cell for those of another all the time: a tenth of the speed.
void add_visits(tasks::Graph& graph, const StepData& data, SweepFor what, const char* name) {
  const auto cells = data.swept->cells();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::vector<tasks::DatumId> packed{cells[c].packed.id()};
    tasks::Accesses sums = commutes(cells[c].sums);
    double work = 10.0 * particles_of(data, c);
    for (const SweptPair& pair : data.swept->pairs(c)) {
      packed.push_back(cells[pair.far].packed.id());
      sums = std::move(sums) + commutes(cells[pair.far].sums);
      work += 2.0 * std::sqrt(particles_of(data, c) * particles_of(data, pair.far));
    }
    graph.add(
        name, tasks::reads_all(packed) + std::span<const tasks::Access>(sums),
        [&data, c, what](StepContext& step) { sweep_cell(data, c, what, step); }, options(c, work));
  }
}

/// What follows from a cell's densities; particles that must look again read their neighbours' places.
void add_density_ends(tasks::Graph& graph, const StepData& data) {
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    std::vector<tasks::DatumId> seen;
    for (const auto& neighbour : data.grid.neighbours(c)) {
      if (neighbour.within_own_reach) seen.push_back(data.cells[neighbour.cell].motion.id());
    }
    const CellData& cell = data.cells[c];
    const SweptCell& swept = data.swept->cells()[c];
    graph.add(
        "density end",
        reads(cell.motion, cell.integrated) + tasks::reads_all(seen) + writes(cell.hydro, swept.packed, swept.sums),
        [&data, c](StepContext& step) { finish_sweep(data, c, SweepFor::density, step); },
        options(c, 5.0 * particles_of(data, c)));
  }
}

void add_gradient_ends(tasks::Graph& graph, const StepData& data) {
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    const CellData& cell = data.cells[c];
    const SweptCell& swept = data.swept->cells()[c];
    graph.add(
        "gradient end",
        reads(cell.motion, cell.hydro, cell.integrated) + writes(cell.gradients, swept.packed, swept.sums),
        [&data, c](StepContext& step) { finish_sweep(data, c, SweepFor::gradient, step); },
        options(c, 3.0 * particles_of(data, c)));
  }
}

void add_force_ends(tasks::Graph& graph, const StepData& data) {
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    const CellData& cell = data.cells[c];
    tasks::Accesses accesses =
        reads(cell.motion, cell.hydro, cell.integrated) + writes(cell.forces, data.swept->cells()[c].sums);
    if (data.gravity != nullptr) accesses = std::move(accesses) + reads(cell.attraction);
    graph.add(
        "force end", accesses, [&data, c](StepContext& step) { finish_sweep(data, c, SweepFor::force, step); },
        options(c, 2.0 * particles_of(data, c)));
  }
}

}  // namespace

void add_sweeps(StepGraph& step, const StepData& data) {
  tasks::Graph& graph = step.graph;
  for (SweptCell& cell : data.swept->cells()) {
    cell.packed = graph.add_data<SweptView>();
    cell.sums = graph.add_data<float*>();
  }
  std::vector<const char*> names{"pack", "density sweep", "density end"};
  if (data.gravity != nullptr) names.insert(names.end(), {"multipole", "combine", "expand", "gravity"});
  add_packing(graph, data);
  add_visits(graph, data, SweepFor::density, "density sweep");
  add_density_ends(graph, data);
  if (data.physics.scheme == Scheme::sphenix) {
    names.insert(names.end(), {"gradient sweep", "gradient end"});
    add_visits(graph, data, SweepFor::gradient, "gradient sweep");
    add_gradient_ends(graph, data);
  }
  names.insert(names.end(), {"force sweep", "force end"});
  add_visits(graph, data, SweepFor::force, "force sweep");
  add_force_ends(graph, data);
  std::vector<tasks::TaskKind> kinds;
  for (const char* name : names) kinds.push_back(graph.kind(name));
  step.evaluate_pairs = graph.activate(kinds);
  kinds.push_back(graph.kind("drift"));
  step.advance_pairs = graph.activate(kinds);
}

}  // namespace tacit::sph
