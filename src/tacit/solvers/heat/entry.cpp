// The heat solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
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

/// As a run does, which finds where a formula gives no number: in each cell, if there are not too many to look at.
void look_at_formulas(const config::Parameters& parameters, const HeatParameters& heat) {
  constexpr std::uint64_t most = 1U << 22U;
  if (parameters.text("initial.setup") != "formulas" || heat.domain.size() > most) return;
  const auto& n = heat.domain.cells;
  for (std::int64_t z = 0; z < n[2]; ++z) {
    for (std::int64_t y = 0; y < n[1]; ++y) {
      for (std::int64_t x = 0; x < n[0]; ++x) {
        for (const ByCell* field : {&heat.initial.temperature, &heat.initial.diffusivity, &heat.initial.source}) {
          if (*field) static_cast<void>((*field)({x, y, z}));
        }
      }
    }
  }
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t ranks) {
  const HeatParameters heat = read_parameters(parameters);
  look_at_formulas(parameters, heat);
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
