// The tasks of the particles' own gravity in the graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "tacit/solvers/sph/counted.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/field.hpp"
#include "tacit/solvers/sph/step.hpp"

namespace tacit::sph {
namespace {

using tasks::reads;
using tasks::StepContext;
using tasks::TaskOptions;
using tasks::writes;

TaskOptions options(std::size_t key, double cost) { return {.cost = cost, .key = static_cast<std::uint32_t>(key)}; }

double particles_of(const StepData& data, std::size_t c) { return static_cast<double>(data.grid.range(c).count); }

/// What a task that goes on with its parent's pairs reads: that is expanded when all multipoles are known.
tasks::DatumId from_above(const GravityField& field, const GravityNode& node) {
  return node.parent == GravityNode::none ? field.multipoles[0] : field.locals[node.parent];
}

void add_data(tasks::Graph& graph, const StepData& data) {
  GravityField& field = *data.gravity;
  for (CellData& cell : data.cells) cell.attraction = graph.add_data<Attraction>();
  const std::size_t nodes = field.tree().nodes().size();
  field.multipoles.resize(nodes);
  field.locals.resize(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    field.multipoles[node] = graph.add_datum();
    field.locals[node] = graph.add_datum();
  }
}

void add_multipoles(StepGraph& step, const StepData& data) {
  GravityField& field = *data.gravity;
  const tasks::TaskKind kind = step.graph.kind("multipole");
  for (std::size_t c = 0; c < data.grid.cells(); ++c) {
    const CellData& cell = data.cells[c];
    step.multipoles.push_back(
        step.graph.add(kind,
                       reads(cell.motion, cell.integrated, cell.attraction) +
                           writes(field.multipoles[field.tree().node_of_leaf(data.grid.leaf(c))]),
                       counted(data, c, CellCost::multipole,
                               [](const StepData& all, std::size_t cell_number, const StepContext& context) {
                                 all.gravity->find_multipole(all, cell_number, context);
                               }),
                       options(c, 1.0 + 3.0 * particles_of(data, c))));
  }
}

/// Children before their parents.
void add_combinations(StepGraph& step, const StepData& data) {
  GravityField& field = *data.gravity;
  const tasks::TaskKind kind = step.graph.kind("combine");
  const auto nodes = field.tree().nodes();
  for (std::size_t node = nodes.size(); node-- > 0;) {
    if (nodes[node].is_cell()) continue;
    std::vector<tasks::DatumId> parts;
    for (std::uint32_t k = 0; k < nodes[node].children; ++k) {
      parts.push_back(field.multipoles[nodes[node].first_child + k]);
    }
    step.multipoles.push_back(step.graph.add(
        kind, tasks::reads_all(parts) + writes(field.multipoles[node]),
        [&data, node](StepContext& /*context*/) { data.gravity->combine(node); }, options(node, 10.0)));
  }
}

/// Shape (nodes): 1 for those that are no cells and hold any of this rank.
std::vector<std::uint8_t> nodes_above(const StepData& data) {
  const GravityTree& tree = data.gravity->tree();
  std::vector<std::uint8_t> has_own(tree.nodes().size(), 0);
  for (std::size_t c = 0; c < data.grid.cells(); ++c) {
    std::uint32_t above = tree.nodes()[tree.node_of_leaf(data.grid.leaf(c))].parent;
    while (above != GravityNode::none && has_own[above] == 0) {
      has_own[above] = 1;
      above = tree.nodes()[above].parent;
    }
  }
  return has_own;
}

/// Of nodes that hold cells of this rank, parents first.
void add_expansions(StepGraph& step, const StepData& data) {
  GravityField& field = *data.gravity;
  const tasks::TaskKind kind = step.graph.kind("expand");
  const auto nodes = field.tree().nodes();
  step.expansions.assign(nodes.size(), tasks::TaskId::none);
  const std::vector<std::uint8_t> has_own = nodes_above(data);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (has_own[node] == 0) continue;
    step.expansions[node] = step.graph.add(
        kind, reads(from_above(field, nodes[node])) + writes(field.locals[node]),
        [&data, node](StepContext& context) { data.gravity->expand(node, context.worker()); }, options(node, 300.0));
  }
}

void add_attractions(StepGraph& step, const StepData& data) {
  GravityField& field = *data.gravity;
  const tasks::TaskKind kind = step.graph.kind("gravity");
  for (std::size_t c = 0; c < data.grid.cells(); ++c) {
    const CellData& cell = data.cells[c];
    const GravityNode& node = field.tree().nodes()[field.tree().node_of_leaf(data.grid.leaf(c))];
    tasks::Accesses accesses = reads(cell.motion, cell.integrated, from_above(field, node)) + writes(cell.attraction);
    if (field.copies != nullptr) accesses = std::move(accesses) + reads(field.copies->arrived());
    step.attractions_of.push_back(
        step.graph.add(kind, accesses,
                       counted(data, c, CellCost::gravity,
                               [](const StepData& all, std::size_t cell_number, const StepContext& context) {
                                 all.gravity->attract(all, cell_number, context);
                               }),
                       options(c, 1.0 + 300.0 * particles_of(data, c))));
  }
}

}  // namespace

void add_gravity(StepGraph& step, const StepData& data) {
  add_data(step.graph, data);
  add_multipoles(step, data);
  GravityCopies* const copies = data.gravity->copies;
  const auto append = [&step](const std::vector<tasks::TaskId>& messages) {
    step.multipoles.insert(step.multipoles.end(), messages.begin(), messages.end());
  };
  if (copies != nullptr) append(copies->add_multipoles(step.graph, data));
  add_combinations(step, data);
  if (copies != nullptr) append(copies->add_bodies(step.graph, data));
  add_expansions(step, data);
  add_attractions(step, data);
}

/// All multipoles, from all particles where they are then; and of expansions those of the nodes above.
void StepGraph::choose_gravity(const StepData& data, std::span<const std::uint32_t> cells, bool is_drifting) {
  if (is_drifting) {
    for (std::size_t c = 0; c < drifts.size(); ++c) {
      if (is_drifted[c] == 0) chosen.push_back(drifts[c]);
    }
  }
  chosen.insert(chosen.end(), multipoles.begin(), multipoles.end());
  const GravityTree& tree = data.gravity->tree();
  is_expanded.assign(tree.nodes().size(), 0);
  for (const std::uint32_t c : cells) {
    chosen.push_back(attractions_of[c]);
    std::uint32_t above = tree.nodes()[tree.node_of_leaf(data.grid.leaf(c))].parent;
    while (above != GravityNode::none && is_expanded[above] == 0) {
      is_expanded[above] = 1;
      chosen.push_back(expansions[above]);
      above = tree.nodes()[above].parent;
    }
  }
}

}  // namespace tacit::sph
