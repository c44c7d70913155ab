// The solver md as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/engine/coarser.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/solvers/md/update_cost.hpp"

namespace tacit::md {
namespace {

/// @throws config::Error if there are more than can share the atoms
void check_ranks(const config::Parameters& parameters, const MdParameters& md, std::size_t ranks) {
  const std::size_t most = most_ranks(md);
  if (ranks <= most) return;
  throw config::Error(
      parameters.where("solver"), "solver",
      fmt::format("'md' can divide these atoms among {} rank(s), but there are {}", most, ranks),
      "a rank has at least one cell as wide as the cutoff and md.skin: start fewer of them, with more threads");
}

std::unique_ptr<engine::Solver> make_md(const config::Parameters& parameters, const engine::Resources& resources,
                                        const io::FileReader* restart) {
  const comm::Communicator& ranks = resources.ranks;
  const Share share = restart != nullptr ? Share::none() : particles::share_of(ranks);
  MdParameters md = read_parameters(parameters, share);
  check_ranks(parameters, md, ranks.size());
  return std::make_unique<MdSolver>(std::move(md), resources, restart);
}

/// Shares of the peak and steps of an atom with AVX2. Those of tersoff and lennard_jones were measured on a busy Zen 5
/// by examples/md with more atoms; the others follow from their operations, and have not been measured.
struct Speed {
  double peak_share = 0.0;
  double updates_per_core_s = 0.0;
};
Speed speed_of(Potential potential, double neighbours) {
  switch (potential) {
    case Potential::tersoff:
      return {0.054, 1e6};
    case Potential::stillinger_weber:
      return {0.054, 1.5e6};
    case Potential::eam:
      return {0.2, 1e8 / (20.0 + neighbours)};
    case Potential::morse:
    case Potential::buckingham:
      return {0.3, 1.5e8 / (20.0 + neighbours)};
    case Potential::coulomb:
    case Potential::zbl:
      return {0.3, 7e7 / (20.0 + neighbours)};
    case Potential::table:
      return {0.2, 2e8 / (20.0 + neighbours)};
    case Potential::lennard_jones:
      break;
  }
  return {0.29, 3e8 / (20.0 + neighbours)};
}

engine::Prediction predict_md(const config::Parameters& parameters, std::size_t ranks) {
  const MdParameters md = read_parameters(parameters, Share::none());
  check_ranks(parameters, md, ranks);
  const auto atoms = static_cast<double>(md.initial.count);
  engine::Prediction prediction{.elements = md.initial.count, .element_name = "atoms"};
  const double neighbours = neighbours_of_atom(md, make_interaction(md)->cutoff());
  // In steps; or at the begin. On several ranks that is the peak of runs of 2 10^6 atoms on 2 and 4 of them; each rank
  // may hold the text of a file, too.
  const double of_begin = ranks == 1 ? 480.0 : 1400.0;
  const double of_text = md.initial.checksum.empty() ? 0.0 : 170.0 * static_cast<double>(ranks);
  const double of_history = md.analysis.motion ? 768.0 * static_cast<double>(md.analysis.motion->levels) : 0.0;
  prediction.memory_bytes = atoms * of_history + atoms * std::max(250.0 + 4.5 * neighbours, of_begin + of_text);
  const std::uint64_t stored = parameters.flag("output.double_precision") ? sizeof(double) : sizeof(float);
  prediction.snapshot_bytes =
      atoms * static_cast<double>(bytes_in_snapshot(md.has_virials, md.analysis.bond.has_value(), stored));
  prediction.checkpoint_bytes = atoms * (136.0 + of_history);
  prediction.staged_bytes = prediction.snapshot_bytes + prediction.checkpoint_bytes;
  prediction.start_time = md.begin;
  prediction.first_time_step = md.dt;
  prediction.cost = update_cost(md, neighbours);
  const Speed speed = speed_of(md.potential, neighbours);
  prediction.peak_share = speed.peak_share;
  prediction.updates_per_core_s = speed.updates_per_core_s;
  return prediction;
}

/// Fewer atoms: their distances are as they were, and so are the steps.
std::optional<engine::Coarser> fewer_atoms(const config::Parameters& parameters, std::uint64_t quarters) {
  if (parameters.has("initial.file")) return std::nullopt;
  std::optional<engine::Coarser> result = engine::coarser_list(parameters, "lattice.cells", quarters);
  if (!result) return result;
  // What is measured fits into the smaller box, too.
  const auto scale = [&](const char* key, double by) {
    if (parameters.has(key)) result->settings.push_back(fmt::format("{}={}", key, by * parameters.real(key)));
  };
  scale("analysis.pair_distance", 1.0 / result->factor);
  scale("analysis.bond_length", 1.0 / result->factor);
  scale("analysis.highest_wave_number", result->factor);
  return result;
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{.name = "md",
                                             .help = "molecular dynamics of atoms",
                                             .tables = &key_tables,
                                             .make = &make_md,
                                             .predict = &predict_md,
                                             .coarser = &fewer_atoms};
  return entry;
}

}  // namespace tacit::md
