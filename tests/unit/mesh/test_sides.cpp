// Ghost points at walls and beyond undivided periodic axes follow from the right points, whatever piece sets them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tacit/mesh/sides.hpp"
#include "tacit/mesh/tiles.hpp"

namespace tacit::mesh {
namespace {

double number_at(const Point& point) {
  return 1.0 + static_cast<double>(point[0]) + 0.125 * static_cast<double>(point[1]) +
         0.015625 * static_cast<double>(point[2]);
}

std::vector<double> field_of(const BlockGrid& grid) {
  std::vector<double> field(grid.layout().size(), -1000.0);
  Point at = grid.block().begin;
  for (at[2] = 0; at[2] < grid.block().end[2]; ++at[2]) {
    for (at[1] = 0; at[1] < grid.block().end[1]; ++at[1]) {
      for (at[0] = 0; at[0] < grid.block().end[0]; ++at[0]) field[grid.layout().index(at)] = number_at(at);
    }
  }
  return field;
}

TEST(MeshSides, WallsMirrorWithSignAndShiftAndUndividedAxesShowTheirOtherEnd) {
  for (const Index ghosts : {1, 2, 3}) {
    const GridSpec spec{
        .points = {5, 4, 6}, .boundaries = {Boundary::periodic, Boundary::wall, Boundary::wall}, .ghosts = ghosts};
    const BlockGrid grid = grid_with_sides(spec, 1, comm::RankId{0});
    SideRules rules = images_of(spec, grid);
    EXPECT_EQ(rules[0][0].kind, SideRule::Kind::image);
    EXPECT_EQ(rules[1][1].kind, SideRule::Kind::none);
    rules[1][0] = {.kind = SideRule::Kind::mirror, .sign = -1.0, .shift = 5.0};
    rules[2].fill({.kind = SideRule::Kind::mirror});
    std::vector<double> field = field_of(grid);
    fill_sides(grid, rules, grid.block(), field);
    const auto value = [&](Index x, Index y, Index z) { return field[grid.layout().index({x, y, z, 0})]; };
    for (Index k = 0; k < ghosts; ++k) {
      EXPECT_EQ(value(-1 - k, 2, 3), number_at({4 - k, 2, 3, 0}));
      EXPECT_EQ(value(5 + k, 2, 3), number_at({k, 2, 3, 0}));
      EXPECT_EQ(value(1, -1 - k, 3), 5.0 - number_at({1, k, 3, 0}));
      EXPECT_EQ(value(1, 4 + k, 3), -1000.0);  // no rule
      EXPECT_EQ(value(1, 2, -1 - k), number_at({1, 2, k, 0}));
      EXPECT_EQ(value(1, 2, 6 + k), number_at({1, 2, 5 - k, 0}));
      EXPECT_EQ(value(-1 - k, 2, -1 - k), -1000.0);  // an edge
    }
    for (Index x = 0; x < 5; ++x) EXPECT_EQ(value(x, 3, 5), number_at({x, 3, 5, 0}));
  }
}

TEST(MeshSides, PiecesTogetherSetWhatTheBlockSets) {
  const GridSpec spec{.points = {9, 7, 8}, .boundaries = {Boundary::periodic, Boundary::periodic, Boundary::wall}};
  for (const std::uint32_t rank : {0U, 1U}) {
    const BlockGrid grid = grid_with_sides(spec, 2, comm::RankId{rank});
    SideRules rules = images_of(spec, grid);
    rules[2].fill({.kind = SideRule::Kind::mirror, .sign = -1.0, .shift = 2.0});
    std::vector<double> at_once = field_of(grid);
    std::vector<double> in_pieces = at_once;
    fill_sides(grid, rules, grid.block(), at_once);
    for (const Piece& piece : cut_tiles(grid, {.interior_pieces = 3}).pieces)
      fill_sides(grid, rules, piece.box, in_pieces);
    EXPECT_EQ(in_pieces, at_once);
  }
}

TEST(MeshSides, OnlyAxesThatNoRankDividesAreWhole) {
  const GridSpec spec{
      .points = {8, 8, 64}, .boundaries = {Boundary::periodic, Boundary::wall, Boundary::periodic}, .ranks = {1, 1, 4}};
  const BlockGrid grid = grid_with_sides(spec, 4, comm::RankId{2});
  EXPECT_EQ(grid.boundary(0), Boundary::wall);
  EXPECT_EQ(grid.boundary(2), Boundary::periodic);
  const SideRules rules = images_of(spec, grid);
  EXPECT_EQ(rules[0][1].kind, SideRule::Kind::image);
  EXPECT_EQ(rules[2][0].kind, SideRule::Kind::none);
}

TEST(MeshSides, PiecesAtBothEndsOfAWholeAxisTouch) {
  const GridSpec spec{.points = {4, 12}, .boundaries = {Boundary::wall, Boundary::periodic}};
  const BlockGrid grid = grid_with_sides(spec, 1, comm::RankId{0});
  const Tiles apart = cut_tiles(grid, {.interior_pieces = 4});
  EXPECT_EQ(apart.pieces[0].touching, std::vector<std::size_t>{1});
  const Tiles wrapped = cut_tiles(grid, {.interior_pieces = 4, .wraps = {false, true}});
  EXPECT_EQ(wrapped.pieces[0].touching, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(wrapped.pieces[1].touching, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(wrapped.pieces[3].touching, (std::vector<std::size_t>{0, 2}));
  const Tiles two = cut_tiles(grid, {.interior_pieces = 2, .wraps = {false, true}});
  EXPECT_EQ(two.pieces[0].touching, std::vector<std::size_t>{1});  // once
}

}  // namespace
}  // namespace tacit::mesh
