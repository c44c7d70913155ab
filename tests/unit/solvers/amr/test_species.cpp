// Species: they move with the gas, each is kept, and together they are the gas, through levels that come and go.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "running_amr.hpp"

namespace tacit::amr {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

/// In a periodic box a dense blob drifts with sub-grids that follow it, and a hot ball sends shocks through it.
AmrParameters gas_of_species(const std::string& amr) {
  AmrParameters parameters =
      parameters_of("initial.setup = \"wave\"\n[amr]\nregrid_every = 3\nroot = [4, 4]\nfinest = 2\n" + amr);
  parameters.initial.exact = {};
  parameters.initial.state = [](const Point& x) {
    const double r = std::hypot(x[0] - 0.3, x[1] - 0.4);
    const bool is_hot = std::hypot(x[0] - 0.6, x[1] - 0.55) < 0.13;
    return GasState{1.0 + 3.0 * std::exp(-r * r / 0.01), {1.0, 0.5, 0.0}, is_hot ? 20.0 : 1.0};
  };
  return parameters;
}

/// Calls visit(variables, cell) for all cells.
template <class Visit>
void for_cells_of(const RunningAmr& run, const Visit& visit) {
  const SubGrids& grids = run.solver().grids();
  for (std::size_t leaf = 0; leaf < run.solver().tree().size(); ++leaf) {
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) visit(grids.now(leaf), cell);
  }
}

/// With the internal energy before them among the fields, and without.
TEST(AmrSpecies, AreKeptAndAddUpToTheGas) {
  for (const char* const dual : {"never", "always"}) {
    AmrParameters parameters = gas_of_species(std::string("species = 3\ndual_energy = \"") + dual + "\"\n");
    parameters.initial.fractions = [](const Point& x) {
      if (x[1] < 0.4) return all_of(2);
      const double X = 0.5 + 0.5 * std::sin(7.0 * x[0]);
      return Fractions{X, 1.0 - X};
    };
    RunningAmr run(parameters);
    const engine::Conserved before = run.solver().conserved();
    const std::size_t leaves = run.solver().tree().size();
    bool is_adapted = false;
    for (int part = 0; part < 10; ++part) {
      run.steps(6);
      is_adapted |= run.solver().tree().size() != leaves;
      const engine::Conserved after = run.solver().conserved();
      ASSERT_EQ(after.quantities.size(), 6U);
      for (std::size_t k = 3; k < 6; ++k) {
        EXPECT_GT(before.quantities[k].value[0], 0.1);
        EXPECT_NEAR(after.quantities[k].value[0], before.quantities[k].value[0], 1e-14 * after.quantities[k].scale);
      }
    }
    EXPECT_TRUE(is_adapted);
    const std::size_t first = run.solver().grids().fields().first_species();
    for_cells_of(run, [&](kernels::Variables<const double> U, std::size_t cell) {
      const double rho = U.of(0)[cell];
      ASSERT_NEAR(U.of(first)[cell] + U.of(first + 1)[cell] + U.of(first + 2)[cell], rho, 1e-13 * rho);
      for (std::size_t k = 0; k < 3; ++k) ASSERT_GE(U.of(first + k)[cell], -1e-12 * rho);
    });
  }
}

TEST(AmrSpecies, FractionsThatAreAlikeEverywhereStay) {
  AmrParameters parameters = gas_of_species("species = 2\n");
  parameters.initial.fractions = [](const Point&) { return Fractions{0.3, 0.7}; };
  RunningAmr run(parameters);
  run.steps(60);
  const std::size_t first = run.solver().grids().fields().first_species();
  double largest = 0.0;
  for_cells_of(run, [&](kernels::Variables<const double> U, std::size_t cell) {
    largest = std::max(largest, std::abs(U.of(first)[cell] / U.of(0)[cell] - 0.3));
  });
  EXPECT_LT(largest, 2e-14);
}

/// The contact of a shock tube parts them, at 0.5 + 0.92745 t. It is smeared over some cells.
TEST(AmrSpecies, MeetWhereTheContactIs) {
  RunningAmr tube("initial.setup = \"sod\"\n[amr]\nroot = [16]\nlow = \"outflow\"\nspecies = 2\n");
  tube.until(0.2);
  EXPECT_NEAR(column(tube, "mass_species_1"), 0.5, 1e-14);
  EXPECT_NEAR(column(tube, "mass_species_2"), 0.0625, 1e-14);
  double beyond = 0.0;
  double before = 0.0;
  for (std::size_t leaf = 0; leaf < 16; ++leaf) {
    const auto U = tube.solver().grids().now(leaf);
    for (std::size_t cell = 0; cell < 8; ++cell) {
      const double x = (static_cast<double>(8 * leaf + cell) + 0.5) / 128.0;
      const double contact = 0.5 + 0.9274526200489 * 0.2;
      (x > contact ? beyond : before) += U.of(x > contact ? 5 : 6)[cell] / 128.0;
    }
  }
  // Less than a cell's mass of densities 0.43 and 0.27 on the wrong side.
  EXPECT_LT(beyond, 0.0034);
  EXPECT_LT(before, 0.0021);
}

/// Kinds of gas beyond the number that is asked for count as the last.
TEST(AmrSpecies, TheLastHasAllOthers) {
  const std::string blast = "initial.setup = \"sedov\"\n[sedov]\nradius = 0.3\n[amr]\nroot = [2, 2]\nspecies = ";
  const RunningAmr one(blast + "1\n");
  EXPECT_NEAR(column(one, "mass_species_1"), 1.0, 1e-14);
  const RunningAmr three(blast + "3\n");
  EXPECT_NEAR(column(three, "mass_species_1"), 3.14159 * 0.09, 0.02);
  EXPECT_NEAR(column(three, "mass_species_1") + column(three, "mass_species_2"), 1.0, 1e-14);
  EXPECT_EQ(column(three, "mass_species_3"), 0.0);
}

}  // namespace
}  // namespace tacit::amr
