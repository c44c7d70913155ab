// The gauge solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "tacit/engine/coarser.hpp"
#include "tacit/solvers/qcd/gauge/gauge_solver.hpp"
#include "tacit/solvers/qcd/read_lattice.hpp"

namespace tacit::qcd {
namespace {

std::unique_ptr<engine::Solver> make_gauge_solver(const config::Parameters& parameters,
                                                  const engine::Resources& resources, const io::FileReader* restart) {
  const GaugeParameters gauge = read_gauge_parameters(parameters);
  require_division(parameters, "gauge", gauge.extents, gauge.ranks, resources.ranks.size());
  return std::make_unique<GaugeSolver>(gauge, resources, restart);
}

engine::Prediction predict_gauge(const config::Parameters& parameters, std::size_t ranks) {
  const GaugeParameters gauge = read_gauge_parameters(parameters);
  require_division(parameters, "gauge", gauge.extents, gauge.ranks, ranks);
  const auto sites = static_cast<double>(gauge.extents.sites());
  const GaugeBox box(part_of(divide(gauge.extents, gauge.ranks, ranks, comm::RankId{0})));
  constexpr double matrix = 144.0;  // [byte]
  engine::Prediction prediction{.elements = gauge.extents.sites(), .element_name = "sites"};
  // Links, eight neighbours, and two matrices of a site for each of the lines of which loops are made.
  // Smeared links and those that flow are copies; the flow has two more for its stages.
  const double copies = gauge.flow.end > 0.0 ? 3.0 : gauge.loops[0] > 0 ? 2.0 : 0.0;
  const double lines = (gauge.loops[0] > 0 ? 8.0 : 2.0) + copies * static_cast<double>(axes);
  const auto in_boxes = static_cast<double>(box.size.sites() * ranks);
  prediction.memory_bytes = in_boxes * (4.0 * matrix + 40.0 + lines * matrix);
  if (gauge.writes != GaugeFormat::none) prediction.memory_bytes += 4.0 * sites * 4.0 * matrix;
  prediction.checkpoint_bytes = sites * 4.0 * matrix;
  prediction.staged_bytes = prediction.checkpoint_bytes;
  prediction.first_time_step = 1.0;
  prediction.cost = update_cost(gauge);
  prediction.peak_share = 0.05;  // products of single matrices, without vectors
  constexpr double stage = 0.5;  // of a sweep
  prediction.updates_per_core_s =
      7e4 / (1.0 + static_cast<double>(gauge.overrelaxations) + stage * flow_stages_per_sweep(gauge));
  return prediction;
}

/// A smaller lattice at the same coupling.
std::optional<engine::Coarser> smaller_lattice(const config::Parameters& parameters, std::uint64_t quarters) {
  if (parameters.has("initial.file")) return std::nullopt;
  return engine::coarser_list(parameters, "gauge.extents", quarters, {.least = 4, .unit = 2});
}

}  // namespace
}  // namespace tacit::qcd

namespace tacit::gauge {

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{
      .name = "gauge",
      .help = "gauge fields on a lattice: heat bath and overrelaxation with Wilson's action",
      .tables = &qcd::gauge_key_tables,
      .make = &qcd::make_gauge_solver,
      .predict = &qcd::predict_gauge,
      .axis = {.name = "sweep", .symbol = "n", .kind = engine::Axis::Kind::counted},
      .coarser = &qcd::smaller_lattice};
  return entry;
}

}  // namespace tacit::gauge
