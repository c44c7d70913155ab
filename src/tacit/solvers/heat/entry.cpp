// The heat solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>

#include "tacit/solvers/heat/field_rows.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"

namespace tacit::heat {
namespace {

std::unique_ptr<engine::Solver> make_solver(const config::Parameters& parameters, const engine::Resources& resources,
                                            const io::FileReader* restart) {
  const HeatParameters heat = read_parameters(parameters);
  heat.require_ranks(resources.ranks.size(), parameters);
  return std::make_unique<HeatSolver>(heat, resources, restart);
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t ranks) {
  const HeatParameters heat = read_parameters(parameters);
  const auto rows = rows_of(heat.initial);
  if (heat.is_uniform()) return stencil::predict(heat, rows, 0, fastest(uniform_diffusion(heat)), parameters, ranks);
  return stencil::predict(heat, rows, 2 + heat.domain.dimensions, {}, parameters, ranks);  // kappa, S and faces
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{.name = "heat",
                                             .help = "diffusion of heat on a block grid",
                                             .tables = &key_tables,
                                             .make = &make_solver,
                                             .predict = &predict,
                                             .fields = [] { return std::span<const engine::FieldRow>(field_rows); }};
  return entry;
}

}  // namespace tacit::heat
