// Fills ghost points out of points of the same rank.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/sides.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::mesh {
namespace {

/// The layers along an axis out of which the ghosts of a side follow, and where: ghost = first + step * layer.
struct Layers {
  Index begin = 0;
  Index end = 0;
  Index first = 0;
  Index step = 1;
};

Layers layers_of(SideRule::Kind kind, Side side, Index n, Index ghosts) {
  const bool is_low = side == Side::low;
  if (kind == SideRule::Kind::mirror) {
    return {.begin = is_low ? 0 : n - ghosts, .end = is_low ? ghosts : n, .first = is_low ? -1 : 2 * n - 1, .step = -1};
  }
  return {.begin = is_low ? n - ghosts : 0, .end = is_low ? n : ghosts, .first = is_low ? -n : n, .step = 1};
}

bool is_periodic_and_whole(const GridSpec& spec, const BlockGrid& grid, std::size_t axis) {
  return spec.boundaries[axis] == Boundary::periodic && grid.ranks(axis) == 1;
}

/// Fills the ghosts that lie `to` numbers behind the points of `layer`.
void fill(const Layout& layout, const Box& layer, Index to, const SideRule& rule, std::span<double> field) {
  if (layer.extent(0) > 1) {
    for_rows(layout, layer, [&](std::size_t first, std::size_t length) {
      const double* const from = field.data() + first;
      double* const ghosts = field.data() + first + to;
      for (std::size_t i = 0; i < length; ++i) ghosts[i] = rule.shift + rule.sign * from[i];
    });
    return;
  }
  // Rows of one point: columns are longer.
  Box firsts = layer;
  firsts.end[1] = firsts.begin[1] + 1;
  const auto stride = static_cast<Index>(layout.stride(1));
  for_rows(layout, firsts, [&](std::size_t first, std::size_t) {
    double* from = field.data() + first;
    for (Index i = 0; i < layer.extent(1); ++i, from += stride) from[to] = rule.shift + rule.sign * *from;
  });
}

}  // namespace

BlockGrid grid_with_sides(GridSpec spec, std::size_t ranks, comm::RankId own) {
  const BlockGrid divided(spec, ranks, own);
  spec.ranks.clear();
  for (std::size_t axis = 0; axis < spec.points.size(); ++axis) {
    spec.ranks.push_back(static_cast<std::uint32_t>(divided.ranks(axis)));
    if (divided.ranks(axis) == 1) spec.boundaries[axis] = Boundary::wall;
  }
  return {spec, ranks, own};
}

SideRules images_of(const GridSpec& spec, const BlockGrid& grid) {
  SideRules rules;
  for (std::size_t axis = 0; axis < max_dimensions; ++axis) {
    if (axis >= grid.dimensions() || !is_periodic_and_whole(spec, grid, axis)) continue;
    for (SideRule& rule : rules[axis]) rule.kind = SideRule::Kind::image;
  }
  return rules;
}

std::array<bool, max_dimensions> wraps_of(const SideRules& rules) {
  std::array<bool, max_dimensions> wraps{};
  for (std::size_t axis = 0; axis < max_dimensions; ++axis) wraps[axis] = rules[axis][0].kind == SideRule::Kind::image;
  return wraps;
}

void fill_sides(const BlockGrid& grid, const SideRules& rules, const Box& box, std::span<double> field) {
  TACIT_EXPECT(field.size() >= grid.layout().size());
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    const Index n = grid.block().extent(axis);
    TACIT_EXPECT(n >= grid.ghosts());
    const auto stride = static_cast<Index>(grid.layout().stride(axis));
    for (const Side side : {Side::low, Side::high}) {
      const SideRule& rule = rules[axis][static_cast<std::size_t>(side)];
      if (rule.kind == SideRule::Kind::none || !grid.is_at_wall(axis, side)) continue;
      const Layers layers = layers_of(rule.kind, side, n, grid.ghosts());
      for (Index at = std::max(layers.begin, box.begin[axis]); at < std::min(layers.end, box.end[axis]); ++at) {
        const Index to = (layers.first + layers.step * at - at) * stride;
        fill(grid.layout(), box.with(axis, at, at + 1), to, rule, field);
      }
    }
  }
}

}  // namespace tacit::mesh
