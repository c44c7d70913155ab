// Divides the axes of a grid among ranks, and finds the neighbours of a block.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/block_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/mesh/choose_ranks.hpp"

namespace tacit::mesh {
namespace {

constexpr std::string_view axis_names = "xyzt";

void check_axis(const GridSpec& spec, std::size_t axis) {
  const char name = axis_names[axis];
  const Index points = spec.points[axis];
  if (points < 1) throw base::Error(fmt::format("axis {} of a grid has {} points; at least 1 is needed", name, points));
  if (spec.boundaries[axis] == Boundary::periodic && points < spec.ghosts) {
    throw base::Error(fmt::format(
        "axis {} of a grid is periodic and has {} points, fewer than the {} ghost points at its ends; more points are "
        "needed",
        name, points, spec.ghosts));
  }
  if (points % spec.granularity != 0) {
    const Index below = points - points % spec.granularity;
    throw base::Error(fmt::format("axis {} of a grid has {} points, no multiple of {}, at which it may be cut; {} are",
                                  name, points, spec.granularity, below > 0 ? below : spec.granularity));
  }
}

/// @return spec
const GridSpec& checked(const GridSpec& spec) {
  const std::size_t dimensions = spec.points.size();
  if (dimensions < 1 || dimensions > max_dimensions) {
    throw base::Error(fmt::format("a grid has {} dimensions; 1 to {} are possible", dimensions, max_dimensions));
  }
  if (spec.boundaries.size() != dimensions) {
    throw base::Error(
        fmt::format("a grid has {} dimensions, but {} boundaries are given", dimensions, spec.boundaries.size()));
  }
  if (!spec.ranks.empty() && spec.ranks.size() != dimensions) {
    throw base::Error(
        fmt::format("a grid has {} dimensions, but ranks for {} axes are given", dimensions, spec.ranks.size()));
  }
  if (spec.ghosts < 0) throw base::Error(fmt::format("a grid has {} ghost points; 0 is the least", spec.ghosts));
  TACIT_EXPECT(spec.granularity > 0);
  for (std::size_t a = 0; a < dimensions; ++a) check_axis(spec, a);
  return spec;
}

Point filled(const std::vector<Index>& numbers) {
  Point point{1, 1, 1, 1};
  std::ranges::copy(numbers, point.begin());
  return point;
}

/// @param ghosts  beyond both sides of the axes that the grid has
Box widened(Box box, std::size_t dimensions, Index ghosts) {
  for (std::size_t a = 0; a < dimensions; ++a) box = box.with(a, box.begin[a] - ghosts, box.end[a] + ghosts);
  return box;
}

std::size_t most_axes(Neighbours which) {
  switch (which) {
    case Neighbours::faces:
      return 1;
    case Neighbours::faces_and_edges:
      return 2;
    case Neighbours::all:
      break;
  }
  return max_dimensions;
}

/// Own points of n along an axis that a neighbour there needs.
Range sent_range(std::int8_t offset, Index n, Index width) {
  if (offset == 0) return {0, n};
  return offset < 0 ? Range{0, width} : Range{n - width, n};
}

Range ghost_range(std::int8_t offset, Index n, Index width) {
  if (offset == 0) return {0, n};
  return offset < 0 ? Range{-width, 0} : Range{n, n + width};
}

Offset opposite(const Offset& offset) {
  Offset turned{};
  std::ranges::transform(offset, turned.begin(), [](std::int8_t o) { return static_cast<std::int8_t>(-o); });
  return turned;
}

/// The offset with that key.
Offset offset_of(std::uint32_t key) {
  Offset offset{};
  for (std::int8_t& o : offset) {
    o = static_cast<std::int8_t>(static_cast<int>(key % 3) - 1);
    key /= 3;
  }
  return offset;
}

}  // namespace

std::uint32_t direction_key(const Offset& offset) noexcept {
  std::uint32_t key = 0;
  for (std::size_t a = max_dimensions; a-- > 0;) key = 3 * key + static_cast<std::uint32_t>(offset[a] + 1);
  return key;
}

BlockGrid::BlockGrid(const GridSpec& spec, const comm::Communicator& world)
    : BlockGrid(spec, world.size(), world.rank()) {}

BlockGrid::BlockGrid(const GridSpec& spec, std::size_t ranks, comm::RankId own)
    : dimensions_(checked(spec).points.size()),
      ghosts_(spec.ghosts),
      points_(filled(spec.points)),
      granularity_(spec.granularity),
      ranks_(choose_ranks(spec, ranks)),
      own_(own),
      coordinates_(coordinates(own)),
      layout_(Box{}) {
  std::ranges::copy(spec.boundaries, boundaries_.begin());
  for (std::size_t a = 0; a < max_dimensions; ++a) block_.end[a] = range(a).size();
  layout_ = Layout(widened(block_, dimensions_, ghosts_));
}

std::size_t BlockGrid::points() const noexcept { return Box{.begin = {}, .end = points_}.points(); }

Point BlockGrid::coordinates(comm::RankId rank) const {
  Point point{};
  Index rest = number(rank);
  for (std::size_t a = 0; a < max_dimensions; ++a) {
    point[a] = rest % ranks_[a];
    rest /= ranks_[a];
  }
  TACIT_EXPECT(rest == 0);
  return point;
}

std::optional<comm::RankId> BlockGrid::rank_at(const Point& coordinates) const {
  Index rank = 0;
  for (std::size_t a = max_dimensions; a-- > 0;) {
    const Index size = ranks_[a];
    const bool is_inside = coordinates[a] >= 0 && coordinates[a] < size;
    if (!is_inside && boundaries_[a] == Boundary::wall) return std::nullopt;
    rank = rank * size + ((coordinates[a] % size) + size) % size;
  }
  return comm::RankId{static_cast<std::uint32_t>(rank)};
}

Range BlockGrid::range(comm::RankId rank, std::size_t axis) const {
  const Index place = coordinates(rank)[axis];
  const Index granule = axis < dimensions_ ? granularity_ : 1;
  const Index granules = points_[axis] / granule;
  const Index each = granules / ranks_[axis];
  const Index longer = granules % ranks_[axis];  // the first ones have a granule more
  const Index begin = place * each + std::min(place, longer);
  return {granule * begin, granule * (begin + each + (place < longer ? 1 : 0))};
}

comm::RankId BlockGrid::owner(const Point& point) const {
  Index rank = 0;
  for (std::size_t a = max_dimensions; a-- > 0;) {
    TACIT_EXPECT(point[a] >= 0 && point[a] < points_[a]);
    const Index granule = a < dimensions_ ? granularity_ : 1;
    const Index each = points_[a] / granule / ranks_[a];
    const Index longer = points_[a] / granule % ranks_[a];
    const Index in_longer = longer * (each + 1);
    const Index at = point[a] / granule;
    const Index place = at < in_longer ? at / (each + 1) : longer + (at - in_longer) / each;
    rank = rank * ranks_[a] + place;
  }
  return comm::RankId{static_cast<std::uint32_t>(rank)};
}

bool BlockGrid::is_at_wall(std::size_t axis, Side side) const noexcept {
  if (axis >= dimensions_ || boundaries_[axis] == Boundary::periodic) return false;
  return coordinates_[axis] == (side == Side::low ? 0 : ranks_[axis] - 1);
}

Box BlockGrid::ghosts_at(std::size_t axis, Side side) const noexcept {
  const Range range = ghost_range(side == Side::low ? -1 : 1, block_.end[axis], axis < dimensions_ ? ghosts_ : 0);
  return block_.with(axis, range.begin, range.end);
}

std::vector<Neighbour> BlockGrid::neighbours(Neighbours which, Index width) const {
  TACIT_EXPECT(width >= 0 && width <= ghosts_);
  std::vector<Neighbour> found;
  for (std::uint32_t key = 0; key < directions; ++key) {
    const Offset offset = offset_of(key);
    const auto axes = max_dimensions - static_cast<std::size_t>(std::ranges::count(offset, 0));
    if (axes == 0 || axes > most_axes(which)) continue;
    if (const auto there = neighbour(offset, width)) found.push_back(*there);
  }
  return found;
}

/// Nothing beyond walls, as which the ends of axes count that the grid does not have.
std::optional<Neighbour> BlockGrid::neighbour(const Offset& offset, Index width) const {
  Point place = coordinates_;
  for (std::size_t a = 0; a < max_dimensions; ++a) place[a] += offset[a];
  const auto rank = rank_at(place);
  if (!rank) return std::nullopt;
  Neighbour there{.offset = offset, .rank = *rank, .send = block_, .receive = block_};
  for (std::size_t a = 0; a < dimensions_; ++a) {
    const Range sent = sent_range(offset[a], block_.end[a], width);
    const Range ghosts = ghost_range(offset[a], block_.end[a], width);
    there.send = there.send.with(a, sent.begin, sent.end);
    there.receive = there.receive.with(a, ghosts.begin, ghosts.end);
  }
  there.send_key = direction_key(offset);
  there.receive_key = direction_key(opposite(offset));
  return there;
}

}  // namespace tacit::mesh
