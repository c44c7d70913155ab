// Thermostats: what they conserve, the fluctuations of their ensembles, diffusion, ramps, bits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "running_md.hpp"
#include "states.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/ensembles/ramp.hpp"

namespace tacit::md {
namespace {

using testing::crystal;
using testing::RunningMd;

const std::array<std::string, 4> methods{"langevin", "nose_hoover", "berendsen", "rescale"};

/// 108 or more atoms of a liquid near its triple point. @param thermostat  lines of its table
MdParameters liquid(const std::string& thermostat, int cells = 3, const std::string& cutoff = "2.2") {
  return crystal("density = 0.85\ncells = " + std::to_string(cells) + "\n",
                 "[velocities]\ntemperature = 1.5\n[lennard_jones]\ntruncation = \"force_shifted\"\ncutoff = " +
                     cutoff + "\n[thermostat]\n" + thermostat + "[md]\ndt = 0.004\n");
}

std::string table_of(const std::string& method, const std::string& temperature = "temperature = 1.0\n") {
  return "method = \"" + method + "\"\n" + temperature + (method == "rescale" ? "" : "relaxation_time = 0.2\n");
}

double conserved_energy(const MdSolver& solver) { return solver.conserved().quantities.back().value[0]; }

/// A mean and its standard error, by blocks that are longer than what is remembered.
struct Estimate {
  double mean = 0.0;
  double error = 0.0;
};
Estimate estimate(const std::vector<double>& values, std::size_t blocks = 20) {
  Estimate result;
  double squares = 0.0;
  const std::size_t length = values.size() / blocks;
  for (std::size_t b = 0; b < blocks; ++b) {
    double mean = 0.0;
    for (std::size_t k = 0; k < length; ++k) mean += values[b * length + k] / static_cast<double>(length);
    result.mean += mean / static_cast<double>(blocks);
    squares += mean * mean / static_cast<double>(blocks);
  }
  result.error = std::sqrt((squares - result.mean * result.mean) / static_cast<double>(blocks - 1));
  return result;
}

TEST(MdRamp, IsStraightBetweenItsPointsAndFlatBeyond) {
  const Ramp ramp({1.0, 3.0, 4.0}, {10.0, 20.0, 0.0});
  EXPECT_EQ(ramp.at(-5.0), 10.0);
  EXPECT_EQ(ramp.at(2.0), 15.0);
  EXPECT_EQ(ramp.at(3.0), 20.0);
  EXPECT_EQ(ramp.at(3.75), 5.0);
  EXPECT_EQ(ramp.at(9.0), 0.0);
  EXPECT_EQ(Ramp(7.0).at(1e30), 7.0);
}

/// While the temperature falls: heat goes, and so do masses of the chain change.
TEST(MdThermostats, EnergyAndWhatTheyHaveTakenAreConserved) {
  for (const std::string& method : methods) {
    const auto drift_with = [&](double dt) {
      RunningMd run(liquid(table_of(method, "temperatures = [1.5, 0.9]\ntimes = [0.5, 2.0]\n")));
      const double begin = conserved_energy(run.solver());
      double largest = 0.0;
      for (int k = 0; k < 30; ++k) {
        run.steps(static_cast<std::size_t>(std::lround(0.1 / dt)), dt);
        largest = std::max(largest, std::abs(conserved_energy(run.solver()) - begin));
      }
      EXPECT_GT(std::abs(run.solver().thermostat()->energy()), 20.0) << method;
      return largest;
    };
    const double coarse = drift_with(0.01);
    const double fine = drift_with(0.005);
    // Of 108 atoms with some -5 each: errors of velocity Verlet, which fall with the square of the step.
    EXPECT_LT(fine, 0.6) << method;
    EXPECT_LT(fine, 0.45 * coarse) << method;
  }
}

/// <K> = N_f k_B T / 2 and <(K - <K>)^2> = N_f (k_B T)^2 / 2 in the canonical ensemble.
TEST(MdThermostats, KineticEnergyFluctuatesAsInTheCanonicalEnsemble) {
  for (const std::string& method : {methods[0], methods[1]}) {
    RunningMd run(liquid(table_of(method)));
    run.steps(1000, 0.004);
    const double degrees = method == "langevin" ? 324.0 : 321.0;
    std::vector<double> energies;
    std::vector<double> squares;
    for (int k = 0; k < 2000; ++k) {
      run.steps(4, 0.004);
      const double kinetic = run.solver().measured().sums.kinetic_energy;
      energies.push_back(kinetic);
      squares.push_back((kinetic - 0.5 * degrees) * (kinetic - 0.5 * degrees));
    }
    const Estimate mean = estimate(energies);
    const Estimate variance = estimate(squares);
    // The step of 0.004 changes the mean by less than 1e-3 of it.
    EXPECT_NEAR(mean.mean, 0.5 * degrees, 3.0 * mean.error + 5e-4 * degrees) << method;
    EXPECT_NEAR(variance.mean, 0.5 * degrees, 3.0 * variance.error) << method;
    EXPECT_LT(variance.error, 0.15 * variance.mean) << method;
  }
}

/// Free particles: <r^2> = 6 k_B T / m tau^2 (t / tau - 1 + e^(-t / tau))
TEST(MdThermostats, FreeParticlesDiffuseAsLangevinSays) {
  const double tau = 0.2;
  const double t = 2.0;
  const MdParameters parameters =
      crystal("density = 0.85\ncells = 6\n",
              "[velocities]\ntemperature = 1.0\n[lennard_jones]\nepsilon = 1e-15\nsigma = 0.01\ncutoff = 0.6\n"
              "[thermostat]\nmethod = \"langevin\"\ntemperature = 1.0\nrelaxation_time = 0.2\n[md]\ndt = 0.01\n");
  RunningMd run(parameters);
  const auto places = [&] {
    std::map<std::uint64_t, base::Vec3> result;
    const Atoms& atoms = run.solver().atoms();
    for (std::size_t i = 0; i < atoms.count(); ++i) {
      result[atoms.id[i]] = atoms.position(i) + parameters.initial.atoms.box.shift(atoms.image[i]);
    }
    return result;
  };
  const auto begin = places();
  run.steps(200, 0.01);
  double squares = 0.0;
  double fourth = 0.0;
  for (const auto& [id, x] : places()) {
    const base::Vec3 d = x - begin.at(id);
    squares += base::dot(d, d);
    fourth += base::dot(d, d) * base::dot(d, d);
  }
  const auto atoms = static_cast<double>(begin.size());
  const double mean = squares / atoms;
  const double error = std::sqrt((fourth / atoms - mean * mean) / atoms);
  EXPECT_NEAR(mean, 6.0 * tau * tau * (t / tau - 1.0 + std::exp(-t / tau)), 3.0 * error);
  EXPECT_LT(error, 0.05 * mean);
}

TEST(MdThermostats, TemperaturesFollowTheirRamp) {
  for (const std::string& method : methods) {
    RunningMd run(liquid(table_of(method, "temperatures = [1.5, 0.7]\ntimes = [0.0, 4.0]\n")));
    run.steps(500, 0.004);
    const auto statistics = run.solver().statistics();
    EXPECT_NEAR(statistics.back().value, 1.1, 1e-9) << method;
    run.steps(750, 0.004);
    // 321 degrees of freedom: a standard deviation of 0.055; of what is rescaled none.
    EXPECT_NEAR(run.solver().measured().temperature, 0.7, method == "rescale" ? 1e-12 : 0.2) << method;
  }
}

TEST(MdThermostats, BitsAreThoseOfAnyRanksThreadsAndRestarts) {
  for (const std::string& method : methods) {
    const MdParameters parameters =
        liquid(table_of(method, "temperatures = [1.5, 0.7]\ntimes = [0.02, 0.15]\n"), 5, "1.6");
    const auto state_of = [&](std::size_t ranks, std::size_t workers, std::size_t until_restart) {
      return testing::state_of(parameters, {ranks, workers, until_restart, 40},
                               [](const MdSolver& solver) { return std::vector<double>{conserved_energy(solver)}; });
    };
    const testing::State alone = state_of(1, 1, 0);
    ASSERT_EQ(alone.size(), 501U);
    EXPECT_TRUE(state_of(2, 2, 0) == alone) << method;
    EXPECT_TRUE(state_of(4, 1, 0) == alone) << method;
    EXPECT_TRUE(state_of(1, 2, 17) == alone) << method << ", restarted";
    EXPECT_TRUE(state_of(2, 1, 17) == alone) << method << ", restarted";
  }
}

std::string error_of(const std::string& thermostat) {
  try {
    static_cast<void>(liquid(thermostat));
  } catch (const config::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(MdThermostats, WhatIsWrongIsNamed) {
  const auto expect = [](const std::string& thermostat, const std::string& part) {
    const std::string found = error_of(thermostat);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect("temperature = 1.0\n", "thermostat.temperature: is used with thermostat.method only");
  expect("temperatures = [1.0]\ntimes = [0.0]\n", "thermostat.temperatures: is used with thermostat.method only");
  expect("method = \"langevin\"\n", "thermostat.temperature: is missing: thermostat.method is given");
  expect("method = \"langevin\"\ntemperature = 1.0\n", "thermostat.relaxation_time: is missing");
  expect("method = \"langevin\"\ntemperature = 1.0\nrelaxation_time = 0.001\n",
         "is shorter than a step, md.dt = 0.004");
  expect("method = \"rescale\"\ntemperatures = [1.0, 2.0]\ntimes = [1.0]\n", "has 2 number(s), thermostat.times 1");
  expect("method = \"rescale\"\ntemperatures = [1.0, 2.0]\ntimes = [1.0, 1.0]\n", "thermostat.times: do not rise");
  MdParameters cold = liquid(table_of("nose_hoover"));
  cold.thermal.reset();
  try {
    const RunningMd run(cold);
    ADD_FAILURE() << "atoms at rest were taken";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("the atoms are at rest, and this thermostat multiplies velocities"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tacit::md
