// Defaults of multigrid, what fits a lattice, and what it takes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/settings.hpp"

#include <fmt/format.h>

#include "tacit/solvers/qcd/multigrid/multigrid.hpp"

namespace tacit::qcd::multigrid {

Coordinates usual_block(const Extents& extents) noexcept {
  Coordinates block{};
  for (std::size_t axis = 0; axis < axes; ++axis) block[axis] = extents.n[axis] % 8 == 0 ? 4 : 2;
  return block;
}

std::string misfit(const Settings& settings, const Extents& extents, const RanksPerAxis& along, std::size_t ranks) {
  const mesh::BlockGrid grid = divide(extents, along, ranks, comm::RankId{0});
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto range = grid.range(comm::RankId{static_cast<std::uint32_t>(rank)}, axis);
      const auto block = static_cast<mesh::Index>(settings.block[axis]);
      if (range.begin % block == 0 && range.size() % block == 0) continue;
      return fmt::format("rank {} has the sites {} to {} along {}, which are not made of whole blocks of {}", rank,
                         range.begin, range.end - 1, "xyzt"[axis], block);
    }
  }
  return {};
}

double memory_bytes(const Settings& settings, const Extents& extents) noexcept {
  constexpr double spinor = 96.0;  // [byte] in single precision
  const auto sites = static_cast<double>(extents.sites());
  const auto vectors = static_cast<double>(settings.vectors);
  const double width = chiralities * vectors;
  const auto rows = static_cast<double>(padded(chiralities * settings.vectors));
  const double aggregates = sites / static_cast<double>(Extents{settings.block}.sites());
  constexpr double complex = 2.0 * sizeof(float);
  // Test vectors twice, sums of blocks, and eight fields; of each aggregate its matrix, four couplings, the inverse and
  // the hops inside while these are made; and the directions of the coarse solve.
  const double fields = sites * spinor * (2.0 * vectors + 8.0) + sites / block_sites * width * complex;
  const double matrices = aggregates * 7.0 * width * rows * complex;
  const double directions = static_cast<double>(CoarseOptions{}.restart + 8);
  return fields + matrices + aggregates * rows * complex * directions;
}

}  // namespace tacit::qcd::multigrid
