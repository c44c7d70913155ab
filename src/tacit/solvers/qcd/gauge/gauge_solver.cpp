// What the engine asks of the gauge solver, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/gauge_solver.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/solvers/qcd/file_parts.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"

namespace tacit::qcd {
namespace {

GaugeField first_field(const GaugeParameters& parameters, const Division& division) {
  switch (parameters.start) {
    case Start::file:
      return read_gauge_file(parameters.file, division);
    case Start::hot:
      return hot_gauge_field(division.part(), parameters.seed);
    case Start::cold:
      break;
  }
  return GaugeField(division.part());
}

std::vector<std::string> quantities(const GaugeParameters& parameters) {
  std::vector<std::string> names{"plaquette", "spatial_plaquette", "temporal_plaquette", "polyakov_real",
                                 "polyakov_imaginary"};
  for (std::size_t r = 1; r <= parameters.loops[0]; ++r) {
    for (std::size_t t = 1; t <= parameters.loops[1]; ++t) names.push_back(fmt::format("wilson_{}x{}", r, t));
  }
  return names;
}

}  // namespace

GaugeSolver::GaugeSolver(const GaugeParameters& parameters, const engine::Resources& resources,
                         const io::FileReader* checkpoint)
    : parameters_(parameters),
      resources_(resources),
      file_checksum_(checksum_of_first(parameters.file, resources.ranks)),
      division_(parameters.extents, parameters.ranks, resources.ranks),
      field_(checkpoint == nullptr ? first_field(parameters, division_) : GaugeField(division_.part())),
      tasks_(field_, division_, resources.scheduler),
      sweeps_(tasks_, parameters.beta, parameters.seed),
      ensemble_(quantities(parameters)),
      flows_(parameters.flow, parameters.extents.sites()) {
  if (checkpoint != nullptr) {
    load(*checkpoint);
  } else {
    measure();
  }
}

void GaugeSolver::step(const tasks::StepContext& /*step*/) {
  sweeps_.heat_bath(field_, ++sweep_);
  for (std::uint64_t n = 0; n < parameters_.overrelaxations; ++n) sweeps_.overrelax(field_);
  measure();
}

/// Plaquettes and the Polyakov loop are in every line of statistics; the rest belongs to measurements.
void GaugeSolver::measure() {
  plaquettes_ = plaquettes(tasks_, field_);
  polyakov_ = polyakov_loop(tasks_, field_);
  const bool is_due = sweep_ > 0 && sweep_ >= parameters_.measures_from &&
                      (sweep_ - parameters_.measures_from) % parameters_.measures_every == 0;
  if (!is_due) return;
  std::vector<double> values{plaquettes_.mean(), plaquettes_.spatial, plaquettes_.temporal, polyakov_.real(),
                             polyakov_.imag()};
  if (parameters_.loops[0] > 0) {
    GaugeField smeared = field_;
    smear(tasks_, smeared, parameters_.smearing);
    const std::vector<double> loops = wilson_loops(tasks_, smeared, parameters_.loops[0], parameters_.loops[1]);
    values.insert(values.end(), loops.begin(), loops.end());
  }
  ensemble_.add(static_cast<double>(sweep_), values);
  if (parameters_.flow.end > 0.0 && (ensemble_.rows() - 1) % parameters_.flows_every == 0) measure_flow_of_field();
}

void GaugeSolver::measure_flow_of_field() {
  GaugeField flowing = field_;
  flows_.add(static_cast<double>(sweep_), flow(tasks_, flowing, parameters_.flow));
}

std::optional<engine::Flaw> GaugeSolver::not_finite() const {
  if (std::isfinite(plaquettes_.mean())) return std::nullopt;
  return engine::Flaw{.text = fmt::format("the mean plaquette is {}", plaquettes_.mean()), .field = "links"};
}

std::vector<engine::Statistic> GaugeSolver::statistics() const {
  return {{"plaquette", plaquettes_.mean()},
          {"spatial_plaquette", plaquettes_.spatial},
          {"temporal_plaquette", plaquettes_.temporal},
          {"polyakov_real", polyakov_.real()},
          {"polyakov_imaginary", polyakov_.imag()},
          {"measurements", static_cast<double>(ensemble_.rows())}};
}

/// Of a link: six staples of two products of 198 operations each and their sums, the product with the link, and in
/// three subgroups 2 x 3 rows; links are read some three times as they lie in the caches. A stage of the flow has the
/// same staples and four products more, with the series of the exponential.
engine::UpdateCost update_cost(const GaugeParameters& parameters) {
  constexpr double of_staples = 6.0 * (2.0 * 198.0 + 18.0) + 198.0;
  constexpr double of_link = of_staples + 3.0 * (2.0 * 84.0 + 30.0) + 100.0;
  constexpr double of_stage = of_staples + 4.0 * 198.0 + 500.0;
  const double sweeps = 1.0 + static_cast<double>(parameters.overrelaxations);
  const double stages = flow_stages_per_sweep(parameters);
  return {.flops = axes * (sweeps * of_link + stages * of_stage),
          .bytes = axes * 144.0 * (3.0 * sweeps + 7.0 * stages)};
}

double flow_stages_per_sweep(const GaugeParameters& parameters) {
  if (parameters.flow.end == 0.0) return 0.0;
  const double steps =
      static_cast<double>(parameters.flow.points) * static_cast<double>(parameters.flow.steps_per_point());
  return 3.0 * steps / (static_cast<double>(parameters.measures_every) * static_cast<double>(parameters.flows_every));
}

std::optional<engine::UpdateCost> GaugeSolver::update_cost() const { return qcd::update_cost(parameters_); }

engine::Origin GaugeSolver::origin() const {
  engine::Origin origin{.input = "gauge field: " + parameters_.origin(), .checksum = file_checksum_};
  origin.more.emplace_back("plaquette", fmt::format("{:.15g}", plaquettes_.mean()));
  return origin;
}

}  // namespace tacit::qcd
