// Cuts a block into rim and interior, and finds what the stencil reads around each piece.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/tiles.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::mesh {
namespace {

/// Rows along x that are shorter than a few vectors are slow.
constexpr Index short_row = 8;

/// The slowest axis that has so many points, x only if no other has and its parts are no short rows. If none has, the
/// longest one, of equals the slowest, where a short row of x counts as a point.
std::size_t axis_to_cut(const BlockGrid& grid, const Box& box, Index parts) {
  if (grid.dimensions() == 1) return 0;
  for (std::size_t a = grid.dimensions(); a-- > 1;) {
    if (box.extent(a) >= parts) return a;
  }
  if (box.extent(0) / short_row >= parts) return 0;
  std::size_t longest = grid.dimensions() - 1;
  for (std::size_t a = longest; a-- > 1;) longest = box.extent(a) > box.extent(longest) ? a : longest;
  return box.extent(0) / short_row > box.extent(longest) ? 0 : longest;
}

/// Cuts a box in parts whose lengths differ by one point at most; less of them if it has too few points.
void add_parts(const BlockGrid& grid, const Box& box, std::size_t parts, std::vector<Piece>& pieces) {
  if (box.is_empty()) return;
  const std::size_t axis = axis_to_cut(grid, box, static_cast<Index>(parts));
  const Index begin = box.begin[axis];
  const Index length = box.extent(axis);
  const Index n = std::min(static_cast<Index>(parts), length);
  for (Index i = 0; i < n; ++i) {
    pieces.push_back({.box = box.with(axis, begin + i * length / n, begin + (i + 1) * length / n)});
  }
}

Index default_rim(const BlockGrid& grid, std::size_t axis) {
  const bool has_room = grid.block().extent(0) >= 4 * short_row;
  return axis == 0 && has_room && grid.ghosts() > 0 ? std::max(grid.ghosts(), short_row) : grid.ghosts();
}

/// Points of the rim at one side.
Index rim_at(const BlockGrid& grid, const TileRules& rules, std::size_t axis, Side side) {
  if (grid.is_at_wall(axis, side)) return 0;
  return rules.rim[axis].value_or(default_rim(grid, axis));
}

std::vector<Piece> cut(const BlockGrid& grid, const TileRules& rules) {
  std::vector<Piece> pieces;
  Box rest = grid.block();
  for (std::size_t a = grid.dimensions(); a-- > 0;) {
    const Index begin = rest.begin[a];
    const Index end = rest.end[a];
    const Index low = std::min(end, begin + rim_at(grid, rules, a, Side::low));
    const Index high = std::max(low, end - rim_at(grid, rules, a, Side::high));
    add_parts(grid, rest.with(a, begin, low), rules.rim_pieces, pieces);
    add_parts(grid, rest.with(a, high, end), rules.rim_pieces, pieces);
    rest = rest.with(a, low, high);
  }
  add_parts(grid, rest, rules.interior_pieces, pieces);
  return pieces;
}

/// Whether a stencil at a point of one box reads a point of the other.
class Stencil {
 public:
  Stencil(Neighbours which, Index reach) : axes_(axes_of(which)), reach_(reach) {}
  [[nodiscard]] bool reads(const Box& from, const Box& read) const {
    if (read.is_empty()) return false;
    std::size_t apart = 0;
    for (std::size_t a = 0; a < max_dimensions; ++a) {
      const Index gap = std::max(read.begin[a] - from.end[a], from.begin[a] - read.end[a]) + 1;  // 1: side by side
      if (gap > reach_) return false;
      apart += gap > 0 ? 1 : 0;
    }
    return apart <= axes_;
  }

 private:
  static std::size_t axes_of(Neighbours which) {
    if (which == Neighbours::faces) return 1;
    return which == Neighbours::faces_and_edges ? 2 : max_dimensions;
  }
  std::size_t axes_;
  Index reach_;
};

/// Whether it reads a point of the other box, or an image of one beyond an axis that wraps.
bool reads_piece(const Stencil& stencil, const BlockGrid& grid, const TileRules& rules, const Box& from,
                 const Box& read) {
  if (stencil.reads(from, read)) return true;
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    if (!rules.wraps[axis]) continue;
    const Index n = grid.block().extent(axis);
    for (const Index shift : {-n, n}) {
      if (stencil.reads(from, read.with(axis, read.begin[axis] + shift, read.end[axis] + shift))) return true;
    }
  }
  return false;
}

void connect(Tiles& tiles, const BlockGrid& grid, const TileRules& rules, const Stencil& stencil) {
  for (std::size_t p = 0; p < tiles.pieces.size(); ++p) {
    Piece& piece = tiles.pieces[p];
    for (std::size_t q = 0; q < tiles.pieces.size(); ++q) {
      if (q != p && reads_piece(stencil, grid, rules, piece.box, tiles.pieces[q].box)) piece.touching.push_back(q);
    }
    for (std::size_t n = 0; n < tiles.neighbours.size(); ++n) {
      const Neighbour& neighbour = tiles.neighbours[n];
      if (stencil.reads(piece.box, neighbour.receive)) piece.ghosts.push_back(n);
      if (!intersection(piece.box, neighbour.send).is_empty()) piece.sent_to.push_back(n);
    }
  }
}

[[maybe_unused]] bool are_possible(const BlockGrid& grid, const TileRules& rules, Neighbours exchanged) {
  const bool has_rims = std::ranges::all_of(rules.rim, [](const auto& rim) { return rim.value_or(0) >= 0; });
  const Index reach = rules.reach.value_or(grid.ghosts());
  return has_rims && rules.interior_pieces > 0 && rules.rim_pieces > 0 && reach >= 0 && reach <= grid.ghosts() &&
         exchanged >= rules.stencil;
}

}  // namespace

Tiles cut_tiles(const BlockGrid& grid, const TileRules& rules, Neighbours exchanged) {
  TACIT_EXPECT(are_possible(grid, rules, exchanged));
  Tiles tiles{.neighbours = grid.neighbours(exchanged), .pieces = cut(grid, rules)};
  connect(tiles, grid, rules, Stencil(rules.stencil, rules.reach.value_or(grid.ghosts())));
  return tiles;
}

FieldData add_field(tasks::Graph& graph, const Tiles& tiles) {
  FieldData field;
  for (std::size_t i = 0; i < tiles.pieces.size(); ++i) field.pieces.push_back(graph.add_datum());
  for (std::size_t i = 0; i < tiles.neighbours.size(); ++i) field.ghosts.push_back(graph.add_datum());
  return field;
}

tasks::Accesses reads_around(const Tiles& tiles, const FieldData& field, std::size_t piece) {
  const Piece& around = tiles.pieces[piece];
  std::vector<tasks::DatumId> read{field.pieces[piece]};
  for (const std::size_t p : around.touching) read.push_back(field.pieces[p]);
  for (const std::size_t n : around.ghosts) read.push_back(field.ghosts[n]);
  return tasks::reads_all(read);
}

HaloAccesses halo_accesses(const Tiles& tiles, const FieldData& field) {
  HaloAccesses accesses;
  accesses.pack.resize(tiles.neighbours.size());
  for (std::size_t p = 0; p < tiles.pieces.size(); ++p) {
    for (const std::size_t n : tiles.pieces[p].sent_to) {
      accesses.pack[n].emplace_back(field.pieces[p], tasks::AccessMode::read);
    }
  }
  for (const tasks::DatumId ghosts : field.ghosts) accesses.unpack.push_back(tasks::writes(ghosts));
  return accesses;
}

}  // namespace tacit::mesh
