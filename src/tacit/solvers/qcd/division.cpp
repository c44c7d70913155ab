// Divides a lattice among ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/division.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::qcd {
namespace {

constexpr mesh::Index block_extent = 2;  // of what sums are made of

}  // namespace

mesh::BlockGrid divide(const Extents& extents, const RanksPerAxis& along, std::size_t ranks, comm::RankId own) {
  mesh::GridSpec spec;
  spec.granularity = block_extent;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    spec.points.push_back(static_cast<mesh::Index>(extents.n[axis]));
    spec.boundaries.push_back(mesh::Boundary::periodic);
  }
  if (std::ranges::any_of(along, [](std::uint32_t n) { return n != 0; })) spec.ranks.assign(along.begin(), along.end());
  return {spec, ranks, own};
}

LatticePart part_of(const mesh::BlockGrid& grid) {
  Extents extents;
  for (std::size_t axis = 0; axis < axes; ++axis) extents.n[axis] = static_cast<std::uint32_t>(grid.points(axis));
  LatticePart part(extents);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    part.begin[axis] = static_cast<std::uint32_t>(grid.range(axis).begin);
    part.own.n[axis] = static_cast<std::uint32_t>(grid.range(axis).size());
    part.is_divided[axis] = grid.ranks(axis) > 1;
    // Then all ranks have as many.
    part.can_fold[axis] = grid.points(axis) % (4 * grid.ranks(axis)) == 0;
  }
  return part;
}

Division::Division(const Extents& extents) : part_(extents) {}

Division::Division(const Extents& extents, const RanksPerAxis& along, comm::Communicator& world) : part_(extents) {
  const mesh::BlockGrid grid = divide(extents, along, world.size(), world.rank());
  part_ = part_of(grid);
  if (world.size() == 1) return;
  ranks_ = &world;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const bool is_high : {false, true}) {
      mesh::Point place = grid.coordinates();
      place[axis] += is_high ? 1 : -1;
      const auto rank = grid.rank_at(place);
      TACIT_EXPECT(rank.has_value());
      beyond_[axis][is_high ? 1 : 0] = *rank;
    }
  }
}

}  // namespace tacit::qcd
