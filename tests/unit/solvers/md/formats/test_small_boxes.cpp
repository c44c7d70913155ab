// Open boxes of files that are much smaller than what is in them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/solvers/md/start.hpp"
#include "unit/solvers/md/running_md.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md {
namespace {

using testing::State;
using testing::state_of;

/// 12^3 atoms on a lattice, disturbed, and hot, about the origin; one is far from all others.
MdParameters droplet(double edge, const std::string& boundary = "F F F") {
  std::string text = fmt::format(
      "1729\nLattice=\"{0} 0 0 0 {0} 0 0 0 {0}\" pbc=\"{1}\" Properties=species:S:1:pos:R:3\n", edge, boundary);
  for (std::uint64_t i = 0; i < 1728; ++i) {
    const auto place = [i](std::uint64_t n, std::uint64_t axis) {
      return 1.2 * (static_cast<double>(n % 12) - 5.5) + 0.1 * base::uniform(3, i, axis);
    };
    text += fmt::format("Ar {:.6f} {:.6f} {:.6f}\n", place(i, 0), place(i / 12, 1), place(i / 144, 2));
  }
  text += "Ar 100000 3 3\n";
  const auto path = testing::scratch_path(".xyz");
  std::ofstream(path) << text;
  return read_parameters(testing::parameters_of("[initial]\nsetup = \"file\"\nfile = \"" + path.string() +
                                                "\"\n[md]\ndt = 0.004\n[velocities]\ntemperature = 1.5\n"
                                                "[lennard_jones]\ntruncation = \"force_shifted\"\n"));
}

/// Cells as wide as cutoff and skin, whatever the box says: were there one alone, each atom would look at all others.
TEST(MdSmallBoxes, CellsGoAsFarAsTheAtoms) {
  const MdParameters parameters = droplet(1.0);
  const Box& box = parameters.initial.atoms.box;
  EXPECT_EQ(box.size.x, 1.0);  // which is what files say
  const auto shape = Division::shape_for(box, 2.8, 1729);
  EXPECT_EQ(shape, (std::array{4, 4, 4}));
  std::vector<std::size_t> counts(64, 0);
  for (const base::Vec3& x : parameters.initial.atoms.x) {
    ++counts[Division::number_of(shape, Division::index_at(shape, box.cell_fraction(x)))];
  }
  EXPECT_LE(*std::ranges::max_element(counts), 64U);  // 27 in the mean
  EXPECT_GE(most_ranks(parameters), 64U);
  const Box& periodic = droplet(30.0, "T F T").initial.atoms.box;  // along closed axes nothing lies outside
  EXPECT_EQ(periodic.cells_begin.x, 0.0);
  EXPECT_EQ(periodic.cells_extent.z, 1.0);
  EXPECT_LT(periodic.cells_begin.y, -0.2);
}

/// The same atoms in a box that holds them have the same energy, to the rounding of sums in another order.
TEST(MdSmallBoxes, ForcesAreThoseOfALargeBox) {
  testing::RunningMd small(droplet(1.0));
  testing::RunningMd large(droplet(40.0));
  EXPECT_NEAR(small.energy(), large.energy(), 1e-11 * std::abs(large.energy()));
  EXPECT_LT(small.solver().measured().sums.potential_energy.value(), -1000.0);
}

TEST(MdSmallBoxes, BitsAreThoseOfAnyRanksThreadsAndRestarts) {
  const MdParameters parameters = droplet(1.0);
  const auto nothing = [](const MdSolver&) { return std::vector<double>{}; };
  const State alone = state_of(parameters, {.steps = 30}, nothing);
  EXPECT_EQ(state_of(parameters, {.ranks = 2, .workers = 2, .steps = 30}, nothing), alone);
  EXPECT_EQ(state_of(parameters, {.ranks = 4, .until_restart = 17, .steps = 30}, nothing), alone);
}

}  // namespace
}  // namespace tacit::md
