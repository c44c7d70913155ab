// Boxes that change: barostats and strains, what they conserve, and bits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "unit/solvers/md/running_md.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md {
namespace {

using testing::crystal;
using testing::RunningMd;
using testing::State;
using testing::state_of;

const std::string argon_block_keys = "structure = \"fcc\"\ndensity = 0.80\ncells = [4, 5, 6]\n";
const std::string warm_argon =
    "[velocities]\ntemperature = 1.4\n[lennard_jones]\ntruncation = \"force_shifted\"\n[md]\ndt = 0.004\n";

std::string barostat(const std::string& axes, const std::string& method, const std::string& pressures = "[2.0]") {
  return "[thermostat]\nmethod = \"" + method +
         "\"\ntemperature = 0.7\nrelaxation_time = 0.2\n[barostat]\npressures = " + pressures +
         "\nrelaxation_time = 0.6\naxes = \"" + axes + "\"\n";
}

double conserved_of(const MdSolver& solver) {
  const engine::Conserved now = solver.conserved();
  return std::ranges::find(now.quantities, "conserved_energy", &engine::Quantity::name)->value[0];
}

/// Of order two in the step, and without a trend.
TEST(MdBoxChanges, BarostatsConserveTheirEnergy) {
  for (const char* axes : {"isotropic", "each"}) {
    double largest[2] = {};
    for (const int half : {0, 1}) {
      MdParameters p = crystal(argon_block_keys, warm_argon + barostat(axes, "nose_hoover"));
      if (half == 1) p.dt *= 0.5;
      RunningMd run(p, 2);
      const double before = conserved_of(run.solver());
      const double volume = run.solver().box().volume();
      for (int k = 0; k < 20; ++k) {
        run.steps(10U << half, p.dt);
        largest[half] = std::max(largest[half], std::abs(conserved_of(run.solver()) - before));
      }
      EXPECT_GT(std::abs(run.solver().box().volume() / volume - 1.0), 0.01) << axes;
      const base::Vec3& size = run.solver().box().size;
      const bool is_similar = std::abs(size.y / size.x - 1.25) < 1e-12 && std::abs(size.z / size.x - 1.5) < 1e-12;
      EXPECT_EQ(is_similar, std::string(axes) == "isotropic");
      EXPECT_GT(run.solver().graph().rebuilds(), 3U);
    }
    const double kinetic = 1.5 * 480 * 0.7;
    EXPECT_LT(largest[0], 5e-3 * kinetic) << axes;
    EXPECT_LT(largest[1], 0.4 * largest[0]) << axes;
  }
}

/// Mean pressure and temperature are those that are wanted.
TEST(MdBoxChanges, PressureAndTemperatureAreFound) {
  for (const char* method : {"nose_hoover", "langevin"}) {
    RunningMd run(crystal(argon_block_keys, warm_argon + barostat("isotropic", method)), 2);
    run.steps(800, 0.004);
    double pressure = 0.0;
    double temperature = 0.0;
    constexpr int samples = 300;
    for (int k = 0; k < samples; ++k) {
      run.steps(5, 0.004);
      pressure += run.solver().measured().pressure / samples;
      temperature += run.solver().measured().temperature / samples;
    }
    // Fluctuations of 480 atoms are 0.3 and 0.026, and some tens of the samples know nothing of each other.
    EXPECT_NEAR(pressure, 2.0, 0.2) << method;
    EXPECT_NEAR(temperature, 0.7, 0.03) << method;
  }
}

/// Lists that hold while the box shrinks: forces are those of a solver that is made in that state.
TEST(MdBoxChanges, ForcesAreThoseOfTheBoxThereIs) {
  MdParameters p = crystal(argon_block_keys, warm_argon + "[strain]\nrates = [-0.4, 0.1, -0.2]\n");
  RunningMd run(p, 2);
  for (int k = 0; k < 4; ++k) {
    run.steps(33, p.dt);
    const Atoms& atoms = run.solver().atoms();
    MdParameters same = p;
    same.strain.reset();
    same.thermal.reset();
    same.initial.atoms.box = run.solver().box();
    for (std::size_t i = 0; i < atoms.count(); ++i) same.initial.atoms.x[atoms.id[i] - 1] = atoms.position(i);
    const RunningMd again(same);
    std::vector<base::Vec3> force(atoms.count());
    for (std::size_t i = 0; i < atoms.count(); ++i) {
      force[again.solver().atoms().id[i] - 1] = again.solver().atoms().force(i);
    }
    for (std::size_t i = 0; i < atoms.count(); ++i) {
      EXPECT_LT(base::norm(atoms.force(i) - force[atoms.id[i] - 1]), 1e-9) << k;
    }
  }
  const double time = 4 * 33 * p.dt;
  const base::Vec3& size = run.solver().box().size;
  EXPECT_NEAR(size.x / p.initial.atoms.box.size.x, 1.0 - 0.4 * time, 1e-12);
  EXPECT_NEAR(size.y / p.initial.atoms.box.size.y, 1.0 + 0.1 * time, 1e-12);
}

/// Atoms that feel nothing and have no velocity move with the box alone.
TEST(MdBoxChanges, AtomsMoveWithTheStrain) {
  MdParameters p = crystal("structure = \"sc\"\ndensity = 0.001\ncells = [2, 2, 2]\n",
                           "[md]\ndt = 0.01\n[strain]\nrates = [0.05, 0, -0.1]\n");
  RunningMd run(p);
  run.steps(100, p.dt);
  const Atoms& atoms = run.solver().atoms();
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const base::Vec3 was = p.initial.atoms.x[atoms.id[i] - 1];
    EXPECT_LT(base::norm(atoms.position(i) - base::Vec3{1.05 * was.x, was.y, 0.9 * was.z}), 1e-11);
  }
}

TEST(MdBoxChanges, BitsAreThoseOfAnyRanksThreadsAndRestarts) {
  const auto sums = [](const MdSolver& solver) {
    std::vector<double> result;
    for (const engine::Statistic& one : solver.statistics()) result.push_back(one.value);
    const engine::Conserved conserved = solver.conserved();
    for (const engine::Quantity& one : conserved.quantities) result.push_back(one.value[0]);
    return result;
  };
  const std::string silicon = "structure = \"diamond\"\nconstant = 5.2\ncells = [2, 2, 3]\n";
  const std::string metal =
      "[units]\nlength = \"1 Angstrom\"\nmass = \"1.602176634e-20 g\"\nvelocity = \"1e4 "
      "cm/s\"\n[velocities]\ntemperature = 2000.0\n[md]\ndt = 0.002\nunits = \"metal\"\nelements = \"Si\"\nmasses = "
      "[28.0855]\npotential = \"stillinger_weber\"\n[stillinger_weber]\nparameters = \"si_1985\"\n[thermostat]\nmethod "
      "= "
      "\"langevin\"\ntemperature = 2000.0\nrelaxation_time = 0.1\n[barostat]\npressures = [0.0, 2e4]\ntimes = [0.0, "
      "0.05]\nrelaxation_time = 0.1\naxes = \"each\"\n";
  for (const MdParameters& p :
       {crystal(argon_block_keys, warm_argon + barostat("each", "nose_hoover", "[6.0]")),
        crystal(argon_block_keys, warm_argon + "[strain]\nrates = [-1.2, 0.4, 0]\n"), crystal(silicon, metal)}) {
    const std::size_t steps = 60;
    const State expected = state_of(p, {.steps = steps}, sums);
    EXPECT_EQ(state_of(p, {.ranks = 2, .workers = 2, .steps = steps}, sums), expected);
    EXPECT_EQ(state_of(p, {.ranks = 4, .until_restart = 23, .steps = steps}, sums), expected);
    EXPECT_EQ(state_of(p, {.ranks = 1, .workers = 2, .until_restart = 41, .steps = steps}, sums), expected);
  }
}

TEST(MdBoxChanges, WrongKeysAreRefused) {
  const auto expect = [&](const std::string& keys, const std::string& part) {
    std::string found = "accepted";
    try {
      RunningMd(crystal(argon_block_keys, keys.find("[md]") == std::string::npos ? warm_argon + keys : keys));
    } catch (const base::Error& error) {
      found = error.what();
    }
    EXPECT_NE(found.find(part), std::string::npos) << keys << ": " << found;
  };
  const std::string held = "[thermostat]\nmethod = \"nose_hoover\"\ntemperature = 1.0\nrelaxation_time = 0.2\n";
  const std::string open_along_z = "[md]\ndt = 0.004\nboundary = [\"periodic\", \"periodic\", \"open\"]\n";
  expect("[barostat]\npressures = [1.0]\nrelaxation_time = 1.0\n", "no temperature is held");
  expect(open_along_z + held + "[barostat]\npressures = [1.0]\nrelaxation_time = 1.0\n", "along z, where it is open");
  expect(open_along_z + "[strain]\nrates = [0, 0, 0.1]\n", "along z, where it is open");
  expect("[strain]\nrates = [0, 0.1]\n", "has 2 numbers, expected three");
  expect(held + "[barostat]\npressures = [1.0]\n", "is missing: barostat.pressures needs it");
  expect(held + "[barostat]\npressures = [1.0, 2.0]\nrelaxation_time = 1.0\n", "has 2 number(s), barostat.times 1");
  expect(held + "[barostat]\npressures = [1.0]\nrelaxation_time = 0.01\n", "is shorter than ten steps");
  expect(held + "[barostat]\npressures = [1.0]\nrelaxation_time = 1.0\n[strain]\nrates = [0, 0, 0.1]\n",
         "does not go with barostat.pressures");
  expect("[md]\ndt = 0.004\n[strain]\nrates = [0, 0, 0.1]\n[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-4\n",
         "does not go with minimize.method");
  expect(held + "[barostat]\npressures = [1.0]\nrelaxation_time = 1.0\n[groups]\nnamed = \"a id 1\"\nfrozen = \"a\"\n",
         "does not go with groups");
}

}  // namespace
}  // namespace tacit::md
