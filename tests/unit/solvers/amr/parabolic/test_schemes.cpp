// Runs with parabolas and three stages: orders, Riemann problems beside those of the linear scheme, sums.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "tacit/solvers/amr/setups/riemann_problem.hpp"
#include "unit/solvers/amr/running_amr.hpp"

namespace tacit::amr {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

const std::string parabolas_and_rk3 = "reconstruction = \"ppm\"\nintegrator = \"rk3\"\n";

/// Gas of one pressure that is carried once around a periodic box.
double carried_error(const std::string& scheme, int roots) {
  AmrParameters parameters =
      parameters_of(fmt::format("initial.setup = \"wave\"\n[amr]\nroot = [{}]\n{}", roots, scheme));
  parameters.initial.exact = [](double time) -> GasAt {
    return [time](const Point& x) {
      return GasState{1.0 + 0.5 * std::sin(2.0 * std::numbers::pi * (x[0] - time)), {1.0, 0.0, 0.0}, 1.0};
    };
  };
  parameters.initial.state = parameters.initial.exact(0.0);
  RunningAmr run(parameters);
  run.until(1.0);
  return run.statistic("error_density");
}

double sound_error(const std::string& scheme, int roots) {
  RunningAmr run(fmt::format("initial.setup = \"wave\"\n[amr]\nroot = [{}]\n{}", roots, scheme));
  run.until(1.0 / std::sqrt(1.4 * 0.6));
  return run.statistic("error_density");
}

TEST(AmrSchemes, CarryAndSoundHaveOrderThreeOnALine) {
  for (const auto error : {carried_error, sound_error}) {
    const double coarse = error(parabolas_and_rk3, 4);
    const double fine = error(parabolas_and_rk3, 8);
    EXPECT_GE(std::log2(coarse / fine), 2.8) << coarse << " " << fine;
    EXPECT_LT(fine, 0.1 * error("limiter = \"van_leer\"\n", 8));
    // Each part of the scheme alone is not enough.
    EXPECT_LT(std::log2(error("integrator = \"rk3\"\n", 4) / error("integrator = \"rk3\"\n", 8)), 2.5);
  }
}

TEST(AmrSchemes, AVortexHasOrderTwoAndASmallerError) {
  const auto error = [](const std::string& scheme, int level) {
    RunningAmr run(fmt::format("initial.setup = \"vortex\"\nvortex.radius = 0.1\n[amr]\nroot = [1, 1]\nlevel = {}\n{}",
                               level, scheme));
    run.until(1.0);
    return run.statistic("error_density");
  };
  const double coarse = error(parabolas_and_rk3, 2);
  const double fine = error(parabolas_and_rk3, 3);
  EXPECT_GE(std::log2(coarse / fine), 1.9) << coarse << " " << fine;
  EXPECT_LT(fine, 0.5 * error("limiter = \"van_leer\"\n", 3));
}

/// Toro (2009), table 4.1 and section 10.8: left and right states, where the diaphragm is, until when.
struct TubeOfToro {
  TubeState left, right;
  double middle, end;
};
constexpr std::array tubes{TubeOfToro{{1.0, 0.75, 1.0}, {0.125, 0.0, 0.1}, 0.3, 0.2},
                           TubeOfToro{{1.0, -2.0, 0.4}, {1.0, 2.0, 0.4}, 0.5, 0.15},
                           TubeOfToro{{1.0, 0.0, 1000.0}, {1.0, 0.0, 0.01}, 0.5, 0.012},
                           TubeOfToro{{5.99924, 19.5975, 460.894}, {5.99242, -6.19633, 46.0950}, 0.4, 0.035},
                           TubeOfToro{{1.0, -19.59745, 1000.0}, {1.0, -19.59745, 0.01}, 0.8, 0.012}};

TEST(AmrSchemes, TubesAreNoWorseThanWithLines) {
  for (std::size_t k = 0; k < tubes.size(); ++k) {
    const TubeOfToro& tube = tubes[k];
    const auto error = [&](const std::string& scheme) {
      RunningAmr run(fmt::format(
          "initial.setup = \"sod\"\n[sod]\nrho_left = {}\nu_left = {}\nP_left = {}\n"
          "rho_right = {}\nu_right = {}\nP_right = {}\ninterface = {}\n[amr]\nroot = [25]\n"
          "low = [\"outflow\"]\n{}",
          tube.left.rho, tube.left.u, tube.left.P, tube.right.rho, tube.right.u, tube.right.P, tube.middle, scheme));
      run.until(tube.end);
      return run.statistic("error_density");
    };
    const double lines = error("limiter = \"van_leer\"\n");
    const double curved = error(parabolas_and_rk3);
    EXPECT_LT(curved, 1.02 * lines) << "problem " << k + 1;
  }
}

/// Through borders of levels and open sides, with floors: mass and energy with what has left and was added.
TEST(AmrSchemes, SumsAreKeptWithLevelsSidesAndFloors) {
  AmrParameters parameters = parameters_of(
      "initial.setup = \"sedov\"\n[amr]\nroot = [4, 4]\nregions = [2, 0.4, 0.5, 0.6, 0.7]\nfinest = 2\n"
      "jumps_finest = 0\ndensity_finest = 1\ndensity_above = 1.8\ndensity_below = 1.5\nregrid_every = 5\n"
      "low = \"outflow\"\ndensity_floor = 0.9\nspecies = 2\n" +
      parabolas_and_rk3);
  parameters.initial.exact = {};
  parameters.initial.deposit.reset();
  parameters.initial.state = [](const Point& x) {
    const bool is_hot = std::hypot(x[0] - 0.7, x[1] - 0.6) < 0.13;
    const double r = std::hypot(x[0] - 0.3, x[1] - 0.4);
    return GasState{1.0 + 3.0 * std::exp(-r * r / 0.01), {x[0], 0.5 * x[1], 0.25}, is_hot ? 20.0 : 1.0};
  };
  const auto drift = [&](BorderFluxes fluxes) {
    parameters.border_fluxes = fluxes;
    RunningAmr run(parameters);
    const engine::Conserved before = run.solver().conserved();
    run.steps(40);
    EXPECT_GT(std::abs(column(run, "mass_left")), 0.01);
    EXPECT_GT(column(run, "mass_added"), 1e-4);
    const engine::Conserved after = run.solver().conserved();
    double most = 0.0;
    for (std::size_t k = 0; k < after.quantities.size(); ++k) {
      for (std::size_t i = 0; i < after.quantities[k].value.size(); ++i) {
        const double change = std::abs(after.quantities[k].value[i] - before.quantities[k].value[i]);
        most = std::max(most, change / after.quantities[k].scale);
      }
    }
    return most;
  };
  EXPECT_LT(drift(BorderFluxes::of_finer), 1e-13);
  EXPECT_GT(drift(BorderFluxes::of_each), 1e-6);
}

/// Mass fluxes and potentials of all three stages: the energy of a star that swings, on two levels.
TEST(AmrSchemes, EnergyOfAStarIsKept) {
  RunningAmr run(
      "initial.setup = \"polytrope\"\npolytrope.index = 1.5\npolytrope.pulse = 0.1\n[gravity]\nself = true\n[amr]\n"
      "root = [1, 1, 1]\nlevel = 1\nregions = [2, 1.5, 3.0, 1.5, 3.0, 1.5, 3.0]\nbox = [3.0, 3.0, 3.0]\n"
      "low = \"outflow\"\ngamma = 1.6666666666666667\n" +
      parabolas_and_rk3);
  const double before = run.solver().conserved().quantities[2].value[0];
  run.steps(4);
  const auto after = run.solver().conserved().quantities[2];
  EXPECT_LT(std::abs(after.value[0] - before), 1e-13 * after.scale);
  EXPECT_GT(column(run, "kinetic_energy"), 1e-4);
}

}  // namespace
}  // namespace tacit::amr
