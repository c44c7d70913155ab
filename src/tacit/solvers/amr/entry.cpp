// The amr solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>

#include "tacit/base/cpu_features.hpp"
#include "tacit/engine/coarser.hpp"
#include "tacit/solvers/amr/amr_solver.hpp"
#include "tacit/solvers/amr/initial_state.hpp"
#include "tacit/solvers/amr/plotfile.hpp"
#include "tacit/solvers/amr/update_cost.hpp"

namespace tacit::amr {
namespace {

/// Sub-grids of the levels that are given, fewer than which there never are; of very many a bound.
double given_leaves(const AmrParameters& amr) {
  const double leaves = most_leaves(amr.domain);
  return leaves < 1 << 20 ? static_cast<double>(make_tree(amr.domain).size()) : leaves;
}

/// @throws config::Error if there are more than sub-grids
void check_ranks(const config::Parameters& parameters, const AmrParameters& amr, std::size_t ranks) {
  const double leaves = given_leaves(amr);
  if (static_cast<double>(ranks) <= leaves) return;
  throw config::Error(
      parameters.where("amr.root"), "amr.root",
      fmt::format("{:.0f} sub-grid(s) cannot be divided among {} ranks{}", leaves, ranks,
                  amr.is_adaptive ? "; what the gas refines does not count" : ""),
      fmt::format("at most {:.0f} ranks, with more threads; or more root blocks, or a higher amr.level", leaves));
}

std::unique_ptr<engine::Solver> make_solver(const config::Parameters& parameters, const engine::Resources& resources,
                                            const io::FileReader* restart) {
  const AmrParameters amr = read_parameters(parameters);
  check_ranks(parameters, amr, resources.ranks.size());
  return std::make_unique<AmrSolver>(amr, resources, restart);
}

/// Of the initial conditions. 0: there are too many cells to look at each of them before a run
double first_step(const AmrParameters& amr, double cells) {
  if (cells > 1 << 20) return 0.0;
  const mesh::Octree tree = make_tree(amr.domain);
  SubGrids grids(amr.domain, tree.size(), amr.fields);
  check_initial(amr, tree, grids);
  if (amr.is_adaptive) {
    if (!set_initial(amr, tree, grids)) return 0.0;
  } else {
    require_initial(amr, tree, grids);
  }
  const kernels::Loops loops = kernels::loops_of<base::isa::scalar>();
  double fastest = 0.0;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const kernels::Variables<double> U = grids.now(leaf);
    const kernels::Gas gas = gas_of_level(amr, tree.leaf(leaf).level);
    fastest = std::max(fastest, loops.look_at(gas, grids.cells(), {U.first, U.next}).fastest);
  }
  return amr.cfl / fastest;
}

/// Sub-grids, if all were of the finest level.
double all_finest(const AmrParameters& amr) { return mesh::Octree::leaves_of_level(spec_of(amr.domain), amr.finest); }

/// For how many sub-grids there must be memory. @param leaves  those of the levels that are given
double largest_count(const AmrParameters& amr, double leaves) {
  if (!amr.is_adaptive || amr.most_leaves == 0) return leaves;
  return std::max(leaves, std::min(all_finest(amr), static_cast<double>(amr.most_leaves)));
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t ranks) {
  const AmrParameters amr = read_parameters(parameters);
  check_ranks(parameters, amr, ranks);
  const double leaves = given_leaves(amr);
  double cells = leaves;
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= static_cast<double>(amr.domain.cells_of_block(axis));
  engine::Prediction prediction{.elements = static_cast<std::uint64_t>(cells), .element_name = "cells"};
  const double most = largest_count(amr, leaves);
  prediction.memory_bytes = memory_of(amr, most) + memory_of_copies(amr, most, ranks);
  const double stored = parameters.flag("output.double_precision") ? 8.0 : 4.0;
  prediction.snapshot_bytes = static_cast<double>(fields_of_snapshot(amr)) * stored * cells;
  prediction.checkpoint_bytes = static_cast<double>(amr.fields.count()) * 8.0 * cells;
  prediction.staged_bytes = prediction.snapshot_bytes + prediction.checkpoint_bytes;
  if (amr.plotfile_every) {
    const double bytes = plotfile_bytes(amr, leaves, parameters.flag("output.double_precision"));
    prediction.series.push_back({.name = "plotfiles", .every = *amr.plotfile_every, .bytes = bytes});
  }
  prediction.start_time = amr.begin;
  if (amr.is_adaptive) {
    prediction.warnings.emplace_back(
        amr.most_leaves > 0
            ? "sub-grids are refined as the gas moves: memory is that of amr.most_sub_grids, files are those of the "
              "levels that are given"
            : fmt::format("sub-grids are refined as the gas moves, and amr.most_sub_grids does not bound their number: "
                          "memory and files are those of the levels that are given; {:.3g} sub-grids, all of "
                          "the finest level, would take {:.3g} GB",
                          all_finest(amr), 1e-9 * memory_of(amr, all_finest(amr))));
  }
  std::ranges::move(features_beyond(amr), std::back_inserter(prediction.warnings));
  prediction.first_time_step = first_step(amr, cells);
  prediction.cost = update_cost(amr);
  prediction.peak_share = 0.10;  // examples/amr/sedov with 128^3 cells
  // Measured with AVX-512 on a busy Zen 5, sub-grids of 8^3.
  prediction.updates_per_core_s = 5e6;
  if (amr.gravity) {
    // Measured with AVX-512 on a Xeon, one level; what gravity computes is not counted.
    prediction.peak_share = 0.015;
    prediction.updates_per_core_s = 9e5;
  }
  return prediction;
}

/// Levels as settings: of all blocks, and of what the gas refines. Without any of these, jumps refine nothing.
/// @param fewer  levels than there are  @param fewer_finest  likewise, at least as many
void set_levels(const config::Parameters& parameters, std::int64_t fewer, std::int64_t fewer_finest,
                engine::Coarser& result) {
  result.settings.push_back(fmt::format("amr.level={}", parameters.integer("amr.level") - fewer));
  if (!parameters.has("amr.finest")) return;
  const std::int64_t finest = parameters.integer("amr.finest");
  const std::int64_t jumps = parameters.has("amr.jumps_finest") ? parameters.integer("amr.jumps_finest") : finest;
  result.settings.push_back(fmt::format("amr.finest={}", std::max<std::int64_t>(finest - fewer_finest, 1)));
  result.settings.push_back(fmt::format("amr.jumps_finest={}", std::max<std::int64_t>(jumps - fewer_finest, 0)));
}

/// Root blocks 4/quarters as many along each axis; as they are for 4. Nothing: they are not so many.
std::optional<engine::Coarser> fewer_roots(const config::Parameters& parameters, std::uint64_t quarters) {
  return quarters == 4 ? engine::Coarser{} : engine::coarser_list(parameters, "amr.root", quarters, {.least = 1});
}

/// By whole levels, then by fewer root blocks, and then by fewer levels of what the gas refines: it is the finest one
/// that steps follow. Regions and densities belong to levels, and would have to move with them.
std::optional<engine::Coarser> coarser(const config::Parameters& parameters, std::uint64_t quarters) {
  if (parameters.has("amr.regions") || parameters.has("amr.density_above")) return std::nullopt;
  const std::int64_t halves = std::max(std::countr_zero(quarters) - 2, 0);
  const std::int64_t levels = std::min(parameters.integer("amr.level"), halves);
  const std::uint64_t rest = quarters >> levels;
  std::int64_t refined = 0;  // levels fewer
  auto result = fewer_roots(parameters, rest);
  const std::int64_t most =
      parameters.has("amr.finest") ? std::min(halves, parameters.integer("amr.finest")) - levels : 0;
  while (refined < most && !(result && 4.0 * result->factor == static_cast<double>(rest >> refined))) {
    ++refined;
    result = fewer_roots(parameters, rest >> refined);
  }
  if (!result) return std::nullopt;
  result->factor *= static_cast<double>(std::uint64_t{1} << (levels + refined));
  set_levels(parameters, levels, levels + refined, *result);
  return result;
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{.name = "amr",
                                             .help = "gas dynamics on the sub-grids of an octree",
                                             .tables = &key_tables,
                                             .make = &make_solver,
                                             .predict = &predict,
                                             .coarser = &coarser};
  return entry;
}

}  // namespace tacit::amr
