// The tasks that visit each pair of particles once, in the graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <string>
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

/// Sweeps over all cells and pairs.
void add_visits(tasks::Graph& graph, const StepData& data, SweepFor what, const std::string& name) {
  const auto cells = data.swept->cells();
  const tasks::TaskKind self = graph.kind(name + " self");
  const tasks::TaskKind pairs = graph.kind(name + " pair");
  for (std::size_t c = 0; c < cells.size(); ++c) {
    graph.add(
        self, reads(cells[c].packed) + commutes(cells[c].sums),
        [&data, c, what](StepContext& step) { sweep_cell(data, c, what, step); },
        options(c, 10.0 * particles_of(data, c)));
  }
  for (const SweptPair& pair : data.swept->pairs()) {
    // Of a face the particles of some layers meet; of edges and corners fewer.
    const double met = std::sqrt(particles_of(data, pair.near) * particles_of(data, pair.far));
    graph.add(
        pairs,
        reads(cells[pair.near].packed, cells[pair.far].packed) + commutes(cells[pair.near].sums, cells[pair.far].sums),
        [&data, pair, what](StepContext& step) { sweep_pair(data, pair, what, step); }, options(pair.near, 2.0 * met));
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
    graph.add(
        "force end",
        reads(cell.motion, cell.hydro, cell.integrated) + writes(cell.forces, data.swept->cells()[c].sums),
        [&data, c](StepContext& step) { finish_sweep(data, c, SweepFor::force, step); },
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
  std::vector<const char*> names{"pack", "density self", "density pair", "density end"};
  add_packing(graph, data);
  add_visits(graph, data, SweepFor::density, "density");
  add_density_ends(graph, data);
  if (data.physics.scheme == Scheme::sphenix) {
    names.insert(names.end(), {"gradient self", "gradient pair", "gradient end"});
    add_visits(graph, data, SweepFor::gradient, "gradient");
    add_gradient_ends(graph, data);
  }
  names.insert(names.end(), {"force self", "force pair", "force end"});
  add_visits(graph, data, SweepFor::force, "force");
  add_force_ends(graph, data);
  std::vector<tasks::TaskKind> kinds;
  for (const char* name : names) kinds.push_back(graph.kind(name));
  step.evaluate_pairs = graph.activate(kinds);
  kinds.push_back(graph.kind("drift"));
  step.advance_pairs = graph.activate(kinds);
}

}  // namespace tacit::sph
