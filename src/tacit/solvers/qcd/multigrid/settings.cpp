// Defaults of multigrid, what fits a lattice, and what it takes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/solvers/qcd/multigrid/multigrid.hpp"

namespace tacit::qcd::multigrid {

Coordinates usual_block(const Extents& extents) noexcept {
  Coordinates block{};
  for (std::size_t axis = 0; axis < axes; ++axis) block[axis] = extents.n[axis] % 8 == 0 ? 4 : 2;
  return block;
}

Coordinates usual_coarse_block(const Extents& extents) noexcept {
  Coordinates block{};
  for (std::size_t axis = 0; axis < axes; ++axis) block[axis] = extents.n[axis] % 2 == 0 ? 2 : 1;
  return block;
}

Extents coarser(const Extents& extents, const Coordinates& block) noexcept {
  Extents result;
  for (std::size_t axis = 0; axis < axes; ++axis) result.n[axis] = extents.n[axis] / block[axis];
  return result;
}

std::vector<Coordinates> blocks_of_levels(const Settings& settings, const Extents& extents) {
  std::vector<Coordinates> blocks{settings.block};
  Extents lattice = coarser(extents, settings.block);
  for (std::size_t level = 2; level < settings.levels; ++level) {
    blocks.push_back(settings.coarse_block == Coordinates{} ? usual_coarse_block(lattice) : settings.coarse_block);
    lattice = coarser(lattice, blocks.back());
  }
  return blocks;
}

std::string misfit(const Settings& settings, const Extents& extents, const RanksPerAxis& along, std::size_t ranks) {
  const mesh::BlockGrid grid = divide(extents, along, ranks, comm::RankId{0});
  Coordinates sites{{1, 1, 1, 1}};  // of the fine lattice in a site of a coarse one
  std::size_t level = 1;
  for (const Coordinates& of_level : blocks_of_levels(settings, extents)) {
    ++level;
    for (std::size_t axis = 0; axis < axes; ++axis) sites[axis] *= of_level[axis];
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto range = grid.range(comm::RankId{static_cast<std::uint32_t>(rank)}, axis);
        const auto block = static_cast<mesh::Index>(sites[axis]);
        if (range.begin % block == 0 && range.size() % block == 0) continue;
        return fmt::format("rank {} has the sites {} to {} along {}, which are not made of whole blocks of {}{}", rank,
                           range.begin, range.end - 1, "xyzt"[axis], block,
                           level == 2 ? std::string() : fmt::format(" (level {})", level));
      }
    }
  }
  return {};
}

double memory_bytes(const Settings& settings, const Extents& extents, std::size_t fields_at_once) noexcept {
  constexpr double spinor = 96.0;  // [byte] in single precision
  const auto sites = static_cast<double>(extents.sites());
  const auto vectors = static_cast<double>(settings.vectors);
  const double width = chiralities * vectors;
  const auto rows = static_cast<double>(padded(chiralities * settings.vectors));
  constexpr double complex = 2.0 * sizeof(float);
  // Test vectors twice, sums of blocks, and eight fields; of each aggregate of each level its matrix, four couplings,
  // the inverse and the hops inside while these are made, columns of P; and the directions of the coarse solves.
  const auto more = static_cast<double>(fields_at_once > 1 ? fields_at_once : 0);
  const double fields =
      sites * spinor * (2.0 * vectors + 8.0 + 6.0 * more) + sites / block_sites * width * complex * (1.0 + more);
  const double directions = static_cast<double>(CoarseOptions{}.restart + 8);
  double aggregates = sites / static_cast<double>(Extents{settings.block}.sites());
  // While the set-up improves test vectors, those of coarse solves of many at once.
  const auto at_once = static_cast<double>(std::min(settings.setup_at_once, settings.vectors));
  double coarse = aggregates * rows * complex * directions * at_once;
  aggregates = sites;
  const std::vector<Coordinates> blocks = blocks_of_levels(settings, extents);
  for (const Coordinates& block : blocks) {
    aggregates /= static_cast<double>(Extents{block}.sites());
    coarse += aggregates * rows * complex * (7.0 * width + directions * (1.0 + more));
    // Of one that has a coarser one: columns of P, test vectors, and a second solve.
    if (&block != &blocks.back()) coarse += aggregates * rows * complex * (1.5 * width + directions * (1.0 + more));
  }
  return fields + coarse;
}

}  // namespace tacit::qcd::multigrid
