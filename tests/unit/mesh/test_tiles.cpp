// Tiles: pieces cover the block once, and name exactly what a stencil reads around them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tacit/mesh/tiles.hpp"
#include "unit/mesh/grids.hpp"

namespace tacit::mesh::tiles_test {

using testing::describe;
using testing::for_points;
using testing::rank_id;

/// Per point of a field: the piece or the neighbour that it belongs to; -1: none.
struct Owners {
  std::vector<int> piece;
  std::vector<int> neighbour;
};

Owners owners_of(const BlockGrid& grid, const Tiles& tiles) {
  Owners owners{.piece = std::vector<int>(grid.layout().size(), -1),
                .neighbour = std::vector<int>(grid.layout().size(), -1)};
  for (std::size_t p = 0; p < tiles.pieces.size(); ++p) {
    EXPECT_FALSE(tiles.pieces[p].box.is_empty());
    for_points(tiles.pieces[p].box, [&](const Point& point) {
      int& piece = owners.piece[grid.layout().index(point)];
      EXPECT_EQ(piece, -1) << "a point in two pieces";
      piece = static_cast<int>(p);
    });
  }
  for (std::size_t n = 0; n < tiles.neighbours.size(); ++n) {
    for_points(tiles.neighbours[n].receive,
               [&](const Point& point) { owners.neighbour[grid.layout().index(point)] = static_cast<int>(n); });
  }
  return owners;
}

/// Offsets of the points that a stencil reads, without its own.
std::vector<Point> stencil_points(std::size_t dimensions, const TileRules& rules, Index ghosts) {
  const Index reach = rules.reach.value_or(ghosts);
  const std::size_t most = rules.stencil == Neighbours::faces ? 1 : rules.stencil == Neighbours::all ? 4 : 2;
  Box box{.begin = {}, .end = {1, 1, 1, 1}};
  for (std::size_t a = 0; a < dimensions; ++a) box = box.with(a, -reach, reach + 1);
  std::vector<Point> points;
  for_points(box, [&](const Point& point) {
    const auto axes = 4 - static_cast<std::size_t>(std::ranges::count(point, 0));
    if (axes > 0 && axes <= most) points.push_back(point);
  });
  return points;
}

/// By walking the stencil over every point.
void check_pieces(const BlockGrid& grid, const TileRules& rules, Neighbours exchanged, const std::string& about) {
  const Tiles tiles = cut_tiles(grid, rules, exchanged);
  const Owners owners = owners_of(grid, tiles);
  const auto stencil = stencil_points(grid.dimensions(), rules, grid.ghosts());
  for (std::size_t p = 0; p < tiles.pieces.size(); ++p) {
    std::set<std::size_t> touching;
    std::set<std::size_t> ghosts;
    std::set<std::size_t> sent_to;
    for_points(tiles.pieces[p].box, [&](const Point& point) {
      for (const Point& offset : stencil) {
        Point read = point;
        for (std::size_t a = 0; a < max_dimensions; ++a) read[a] += offset[a];
        const std::size_t i = grid.layout().index(read);
        if (owners.piece[i] >= 0) touching.insert(static_cast<std::size_t>(owners.piece[i]));
        if (owners.neighbour[i] >= 0) ghosts.insert(static_cast<std::size_t>(owners.neighbour[i]));
      }
      for (std::size_t n = 0; n < tiles.neighbours.size(); ++n) {
        if (tiles.neighbours[n].send.contains(point)) sent_to.insert(n);
      }
    });
    touching.erase(p);
    const Piece& piece = tiles.pieces[p];
    EXPECT_EQ(piece.touching, std::vector<std::size_t>(touching.begin(), touching.end())) << about;
    EXPECT_EQ(piece.ghosts, std::vector<std::size_t>(ghosts.begin(), ghosts.end())) << about;
    EXPECT_EQ(piece.sent_to, std::vector<std::size_t>(sent_to.begin(), sent_to.end())) << about;
  }
  for_points(grid.block(),
             [&](const Point& point) { EXPECT_GE(owners.piece[grid.layout().index(point)], 0) << about; });
}

TEST(MeshTiles, PiecesNameExactlyWhatTheStencilReads) {
  testing::for_grids([](const GridSpec& spec, std::size_t ranks) {
    if (ranks % 5 > 2) return;
    const BlockGrid grid(spec, ranks, rank_id(ranks / 2));
    check_pieces(grid, {}, Neighbours::faces, describe(spec, ranks));
    check_pieces(grid, {.interior_pieces = 3, .rim_pieces = 2}, Neighbours::all, describe(spec, ranks));
    check_pieces(grid, {.rim = {0, 3, 1, 0}, .interior_pieces = 2, .stencil = Neighbours::all}, Neighbours::all,
                 describe(spec, ranks));
    check_pieces(grid, {.interior_pieces = 2, .stencil = Neighbours::faces_and_edges, .reach = spec.ghosts / 2},
                 Neighbours::all, describe(spec, ranks));
  });
}

TEST(MeshTiles, TheInteriorReadsNoGhosts) {
  const GridSpec spec{.points = {40, 20, 20}, .boundaries = testing::boundaries(3, 7), .ghosts = 2};
  const BlockGrid grid(spec, 1, rank_id(0));
  const Tiles tiles = cut_tiles(grid, {.interior_pieces = 4});
  ASSERT_EQ(tiles.pieces.size(), 10U);
  EXPECT_EQ(tiles.pieces[0].box, grid.block().with(2, 0, 2));  // the slowest axis first, over the whole width
  EXPECT_EQ(tiles.pieces[1].box, grid.block().with(2, 18, 20));
  EXPECT_EQ(tiles.pieces[2].box, grid.block().with(2, 2, 18).with(1, 0, 2));
  EXPECT_EQ(tiles.pieces[4].box, grid.block().with(2, 2, 18).with(1, 2, 18).with(0, 0, 8));  // rows of a vector
  for (std::size_t p = 0; p < 6; ++p) EXPECT_FALSE(tiles.pieces[p].ghosts.empty());
  for (std::size_t p = 6; p < 10; ++p) {
    EXPECT_TRUE(tiles.pieces[p].ghosts.empty());
    EXPECT_TRUE(tiles.pieces[p].sent_to.empty());
    EXPECT_EQ(tiles.pieces[p].box.extent(2), 4);
  }
}

TEST(MeshTiles, RimsAreOnlyWhereNeighboursAre) {
  const GridSpec spec{.points = {40, 20, 20}, .boundaries = testing::boundaries(3, 0), .ranks = {1, 1, 2}};
  const BlockGrid low(spec, 2, rank_id(0));
  const Tiles tiles = cut_tiles(low);
  ASSERT_EQ(tiles.pieces.size(), 2U);
  EXPECT_EQ(tiles.pieces[0].box, low.block().with(2, 9, 10));
  EXPECT_EQ(tiles.pieces[1].box, low.block().with(2, 0, 9));
  EXPECT_EQ(tiles.pieces[0].touching, std::vector<std::size_t>{1});
  EXPECT_EQ(tiles.pieces[1].touching, std::vector<std::size_t>{0});
  const BlockGrid alone({.points = {40, 20, 20}, .boundaries = testing::boundaries(3, 0)}, 1, rank_id(0));
  EXPECT_EQ(cut_tiles(alone).pieces.size(), 1U);
  EXPECT_EQ(cut_tiles(alone, {.interior_pieces = 5}).pieces.size(), 5U);
}

// A cube of 400 points a side is worth more tasks than it has planes; parts along x would be a point wide.
TEST(MeshTiles, RowsAreNotCutWhereOtherAxesHaveFewerPointsThanParts) {
  const auto first_piece = [](std::vector<Index> points, std::size_t pieces) {
    const GridSpec spec{.points = std::move(points), .boundaries = testing::boundaries(3, 0)};
    const Tiles tiles = cut_tiles(BlockGrid(spec, 1, rank_id(0)), {.interior_pieces = pieces});
    const Box& box = tiles.pieces[0].box;
    return std::vector<Index>{static_cast<Index>(tiles.pieces.size()), box.extent(0), box.extent(1), box.extent(2)};
  };
  EXPECT_EQ(first_piece({40, 40, 40}, 48), (std::vector<Index>{40, 40, 40, 1}));
  EXPECT_EQ(first_piece({100, 50, 40}, 80), (std::vector<Index>{50, 100, 1, 40}));
  EXPECT_EQ(first_piece({4096, 6, 4}, 10), (std::vector<Index>{10, 409, 6, 4}));    // long rows of few
  EXPECT_EQ(first_piece({4096, 6, 4}, 1000), (std::vector<Index>{1000, 4, 6, 4}));  // no better axis
}

TEST(MeshTiles, ThicknessIsChosenPerAxis) {
  const GridSpec spec{.points = {40, 20}, .boundaries = testing::boundaries(2, 3)};
  const BlockGrid grid(spec, 1, rank_id(0));
  const Tiles tiles = cut_tiles(grid, {.rim = {0, 3}, .rim_pieces = 2});
  ASSERT_EQ(tiles.pieces.size(), 5U);
  EXPECT_EQ(tiles.pieces[0].box, grid.block().with(1, 0, 1));
  EXPECT_EQ(tiles.pieces[1].box, grid.block().with(1, 1, 3));
  EXPECT_EQ(tiles.pieces[4].box, grid.block().with(1, 3, 17));
  EXPECT_EQ(tiles.pieces[4].ghosts.size(), 2U);  // without a rim along x it reads the ghosts there
}

TEST(MeshTiles, RulesThatCannotBeAreRefused) {
  const BlockGrid grid({.points = {9, 9}, .boundaries = testing::boundaries(2, 3)}, 1, rank_id(0));
  for (const TileRules& rules :
       {TileRules{.rim = {-1}}, TileRules{.interior_pieces = 0}, TileRules{.rim_pieces = 0}, TileRules{.reach = 2},
        TileRules{.reach = -1}, TileRules{.stencil = Neighbours::all}}) {
    EXPECT_THROW((void)cut_tiles(grid, rules), base::PreconditionError);
  }
}

/// The graph of a step as the docstring of FieldData draws it.
TEST(MeshTiles, TasksWaitForWhatTheyReadOnly) {
  const GridSpec spec{.points = {4, 8}, .boundaries = testing::boundaries(2, 0), .ranks = {1, 2}};
  const Tiles tiles = cut_tiles(BlockGrid(spec, 2, rank_id(0)), {.interior_pieces = 2});
  ASSERT_EQ(tiles.pieces.size(), 3U);  // y = 3, 0, 1 to 2
  tasks::Graph graph;
  const FieldData u = add_field(graph, tiles);
  const FieldData rhs = add_field(graph, tiles);
  const HaloAccesses halo = halo_accesses(tiles, u);
  ASSERT_EQ(halo.pack.size(), 1U);
  graph.add("pack", halo.pack[0], [](tasks::StepContext&) {});
  graph.add("unpack", halo.unpack[0], [](tasks::StepContext&) {});
  for (std::uint32_t p = 0; p < 3; ++p) {
    graph.add("rhs", reads_around(tiles, u, p), tasks::writes(rhs.pieces[p]), [](tasks::StepContext&) {}, {.key = p});
  }
  for (std::uint32_t p = 0; p < 3; ++p) {
    graph.add("add", tasks::reads(rhs.pieces[p]), tasks::writes(u.pieces[p]), [](tasks::StepContext&) {}, {.key = p});
  }
  std::ostringstream dot;
  graph.write_dot(dot, graph.activate_all());
  std::vector<std::string> edges;
  std::istringstream lines(dot.str());
  for (std::string line; std::getline(lines, line);) {
    if (line.find("->") != std::string::npos) edges.push_back(line);
  }
  std::ranges::sort(edges);
  std::string all;
  for (const std::string& edge : edges) all += edge + "\n";
  EXPECT_EQ(all,
            "  \"pack[0]\" -> \"add[0]\";\n"  // what is sent stays until it has been packed
            "  \"rhs[0]\" -> \"add[0]\";\n"
            "  \"rhs[0]\" -> \"add[2]\";\n"
            "  \"rhs[1]\" -> \"add[1]\";\n"
            "  \"rhs[1]\" -> \"add[2]\";\n"
            "  \"rhs[2]\" -> \"add[0]\";\n"
            "  \"rhs[2]\" -> \"add[1]\";\n"
            "  \"rhs[2]\" -> \"add[2]\";\n"
            "  \"unpack[0]\" -> \"rhs[0]\";\n");  // the rim alone waits for ghosts
}

}  // namespace tacit::mesh::tiles_test
