// Reads the table [multigrid].
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/multigrid_keys.hpp"

#include <fmt/format.h>

#include "tacit/solvers/qcd/read_lattice.hpp"

namespace tacit::qcd::multigrid {
namespace {

constexpr const char* block_key = "multigrid.block";
constexpr const char* coarse_block_key = "multigrid.coarse_block";
constexpr const char* levels_key = "multigrid.levels";

[[noreturn]] void refuse(const config::Parameters& p, const char* key, const std::string& what,
                         const std::string& hint) {
  throw config::Error(p.where(p.has(key) ? key : "solve.method"), key, what, hint);
}

Coordinates read_block(const config::Parameters& p, const Extents& extents) {
  if (!p.has(block_key)) return usual_block(extents);
  const Coordinates block = read_coordinates(p, block_key, "for example [4, 4, 4, 4]");
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (block[axis] % 2 == 0 && extents.n[axis] % block[axis] == 0) continue;
    refuse(p, block_key,
           fmt::format("blocks of {} sites along {} do not divide the lattice of {} sites", block[axis], "xyzt"[axis],
                       extents.text()),
           fmt::format("an even number that divides {}, for example 2", extents.n[axis]));
  }
  return block;
}

/// @throws config::Error where a lattice has no coarser one, or blocks do not divide it: with the level
void require_levels(const config::Parameters& p, const Settings& settings, const Extents& extents) {
  Extents lattice = coarser(extents, settings.block);
  for (std::size_t level = 2; level < settings.levels; ++level) {
    const bool is_given = settings.coarse_block != Coordinates{};
    const Coordinates block = is_given ? settings.coarse_block : usual_coarse_block(lattice);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (lattice.n[axis] % block[axis] == 0) continue;
      refuse(p, coarse_block_key,
             fmt::format("blocks of {} sites along {} do not divide the lattice of {} sites of level {}", block[axis],
                         "xyzt"[axis], lattice.text(), level),
             fmt::format("a number that divides {}, or fewer multigrid.levels", lattice.n[axis]));
    }
    if (Extents{block}.sites() == 1) {
      refuse(p, is_given ? coarse_block_key : levels_key,
             fmt::format("level {} would be no coarser than level {}, which has {} sites", level + 1, level,
                         lattice.text()),
             is_given ? "for example [2, 2, 2, 2]" : fmt::format("multigrid.levels = {}, or smaller blocks", level));
    }
    lattice = coarser(lattice, block);
  }
}

}  // namespace

Settings read_settings(const config::Parameters& p, const Extents& extents) {
  Settings result{.block = read_block(p, extents),
                  .levels = p.count(levels_key),
                  .vectors = p.count("multigrid.vectors"),
                  .setup_iterations = p.count("multigrid.setup_iterations"),
                  .setup_smoothing = p.count("multigrid.setup_smoothing"),
                  .smoothing_steps = p.count("multigrid.smoothing_steps"),
                  .block_steps = p.count("multigrid.block_steps"),
                  .coarse_tolerance = p.real("multigrid.coarse_tolerance"),
                  .coarse_iterations = p.count("multigrid.coarse_iterations"),
                  .cycle_steps = p.count("multigrid.cycle_steps"),
                  .coarse_smoothing_steps = p.count("multigrid.coarse_smoothing_steps"),
                  .seed = p.count("multigrid.seed"),
                  .writes_setup = p.flag("multigrid.write_setup")};
  if (p.has(coarse_block_key)) result.coarse_block = read_coordinates(p, coarse_block_key, "for example [2, 2, 2, 2]");
  require_levels(p, result, extents);
  if (p.has("multigrid.setup_file")) result.setup_file = p.existing_file("multigrid.setup_file");
  return result;
}

void require_whole_blocks(const config::Parameters& p, const Settings& settings, const Extents& extents,
                          const RanksPerAxis& along, std::size_t ranks) {
  const std::string what = misfit(settings, extents, along, ranks);
  if (what.empty()) return;
  refuse(p, block_key, what,
         settings.levels > 2 ? "smaller blocks, for example [2, 2, 2, 2], fewer multigrid.levels, or other qcd.ranks"
                             : "smaller blocks, for example [2, 2, 2, 2], or other qcd.ranks");
}

}  // namespace tacit::qcd::multigrid
