// Boxes that relax to a pressure by FIRE: lattice constants, enthalpies and
// their derivatives, bits. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/solvers/md/formats/stillinger_weber_file.hpp"
#include "unit/solvers/md/running_md.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md {
namespace {

using testing::crystal;
using testing::RunningMd;

std::string relaxation_keys(const std::string& axes, double pressure) {
  return "[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-7\naxes = \"" + axes +
         "\"\npressure = " + std::to_string(pressure) + "\npressure_tolerance = 1e-7\n";
}

/// Silicon of Stillinger and Weber; pressures in eV/A^3. @param stretch  of the
/// box, along each axis
MdParameters silicon_to_relax(const std::string& axes, double pressure, const base::Vec3& stretch, double by = 0.1) {
  MdParameters parameters = crystal("structure = \"diamond\"\nconstant = 5.431\ncells = 3\n",
                                    relaxation_keys(axes, pressure) + "[md]\ndt = 0.002\n");
  parameters.potential = Potential::stillinger_weber;
  const std::vector<std::string> only{"Si"};
  // Stillinger & Weber (1985), Phys. Rev. B 31, 5262.
  parameters.stillinger_weber = parse_stillinger_weber(
      "Si Si Si 2.1683 2.0951 1.80 21.0 1.20 "
      "-0.333333333333 7.049556277 0.6022245584 4 0 0",
      "the test", only, {});
  parameters.masses = {28.0855 * 1.0364269e-4};
  parameters.skin = 0.5;
  Configuration& atoms = parameters.initial.atoms;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    atoms.box.size[axis] *= stretch[axis];
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      atoms.x[i][axis] = atoms.x[i][axis] * stretch[axis] + by * (base::uniform(3, atoms.id[i], axis) - 0.5);
    }
  }
  return parameters;
}

struct Relaxed {
  base::Vec3 size;
  double energy = 0.0, enthalpy = 0.0, volume = 0.0;
};

Relaxed relax(const MdParameters& parameters) {
  RunningMd run(parameters, 2);
  const double pressure = parameters.minimizer->box->pressure;
  const auto enthalpy = [&] { return run.energy() + pressure * run.solver().box().volume(); };
  const double before = enthalpy();
  std::size_t steps = 0;
  for (; !run.solver().has_converged() && steps < 1500; ++steps) run.steps(1, run.solver().time_step());
  EXPECT_TRUE(run.solver().has_converged()) << run.solver().unfinished().value_or("");
  EXPECT_LT(enthalpy(), before);
  EXPECT_NEAR(run.solver().measured().pressure, pressure, 2e-7);
  return {run.solver().box().size, run.energy(), enthalpy(), run.solver().box().volume()};
}

/// From a box that is pressed, pulled, and whose atoms are displaced: bonds of
/// the length at which phi2 is least.
/// @see Stillinger & Weber (1985), section II
TEST(MdBoxRelaxation, SiliconHasTheLatticeConstantOfThePaper) {
  const double a = 3.0 * 4.0 / std::sqrt(3.0) * std::pow(2.0, 1.0 / 6.0) * 2.0951;
  for (const char* axes : {"isotropic", "each"}) {
    const bool is_isotropic = std::string(axes) == "isotropic";
    const Relaxed found =
        relax(silicon_to_relax(axes, 0.0, is_isotropic ? base::Vec3{1.05, 1.05, 1.05} : base::Vec3{0.96, 1.01, 1.05}));
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found.size[axis], a, 1e-5) << axes;
    EXPECT_NEAR(found.energy / 216.0, -2.0 * 2.1683, 1e-6);
  }
}

/// H(P) = min (E + P V), and so dH/dP = V and dE/dV = -P.
TEST(MdBoxRelaxation, EnthalpiesHaveTheVolumeAsDerivative) {
  const auto at = [](double pressure) { return relax(silicon_to_relax("isotropic", pressure, {1.0, 1.0, 1.0}, 0.05)); };
  const double pressure = 0.05;  // 8 GPa
  const double d = 0.002;
  const Relaxed low = at(pressure - d);
  const Relaxed middle = at(pressure);
  const Relaxed high = at(pressure + d);
  EXPECT_LT(middle.volume, 0.95 * std::pow(3.0 * 5.431, 3));
  // Of third order in d / bulk modulus, 0.6 eV/A^3; and forces of 1e-7.
  EXPECT_NEAR((high.enthalpy - low.enthalpy) / (2.0 * d), middle.volume, 1e-5 * middle.volume);
  EXPECT_NEAR((high.energy - low.energy) / (high.volume - low.volume), -pressure, 1e-3 * pressure);
}

/// With the mean pressure alone a box keeps its shape, and pressures along the
/// axes differ.
TEST(MdBoxRelaxation, IsotropicBoxesKeepTheirShape) {
  const MdParameters parameters = silicon_to_relax("isotropic", 0.01, {1.0, 1.02, 1.0}, 0.0);
  RunningMd run(parameters);
  for (std::size_t k = 0; k < 1500 && !run.solver().has_converged(); ++k) run.steps(1, run.solver().time_step());
  const base::Vec3& size = run.solver().box().size;
  EXPECT_NEAR(size.y / size.x, 1.02, 1e-12);
  EXPECT_NEAR(run.solver().measured().pressure, 0.01, 2e-7);
  EXPECT_LT(run.solver().measured().stress[1], run.solver().measured().stress[0] - 1e-3);
}

TEST(MdBoxRelaxation, BitsAreThoseOfAnyRanksThreadsAndRestarts) {
  MdParameters parameters = silicon_to_relax("each", 0.02, {0.95, 1.0, 1.08}, 0.3);
  const auto state_of = [&](std::size_t ranks, std::size_t workers, std::size_t until_restart) {
    return testing::state_of(parameters, {ranks, workers, until_restart, 40}, [](const MdSolver& solver) {
      const base::Vec3& size = solver.box().size;
      return std::vector<double>{solver.time_step(), solver.minimizer()->largest_misfit(), size.x, size.y, size.z};
    });
  };
  const testing::State alone = state_of(1, 1, 0);
  ASSERT_EQ(alone.size(), 217U);
  EXPECT_TRUE(state_of(2, 2, 0) == alone);
  EXPECT_TRUE(state_of(4, 1, 0) == alone);
  EXPECT_TRUE(state_of(1, 2, 17) == alone) << "restarted";
  EXPECT_TRUE(state_of(2, 1, 17) == alone) << "restarted";
}

TEST(MdBoxRelaxation, WhatIsWrongIsNamed) {
  const auto expect = [](const std::string& text, const std::string& part) {
    try {
      static_cast<void>(crystal("density = 1.0\ncells = 3\n", text));
      ADD_FAILURE() << text << " was taken";
    } catch (const config::Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const std::string fire = "[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-6\npressure = 0\n";
  expect(fire + "[md]\ndt = 0.005\n", "minimize.pressure_tolerance: is missing: minimize.pressure is given");
  const std::string whole = fire + "pressure_tolerance = 1e-6\n";
  expect(whole +
             "[md]\ndt = 0.005\nboundary = [\"periodic\", \"periodic\", "
             "\"open\"]\n",
         "minimize.pressure: changes the box, but a face of it is open");
  expect(whole + "axes = \"each\"\n[md]\ndt = 0.005\nboundary = [\"open\"]\n",
         "minimize.pressure: changes the box, but a face of it is open");
  expect(whole +
             "[groups]\nnamed = \"floor region - - - - - 1.5\"\nfrozen = "
             "\"floor\"\n[md]\ndt = 0.005\n",
         "minimize.pressure: does not go with groups that are frozen");
  expect(whole + "[strain]\nrates = [0.1, 0, 0]\n[md]\ndt = 0.005\n", "strain.rates: does not go with minimize.method");
}

}  // namespace
}  // namespace tacit::md
