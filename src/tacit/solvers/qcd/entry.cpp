// The qcd solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "tacit/engine/coarser.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid_keys.hpp"
#include "tacit/solvers/qcd/qcd_solver.hpp"
#include "tacit/solvers/qcd/read_lattice.hpp"

namespace tacit::qcd {
namespace {

void require_parts(const config::Parameters& parameters, const QcdParameters& qcd, std::size_t ranks) {
  require_division(parameters, "qcd", qcd.extents, qcd.ranks, ranks);
  if (qcd.method != Method::multigrid) return;
  multigrid::require_whole_blocks(parameters, qcd.multigrid, qcd.extents, qcd.ranks, ranks);
}

std::unique_ptr<engine::Solver> make_solver(const config::Parameters& parameters, const engine::Resources& resources,
                                            const io::FileReader* restart) {
  const QcdParameters qcd = read_parameters(parameters);
  require_parts(parameters, qcd, resources.ranks.size());
  return std::make_unique<QcdSolver>(qcd, resources, restart);
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t ranks) {
  const QcdParameters qcd = read_parameters(parameters);
  require_parts(parameters, qcd, ranks);
  const bool is_multigrid = qcd.method == Method::multigrid;
  const auto sites = static_cast<double>(qcd.extents.sites());
  const auto sources = static_cast<double>(qcd.source.count());
  constexpr double spinor = 192.0;  // [byte] in double precision
  constexpr double links = 4 * 144.0;
  engine::Prediction prediction{.elements = qcd.extents.sites(), .element_name = "sites"};
  // The field as files have it with what is next to each part, all of it once more where it is written, the folded one
  // with its clover term, solutions, and b with the fields of a solve; beside those that a checkpoint has, b and rest,
  // D p, and of even-odd solves two more.
  const GaugeBox box(part_of(divide(qcd.extents, qcd.ranks, ranks, comm::RankId{0})));
  const double read =
      static_cast<double>(box.size.sites() * ranks) + (qcd.writes_gauge == GaugeFormat::none ? 0.0 : sites);
  const double clover = qcd.dirac.csw == 0.0 ? 0.0 : (qcd.is_even_odd ? 1.5 : 1.0) * 576.0;
  const double folded = qcd.precision == Precision::mixed || is_multigrid ? 1.5 : 1.0;
  const auto at_once = static_cast<double>(qcd.at_once);
  const double kept = at_once * static_cast<double>(kept_fields(qcd.method, qcd.precision));
  prediction.memory_bytes =
      read * links + sites * (folded * (links + clover) + (sources + kept + 3.0 + 2.0 * at_once) * spinor);
  if (qcd.source.has_columns()) prediction.memory_bytes += sites * 144.0;
  if (qcd.source.smearing.steps > 0) prediction.memory_bytes += static_cast<double>(box.size.sites() * ranks) * 1440.0;
  if (is_multigrid) prediction.memory_bytes += multigrid::memory_bytes(qcd.multigrid, qcd.extents, qcd.at_once);
  prediction.snapshot_bytes = qcd.writes_solutions ? sites * sources * spinor : 0.0;
  prediction.checkpoint_bytes = sites * (sources + kept) * spinor;
  prediction.staged_bytes = prediction.snapshot_bytes + prediction.checkpoint_bytes;
  prediction.first_time_step = 1.0;
  prediction.cost = update_cost(qcd);
  prediction.peak_share = 1.1;          // examples/qcd/pion on 16^3 32: a part stays in the caches
  prediction.updates_per_core_s = 3e6;  // two applications and five passes over vectors, from memory
  return prediction;
}

/// A smaller lattice with links of the same kind: the mass, which decides how many iterations there are, is that of the
/// lattice spacing.
std::optional<engine::Coarser> smaller(const config::Parameters& parameters, std::uint64_t quarters) {
  if (parameters.has("initial.file") || parameters.has("source.file")) return std::nullopt;
  const QcdParameters qcd = read_parameters(parameters);
  std::uint32_t unit = 2;
  if (parameters.has("multigrid.block") || qcd.multigrid.levels > 2) {
    Coordinates sites{{1, 1, 1, 1}};  // in a site of the coarsest lattice
    for (const Coordinates& block : multigrid::blocks_of_levels(qcd.multigrid, qcd.extents)) {
      for (std::size_t axis = 0; axis < axes; ++axis) sites[axis] *= block[axis];
    }
    for (const std::uint32_t n : sites) unit = std::lcm(unit, n);
  }
  return engine::coarser_list(parameters, "qcd.extents", quarters,
                              {.least = std::max<std::int64_t>(4, unit), .unit = unit});
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{
      .name = "qcd",
      .help = "quark propagators on a lattice: the Wilson-clover operator",
      .tables = &key_tables,
      .make = &make_solver,
      .predict = &predict,
      .axis = {.name = "iteration", .symbol = "n", .kind = engine::Axis::Kind::counted},
      .coarser = &smaller};
  return entry;
}

}  // namespace tacit::qcd
