// The sph solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/engine/coarser.hpp"
#include "tacit/solvers/sph/estimate.hpp"
#include "tacit/solvers/sph/formats/file_set.hpp"
#include "tacit/solvers/sph/shares.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"
#include "tacit/solvers/sph/update_cost.hpp"

namespace tacit::sph {
namespace {

/// @throws config::Error where what is asked for is there on one rank alone
void check_ranks(const config::Parameters& p, const SphParameters& sph, std::size_t ranks) {
  if (ranks == 1) return;
  if (sph.pairs == Pairs::symmetric) {
    throw config::Error(p.where("sph.pairs"), "sph.pairs", "pairs are visited once on one rank alone",
                        "write \"gather\", or use threads of one rank");
  }
}

std::unique_ptr<engine::Solver> make_solver(const config::Parameters& parameters, const engine::Resources& resources,
                                            const io::FileReader* restart) {
  const SphParameters sph = read_parameters(parameters);
  check_ranks(parameters, sph, resources.ranks.size());
  if (restart != nullptr) return std::make_unique<SphSolver>(sph, parameters.units(), *restart, resources);
  return std::make_unique<SphSolver>(sph, parameters.units(),
                                     share_of_initial_conditions(sph, parameters.units(), resources), resources);
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t ranks) {
  SphParameters sph = read_parameters(parameters);
  check_ranks(parameters, sph, ranks);
  const Estimate estimated = estimate(sph, parameters.units());
  set_dimension(sph, estimated.extent.dimension);
  const double n = estimated.extent.particles;
  engine::Prediction prediction;
  prediction.elements = static_cast<std::uint64_t>(n);
  prediction.element_name = "particles";
  if (estimated.is_estimate && sph.file) {
    prediction.warnings.emplace_back(
        "the file takes more memory than half of what there is here, so its particles have not been looked at, only "
        "its headers");
  }
  prediction.memory_bytes = memory_use(sph, estimated.extent);
  // Each rank has all particles that are carried along.
  prediction.memory_bytes += static_cast<double>(ranks - 1) * estimated.extent.carried_bytes;
  prediction.memory_bytes += gravity_bytes_of_ranks(sph, estimated.extent, ranks);
  // Positions 24, IDs 8, nine more numbers; gzip keeps about 0.7 of single precision.
  const double stored = parameters.flag("output.double_precision") ? 8.0 : 4.0;
  const double snapshot = n * (32.0 + (sph.gravity.is_present ? 10.0 : 9.0) * stored);
  const double carried = estimated.extent.carried_bytes;
  prediction.snapshot_bytes = snapshot * (parameters.integer("output.compression") > 0 ? 0.75 : 1.0) + carried;
  prediction.checkpoint_bytes = n * saved_bytes_per_particle(contents_of(sph)) + carried;
  prediction.log = {n, "particles", log_schema_of_particles({})};
  prediction.staged_bytes = snapshot + carried + prediction.checkpoint_bytes;
  prediction.start_time = estimated.start_time;
  prediction.first_time_step = estimated.first_time_step;
  if (!sph.gravity.is_present) {
    prediction.cost = update_cost(sph);
    prediction.peak_share = 0.03;  // examples/sph with more particles: sod and kelvin_helmholtz
  }
  // Neighbours seen in a second: examples/sph with individual steps, in two and three dimensions, AVX-512 on a Xeon
  // with both threads of a core busy. On Zen 5 it is three times as many. With gravity: examples/sph/evrard.
  const double neighbours_per_s = sph.scheme == Scheme::sphenix ? 2e7 : 3e7;
  prediction.updates_per_core_s = sph.gravity.is_present ? 1e5 : neighbours_per_s / neighbours_of_particle(sph);
  return prediction;
}

/// Built-in set-ups: what all of them, in one dimension too, can be divided into.
std::optional<engine::Coarser> coarser(const config::Parameters& parameters, std::uint64_t quarters) {
  if (!parameters.has("initial.setup")) return std::nullopt;
  if (parameters.text("initial.setup") == "two_bodies") return std::nullopt;  // there are no fewer
  const std::string key = parameters.text("initial.setup") + ".resolution";
  const bool is_line = parameters.has("sph.dimension") && parameters.integer("sph.dimension") == 1;
  return engine::coarser_count(parameters, std::array<std::string_view, 1>{key}, quarters,
                               {.least = 8, .unit = is_line ? 8 : 4});
}

std::vector<std::pair<std::string, std::filesystem::path>> files_of_the_set(const config::Parameters& parameters) {
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  if (!parameters.has("initial.file")) return files;
  const std::filesystem::path named = parameters.path("initial.file");
  for (std::filesystem::path& file : files_of_set(named)) {
    if (file != named) files.emplace_back("initial.file", std::move(file));
  }
  return files;
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{.name = "sph",
                                             .help = "gas dynamics with smoothed particles",
                                             .tables = &key_tables,
                                             .make = &make_solver,
                                             .predict = &predict,
                                             .further_files = &files_of_the_set,
                                             .coarser = &coarser};
  return entry;
}

}  // namespace tacit::sph
