// A block cut into pieces for tasks, so that those which need no ghost points do not wait for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/box.hpp"
#include "tacit/mesh/halo.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::mesh {

/// How a block is cut.
struct TileRules {
  /// Thickness of the rim at each side of an axis [points]; 0: none, and all pieces along that axis may wait for its
  /// ghosts. Default: where there is a neighbour at that side, another rank or this one, the ghost width; along x,
  /// whose short rows are slow, 8 points if the block has 32 or more.
  std::array<std::optional<Index>, max_dimensions> rim = {};
  std::size_t interior_pieces = 1;  ///< of the rest, along the slowest axis that has so many points
  std::size_t rim_pieces = 1;       ///< of the rim at each side of an axis, likewise
  /// How the stencil reaches: `faces` along the axes, `faces_and_edges` in their planes, `all` everywhere.
  Neighbours stencil = Neighbours::faces;
  std::optional<Index> reach = {};  ///< of the stencil along an axis [points]; default: the ghost width
  /// Axes of which this rank has both ends, and whose ghosts are images of the other one (see sides.hpp): pieces there
  /// touch.
  std::array<bool, max_dimensions> wraps = {};
};

/// A box of own points that one task computes. Pieces are named by their places in Tiles::pieces, neighbours by theirs
/// in Tiles::neighbours.
struct Piece {
  Box box;
  std::vector<std::size_t> touching = {};  ///< other pieces with points that the stencil reads; so do they of this one
  std::vector<std::size_t> ghosts = {};    ///< neighbours whose ghost points the stencil reads; none in the interior
  std::vector<std::size_t> sent_to = {};   ///< neighbours that are sent some of its points
};

/// The pieces of a block, each own point in one of them, and with whom they exchange.
struct Tiles {
  std::vector<Neighbour> neighbours;
  std::vector<Piece> pieces;  ///< first those of the rim, which are computed first so that their points can go
};

/// Cuts the block of this rank:
///
///     y  +---------------+   first the rim of the slowest axis, over the whole width, then those of the others
///     |  | ------------- |   between, the interior last: 2 per axis with neighbours, + 1
///     |  | |           | |
///     |  +---------------+      x ->
///
/// A piece belongs to the interior if the stencil reads no ghosts from it.
/// @param exchanged  whose ghosts are filled: at least those which the stencil reads
/// @throws base::PreconditionError with checks if a rule is negative, 0 pieces, or reaches farther than the ghosts
[[nodiscard]] Tiles cut_tiles(const BlockGrid& grid, const TileRules& rules = {},
                              Neighbours exchanged = Neighbours::faces);

/// The data of a field on tiles: one for each piece, and one for the ghost points of each neighbour.
///
///     const mesh::Tiles tiles = mesh::cut_tiles(grid);
///     const auto u = mesh::add_field(graph, tiles), rhs = mesh::add_field(graph, tiles);
///     exchange::Messages halo;
///     mesh::add_halo<double>(halo, grid, {.neighbours = tiles.neighbours}, mesh::halo_accesses(tiles, u), field_of_u);
///     exchange.add(graph, "halo", std::move(halo));
///     for (std::size_t p = 0; p < tiles.pieces.size(); ++p) {
///       graph.add("rhs", mesh::reads_around(tiles, u, p), tasks::writes(rhs.pieces[p]), ...);
///     }
struct FieldData {
  std::vector<tasks::DatumId> pieces;
  std::vector<tasks::DatumId> ghosts;
};
[[nodiscard]] FieldData add_field(tasks::Graph& graph, const Tiles& tiles);

/// Reads of what the stencil needs for a piece: its points, those of the pieces that it touches, and ghosts.
[[nodiscard]] tasks::Accesses reads_around(const Tiles& tiles, const FieldData& field, std::size_t piece);

/// What the messages of a halo touch: per neighbour, reads of the pieces that are sent, writes of its ghosts. Those of
/// several fields that travel together are joined by the caller.
[[nodiscard]] HaloAccesses halo_accesses(const Tiles& tiles, const FieldData& field);

}  // namespace tacit::mesh
