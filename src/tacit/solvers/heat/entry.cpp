// The heat solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>

#include "tacit/solvers/heat/field_rows.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"
#include "tacit/solvers/heat/update_cost.hpp"

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
  const engine::UpdateCost rates = cost_of_rates(heat);
  if (heat.is_uniform()) {
    return stencil::predict(heat, rows, 0, fastest(uniform_diffusion(heat)), rates, parameters, ranks);
  }
  const std::size_t kept = 2 + heat.domain.dimensions;  // kappa, S and faces
  return stencil::predict(heat, rows, kept, {}, rates, parameters, ranks);
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{
      .name = "heat",
      .help = "diffusion of heat on a block grid",
      .tables = &key_tables,
      .make = &make_solver,
      .predict = &predict,
      .fields = [] { return std::span<const engine::FieldRow>(field_rows); },
      .coarser = [](const config::Parameters& parameters,
                    std::uint64_t quarters) { return stencil::coarser(parameters, "heat", quarters); }};
  return entry;
}

}  // namespace tacit::heat
