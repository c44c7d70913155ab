// What the engine asks of the heat solver, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/heat_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/mesh/field_place.hpp"
#include "tacit/solvers/heat/field_rows.hpp"

namespace tacit::heat {

HeatSolver::HeatSolver(const HeatParameters& parameters, const engine::Resources& resources,
                       const io::FileReader* checkpoint)
    : parameters_(parameters),
      grid_(mesh::grid_with_sides(parameters.domain.grid(), resources.ranks.size(), resources.ranks.rank())),
      fields_(make_fields(parameters_, grid_)),
      table_(mesh::field_place(grid_), rows_of(parameters_.initial), "Heat", resources),
      step_(grid_, staged_fields(parameters_, grid_, fields_), resources.scheduler, resources.ranks),
      statistics_(parameters_, grid_, resources),
      origin_{.input = parameters.initial.from, .checksum = parameters.initial.checksum},
      time_(parameters.begin) {
  parameters_.initial.release();
  fill_table();
  if (checkpoint != nullptr) table_.load(*checkpoint);
  step_.fill_sides();
  const double rate = 4.0 * statistics_.largest(fastest(parameters_, grid_, fields_));
  longest_ = mesh::stable_limit(parameters_.stages) / rate;
}

double HeatSolver::time_step() const {
  if (!parameters_.dt) return parameters_.cfl * longest_;
  if (const auto why = refusal(*parameters_.dt, longest_)) throw engine::NumericsError(*why);
  return *parameters_.dt;
}

std::optional<std::string> HeatSolver::refusal(double dt, double longest) {
  if (!(dt > longest)) return {};
  return fmt::format(
      "heat.dt = {:.4g} is too long: no step beyond {:.4g} is stable; take heat.cfl, or heat.scheme = "
      "\"rkl2\" with more stages",
      dt, longest);
}

void HeatSolver::step(const tasks::StepContext& step) {
  measured_.reset();
  step_.run(step);
  time_ = step.time + step.dt;
}

const Measured& HeatSolver::measured() const {
  if (!measured_) measured_ = statistics_.measure(fields_, time_);
  return *measured_;
}

engine::Conserved HeatSolver::conserved() const {
  const Measured& now = measured();
  const double size = std::max(std::abs(now.least), std::abs(now.largest));
  return {.quantities = {{.name = "heat",
                          .value = {now.heat},
                          .scale = size * static_cast<double>(parameters_.domain.size()) * parameters_.domain.volume(),
                          .is_kept = parameters_.keeps_heat()}}};
}

std::vector<engine::Statistic> HeatSolver::statistics() const {
  const Measured& now = measured();
  std::vector<engine::Statistic> result{{"mean", now.mean}, {"least", now.least}, {"largest", now.largest}};
  if (parameters_.domain.has(Wall::fixed)) {
    result.push_back({"inflow_low", now.flow[0]});
    result.push_back({"inflow_high", now.flow[1]});
  }
  if (parameters_.initial.exact) {
    result.push_back({"error", now.rms_error});
    result.push_back({"largest_error", now.largest_error});
  }
  return result;
}

}  // namespace tacit::heat
