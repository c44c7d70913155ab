// The domain of a grid of cells: what keys make of it, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/test_folder.hpp"
#include "tacit/mesh/domain.hpp"

namespace tacit::mesh::domain_test {
namespace {

constexpr std::array wall_choices{config::Choice{"periodic", Wall::periodic, "the other side"},
                                  config::Choice{"fixed", Wall::fixed, "a value"},
                                  config::Choice{"shut", Wall::insulating, "nothing passes"}};
constexpr std::array keys{cells_key("flow.cells"), box_key("flow.box", "Sides."),
                          config::Key::choice_list("flow.walls", wall_choices, "Of each axis."),
                          config::Key::vector("flow.low", {}, "Values."),
                          config::Key::vector("flow.high", {}, "Values.")};

constexpr std::array unit_keys{
    config::Key::quantity("units.length", base::dimension::length, "", "1 cm"),
    config::Key::quantity("units.mass", base::dimension::mass, "", "1 g"),
    config::Key::quantity("units.velocity", base::dimension::velocity, "", "1 cm/s"),
    config::Key::quantity("units.temperature", base::dimension::temperature, "", "1 K"),
    config::Key::quantity("units.current", {.current = 1}, "", "1 A"),
};

/// Of a parameter file that has these lines.
config::Parameters parameters_of(const std::string& lines) {
  const auto path = test::test_folder() / "test_domain.toml";
  std::ofstream(path) << "[flow]\n" << lines;
  return config::Document(path, {}).read(
      std::array{config::KeyTable{"Units", unit_keys}, config::KeyTable{"Flow", keys}});
}

/// The message that reading ends in, without the place.
template <class Read>
std::string refusal(const Read& read) {
  try {
    static_cast<void>(read());
  } catch (const config::Error& error) {
    const config::Problem& problem = error.problems()[0];
    return problem.key + ": " + problem.message + " (" + problem.hint + ")";
  }
  return "nothing was refused";
}

TEST(MeshDomain, HasTheCellsAndTheBoxOfItsKeys) {
  const Domain domain = read_domain(parameters_of("cells = [8, 5]\nbox = [2.0, 1.0, 7.0]"), "flow");
  EXPECT_EQ(domain.dimensions, 2U);
  EXPECT_EQ(domain.cells, (std::array<Index, 3>{8, 5, 1}));
  EXPECT_EQ(domain.box, (std::array{2.0, 1.0, 1.0}));  // along an axis that there is not it is 1 wide
  EXPECT_EQ(domain.spacing(0), 0.25);
  EXPECT_EQ(domain.position(0, 3), 0.875);
  EXPECT_EQ(domain.size(), 40U);
  EXPECT_EQ(domain.volume(), 0.25 * 0.2);
  const GridSpec grid = domain.grid(2);
  EXPECT_EQ(grid.points, (std::vector<Index>{8, 5}));
  EXPECT_EQ(grid.boundaries, (std::vector{Boundary::periodic, Boundary::periodic}));
  EXPECT_EQ(grid.ghosts, 2);
}

TEST(MeshDomain, CellsAreWholeNumbersOfOneToThreeAxes) {
  const auto read = [](const std::string& cells) {
    return [text = "cells = " + cells] { return read_domain(parameters_of(text), "flow"); };
  };
  EXPECT_EQ(refusal(read("[8, 6, 4, 2]")), "flow.cells: has 4 numbers (one to three: [64], [64, 64], [64, 64, 64])");
  EXPECT_EQ(refusal(read("[8, 6.5]")), "flow.cells: expected whole numbers (for example [64, 64])");
}

TEST(MeshDomain, AListForAxesIsForEachOrForAll) {
  const auto read = [](const std::string& walls) {
    return read_per_axis(parameters_of("cells = [8, 5]\n" + walls), "flow.walls", wall_choices, Wall::insulating, 2,
                         "walls", "flow.cells");
  };
  EXPECT_EQ(read(""), (std::vector{Wall::insulating, Wall::insulating}));
  EXPECT_EQ(read("walls = \"fixed\""), (std::vector{Wall::fixed, Wall::fixed}));
  EXPECT_EQ(read("walls = [\"fixed\", \"shut\"]"), (std::vector{Wall::fixed, Wall::insulating}));
  EXPECT_EQ(refusal([&] { return read("walls = [\"fixed\", \"fixed\", \"shut\"]"); }),
            "flow.walls: has 3 walls for 2 axes (one for each axis of flow.cells, or one for all)");
}

/// Of 8 x 5 cells.
Domain domain_with(const std::string& walls) {
  const config::Parameters parameters = parameters_of("cells = [8, 5]\n" + walls);
  Domain domain = read_domain(parameters, "flow");
  read_walls(parameters, "flow", wall_choices, domain);
  return domain;
}

TEST(MeshDomain, WallsHaveValuesWhereTheyAreFixedAndOnlyThere) {
  const Domain open = domain_with("");
  EXPECT_TRUE(open.has(Wall::periodic));
  EXPECT_FALSE(open.has(Wall::fixed));
  const std::string values = "low = [1.0, 2.0, 3.0]\nhigh = [4.0, 5.0, 6.0]\n";
  const Domain domain = domain_with("walls = [\"fixed\", \"shut\"]\n" + values);
  EXPECT_TRUE(domain.has(Wall::fixed));
  EXPECT_FALSE(domain.has(Wall::periodic));  // the third axis is not there
  EXPECT_EQ(domain.grid().boundaries, (std::vector{Boundary::wall, Boundary::wall}));
  EXPECT_EQ(domain.low[0], 1.0);
  EXPECT_EQ(domain.high[0], 4.0);
  EXPECT_EQ(refusal([&] { return domain_with("walls = \"shut\"\n" + values); }),
            "flow.low: has no effect: no wall is fixed (remove this line)");
  EXPECT_EQ(refusal([] { return domain_with("walls = \"fixed\"\nlow = [1.0, 1.0, 1.0]\n"); }),
            "flow.high: is missing: a wall is fixed (write 'high = [0, 0, 0]' in [flow])");
}

TEST(MeshDomain, AGhostCellStandsForACellInside) {
  const Domain domain = domain_with("walls = [\"periodic\", \"shut\"]");
  EXPECT_EQ(domain.inside({-1, -1, 0}), (Cell{7, 0, 0}));
  EXPECT_EQ(domain.inside({8, 5, 0}), (Cell{0, 4, 0}));
  EXPECT_EQ(domain.inside({3, 2, 0}), (Cell{3, 2, 0}));
}

TEST(MeshDomain, BeyondItsSidesAreImagesAndTheMirroredCellsOfWalls) {
  const Domain domain = domain_with("walls = [\"fixed\", \"shut\"]\nlow = [1.0, 0.0, 0.0]\nhigh = [4.0, 0.0, 0.0]\n");
  const BlockGrid grid = grid_with_sides(domain.grid(), 1, comm::RankId{0});
  Field field = field_of(grid, grid.block(), [](const Cell& cell) { return 10.0 * static_cast<double>(cell[0] + 1); });
  fill_sides(grid, sides_of(domain, grid), grid.block(), field);
  const auto at = [&](Index x, Index y) { return field[grid.layout().index({x, y, 0, 0})]; };
  EXPECT_EQ(at(-1, 2), 2.0 - 10.0);  // the mean with the cell before it is 1
  EXPECT_EQ(at(8, 2), 8.0 - 80.0);
  EXPECT_EQ(at(4, -1), 50.0);
  EXPECT_EQ(at(4, 5), 50.0);
  const Domain open = domain_with("");
  const BlockGrid whole = grid_with_sides(open.grid(), 1, comm::RankId{0});
  EXPECT_EQ(sides_of(open, whole)[0][1].kind, SideRule::Kind::image);
}

TEST(MeshDomain, IsDividedAmongAsManyRanksAsItHasCellsFor) {
  const config::Parameters parameters = parameters_of("cells = [4]");
  const Domain domain = read_domain(parameters, "flow");
  EXPECT_EQ(divide(domain, 1, 2, comm::RankId{1}, parameters, "flow.cells").range(0).begin, 2);
  const std::string said = refusal([&] { return divide(domain, 1, 5, comm::RankId{0}, parameters, "flow.cells"); });
  EXPECT_EQ(said.substr(0, 12), "flow.cells: ");
  EXPECT_NE(said.find("(fewer ranks or more cells)"), std::string::npos) << said;
}

TEST(MeshDomain, CellsAreNumberedByPosition) {
  const Domain domain{.dimensions = 2, .cells = {7, 5, 1}, .box = {0.7, 3.1, 1.0}};
  std::uint64_t number = 0;
  for (Index y = 0; y < 5; ++y) {
    for (Index x = 0; x < 7; ++x) {
      EXPECT_EQ(domain.number_at({domain.position(0, x), domain.position(1, y), domain.position(2, 0)}), number++);
    }
  }
}

}  // namespace
}  // namespace tacit::mesh::domain_test
