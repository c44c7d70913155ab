// Minimisation: crystals find their places, bits, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "running_md.hpp"
#include "states.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

namespace tacit::md {
namespace {

using testing::crystal;
using testing::RunningMd;

const std::string minimize_table = "[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-8\n";

/// A crystal whose atoms are displaced. @param by  at most, along each axis
MdParameters displaced(MdParameters parameters, double by) {
  Configuration& atoms = parameters.initial.atoms;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atoms.x[i][axis] += by * (2.0 * base::uniform(3, atoms.id[i], axis) - 1.0);
    }
  }
  return parameters;
}

MdParameters displaced_argon(double by, int cells = 4) {
  return displaced(crystal("density = 1.05\ncells = " + std::to_string(cells) + "\n",
                           "[lennard_jones]\ntruncation = \"force_shifted\"\ncutoff = 2.0\n" + minimize_table +
                               "[md]\ndt = 0.005\n"),
                   by);
}

MdParameters displaced_silicon(double by) {
  MdParameters parameters = displaced(
      crystal("structure = \"diamond\"\nconstant = 5.432\ncells = 3\n", minimize_table + "[md]\ndt = 0.001\n"), by);
  parameters.potential = Potential::tersoff;
  parameters.tersoff = parse_tersoff(tersoff_text(TersoffSet::si_1988), "the test", std::vector<std::string>{"Si"}, {});
  parameters.masses = {28.0855 * 1.0364269e-4};
  return parameters;
}

/// @return steps that were made
std::size_t descend(RunningMd& run, std::size_t most) {
  std::size_t steps = 0;
  while (!run.solver().has_converged() && steps < most) {
    run.steps(1, run.solver().time_step());
    ++steps;
  }
  return steps;
}

TEST(MdMinimizer, DisplacedCrystalsFindTheirPlaces) {
  for (const bool is_silicon : {false, true}) {
    const auto crystal_by = [&](double by) { return is_silicon ? displaced_silicon(by) : displaced_argon(by); };
    const double least = RunningMd(crystal_by(0.0)).energy();
    RunningMd run(crystal_by(is_silicon ? 0.3 : 0.15));
    ASSERT_GT(run.energy(), least + 10.0);
    const std::size_t steps = descend(run, 2000);
    EXPECT_TRUE(run.solver().has_converged());
    EXPECT_LT(steps, 600U);
    EXPECT_FALSE(run.solver().unfinished().has_value());
    // Forces of 1e-8 and constants of some 10 to 100: the energy is off by their squares.
    EXPECT_NEAR(run.energy(), least, 1e-10 * std::abs(least));
    EXPECT_EQ(run.solver().measured().sums.kinetic_energy, 0.0);
    EXPECT_EQ(run.solver().statistics().back().value, run.solver().minimizer()->largest_force());
  }
}

/// Atoms on top of each other push with forces beyond all steps that lists allow.
TEST(MdMinimizer, AtomsThatOverlapAreTakenApart) {
  RunningMd run(displaced_argon(0.45));
  const double begin = run.energy();
  ASSERT_GT(begin, 1e4);
  descend(run, 4000);
  EXPECT_LT(run.energy(), -1000.0);
}

TEST(MdMinimizer, BitsAreThoseOfAnyRanksThreadsAndRestarts) {
  const MdParameters parameters = displaced_argon(0.2, 5);
  const auto state_of = [&](std::size_t ranks, std::size_t workers, std::size_t until_restart) {
    return testing::state_of(parameters, {ranks, workers, until_restart, 40}, [](const MdSolver& solver) {
      return std::vector<double>{solver.time_step(), solver.minimizer()->largest_force()};
    });
  };
  const testing::State alone = state_of(1, 1, 0);
  ASSERT_EQ(alone.size(), 501U);
  EXPECT_TRUE(state_of(2, 2, 0) == alone);
  EXPECT_TRUE(state_of(4, 1, 0) == alone);
  EXPECT_TRUE(state_of(1, 2, 17) == alone) << "restarted";
  EXPECT_TRUE(state_of(2, 1, 17) == alone) << "restarted";
}

TEST(MdMinimizer, WhatIsWrongIsNamed) {
  const auto expect = [](const std::string& text, const std::string& part) {
    try {
      static_cast<void>(crystal("density = 1.0\ncells = 3\n", text + "[md]\ndt = 0.005\n"));
      ADD_FAILURE() << text << " was taken";
    } catch (const config::Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect("[minimize]\nforce_tolerance = 1e-3\n", "minimize.force_tolerance: is used with minimize.method only");
  expect("[minimize]\nmethod = \"fire\"\n", "minimize.force_tolerance: is missing: minimize.method is given");
  expect(minimize_table + "[velocities]\ntemperature = 1.0\n", "velocities.temperature: stands beside minimize.method");
  expect(minimize_table + "[thermostat]\nmethod = \"rescale\"\ntemperature = 1.0\n",
         "thermostat.method: stands beside minimize.method");
  RunningMd run(displaced_argon(0.1));
  run.steps(1, 0.005);
  EXPECT_NE(run.solver().unfinished().value_or("").find("the minimisation is not done: the largest force is"),
            std::string::npos);
}

}  // namespace
}  // namespace tacit::md
