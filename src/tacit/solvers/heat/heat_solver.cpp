// What the engine asks of the heat solver, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/heat_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::heat {

HeatSolver::HeatSolver(const HeatParameters& parameters, const engine::Resources& resources,
                       const io::FileReader* checkpoint)
    : parameters_(parameters),
      resources_(resources),
      grid_(make_grid(parameters.domain, resources.ranks.size(), resources.ranks.rank())),
      fields_(make_fields(parameters_, grid_)),
      log_(resources.log == nullptr ? std::nullopt
                                    : std::optional<BlockLog>(std::in_place, *resources.log, grid_, fields_.T)),
      step_(parameters_, grid_, fields_, resources, log_ ? &*log_ : nullptr),
      statistics_(parameters_, grid_, resources),
      origin_{.input = parameters.initial.from, .checksum = parameters.initial.checksum},
      time_(parameters.begin) {
  parameters_.initial.release();
  if (checkpoint != nullptr) load(*checkpoint);
  step_.mirror();
  const double rate = 4.0 * statistics_.largest(fastest(parameters_, grid_, fields_));
  longest_ = kernels::stable_limit(parameters_.stages) / rate;
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

/// Tolerances of the log are parts of the range of temperatures with which it began, which checkpoints keep.
void HeatSolver::begin_log(double time, std::uint64_t step, const io::LogReader* before) {
  if (before != nullptr) {
    log_->find_in(*before);
    return;
  }
  log_->set_scale(measured().largest - measured().least);
  log_->write_all(time, step);
}

const Measured& HeatSolver::measured() const {
  if (!measured_) measured_ = statistics_.measure(fields_, time_);
  return *measured_;
}

std::optional<engine::Flaw> HeatSolver::not_finite() const {
  if (statistics_.is_finite(fields_)) return std::nullopt;
  return engine::find_not_finite(conserved().quantities);  // says of what
}

engine::Conserved HeatSolver::conserved() const {
  const Measured& now = measured();
  const double size = std::max(std::abs(now.least), std::abs(now.largest));
  return {.quantities = {{.name = "heat",
                          .value = {now.heat},
                          .scale = size * static_cast<double>(elements()) * parameters_.domain.volume(),
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
