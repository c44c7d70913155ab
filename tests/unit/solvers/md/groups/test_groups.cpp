// Groups of atoms: what keys say, atoms that are held, pulled and heated, what is conserved, and bits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "unit/solvers/md/running_md.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md {
namespace {

using testing::crystal;
using testing::RunningMd;
using testing::State;
using testing::state_of;

/// 4 x 4 x 6 cubic cells of argon, 384 atoms in a box of 6.7 x 6.7 x 10.1, hot, and open along z.
const std::string block = "structure = \"fcc\"\ndensity = 0.8442\ncells = [4, 4, 6]\n";
const std::string shifted_forces = "[lennard_jones]\ntruncation = \"force_shifted\"\n";
const std::string hot_begin = "[velocities]\ntemperature = 1.0\n";
const std::string open_along_z = "[md]\ndt = 0.004\nboundary = [\"periodic\", \"periodic\", \"open\"]\n";

MdParameters with_groups(const std::string& keys, const std::string& more = "") {
  const bool is_hot = more.find("[minimize]") == std::string::npos;  // which begins at rest
  return crystal(block, (is_hot ? hot_begin : "") + shifted_forces + open_along_z + "[groups]\n" + keys + more);
}

const engine::Quantity* quantity(const engine::Conserved& of, const std::string& name) {
  const auto found = std::ranges::find(of.quantities, name, &engine::Quantity::name);
  return found == of.quantities.end() ? nullptr : &*found;
}

double value_of(const MdSolver& solver, const std::string& name) {
  const std::vector<engine::Statistic> all = solver.statistics();
  return std::ranges::find(all, name, &engine::Statistic::name)->value;
}

TEST(MdGroups, KeysSayWhichAtoms) {
  const MdParameters p = with_groups(
      "named = \"floor region - - - - - 1.5, some id 3 10-12, all type X\"\nfrozen = \"floor\"\n"
      "pulled = \"some 0 0 0.5\"\nmoving = \"all 1 0 0\"\n");
  const Groups& groups = p.groups;
  ASSERT_EQ(groups.named.size(), 3U);
  EXPECT_TRUE(groups.named[0].has(1, 0, {3.0, -2.0, 1.4}));
  EXPECT_FALSE(groups.named[0].has(1, 0, {3.0, 2.0, 1.5}));
  for (const std::uint64_t id : {1U, 3U, 9U, 10U, 12U, 13U}) {
    EXPECT_EQ(groups.named[1].has(id, 0, {}), id == 3 || id == 10 || id == 12) << id;
  }
  EXPECT_TRUE(groups.named[2].has(1, 0, {}));
  EXPECT_FALSE(groups.named[2].has(1, 1, {}));
  ASSERT_EQ(groups.held.size(), 2U);
  EXPECT_EQ(groups.held[1].v.x, 1.0);
  EXPECT_EQ(groups.held_mask(), 5U);
  EXPECT_EQ(groups.pulled[0].force.z, 0.5);
  EXPECT_TRUE(groups.do_work());
}

TEST(MdGroups, WrongKeysAreRefused) {
  const auto message = [](const std::string& keys, const std::string& more = "") -> std::string {
    try {
      RunningMd(with_groups(keys, more));
    } catch (const base::Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto expect = [&](const std::string& keys, const std::string& part, const std::string& more = "") {
    const std::string found = message(keys, more);
    EXPECT_NE(found.find(part), std::string::npos) << keys << ": " << found;
  };
  const std::string floor = "named = \"floor region - - - - - 1.5\"\n";
  expect("frozen = \"flor\"\n", "there is no group 'flor': groups.named has none");
  expect(floor + "frozen = \"flor\"\n", "there is no group 'flor': groups.named has floor");
  expect(floor + "moving = \"floor 0 0\"\n", "expected a name and three components");
  expect(floor + "pulled = \"floor 0 0 up\"\n", "'up' is no number");
  expect(floor + "frozen = \"floor floor\"\n", "is held twice");
  expect("named = \"floor region - - - - 20 30\"\n", "lies outside of the box");
  expect("named = \"floor region - - - - 0\"\n", "has 5 bounds");
  expect("named = \"floor region 3 1 - - - -\"\n", "has no room along x");
  expect("named = \"floor below 3\"\n", "has to go on with type, id or region");
  expect("named = \"floor type Kr\"\n", "'Kr' is none of the elements (X)");
  expect("named = \"some id 3-1\"\n", "'3-1' is no ID");
  expect("named = \"a id 1, a id 2\"\n", "is named twice");
  expect("named = \"a id 1,, b id 2\"\n", "nothing between two commas");
  expect("named = \"far id 9000\"\n", "the group 'far' has no atoms");
  expect("named = \"all type X\"\nfrozen = \"all\"\n", "all atoms are held");
  expect(floor + "frozen = \"floor\"\n", "thermostat.group: all of its atoms are held",
         "[thermostat]\nmethod = \"langevin\"\ntemperature = 1.0\nrelaxation_time = 0.5\ngroup = \"floor\"\n");
  expect(floor, "there is no group 'roof'",
         "[thermostat]\nmethod = \"langevin\"\ntemperature = 1.0\nrelaxation_time = 0.5\ngroup = \"roof\"\n");
  expect(floor + "pulled = \"floor 0 0 1\"\n", "does not go with minimize.method",
         "[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-4\n");
}

/// A floor that stays where it is: energy is conserved, momentum is not; its atoms have no temperature.
TEST(MdGroups, FrozenAtomsStayAndKeepEnergy) {
  const MdParameters p = with_groups("named = \"floor region - - - - - 1.5\"\nfrozen = \"floor\"\n");
  RunningMd run(p, 2);
  const engine::Conserved before = run.solver().conserved();
  EXPECT_FALSE(quantity(before, "momentum")->is_kept);
  EXPECT_EQ(quantity(before, "conserved_energy"), nullptr);
  const double energy = run.energy();
  run.steps(200, p.dt);
  const double kinetic = run.solver().measured().sums.kinetic_energy;
  EXPECT_NEAR(run.energy(), energy, 2e-4 * kinetic);
  std::size_t frozen = 0;
  for (std::size_t i = 0; i < p.initial.atoms.size(); ++i) {
    const Atoms& atoms = run.solver().atoms();
    const std::size_t was = atoms.id[i] - 1;
    if (p.initial.atoms.x[was].z >= 1.5) continue;
    ++frozen;
    EXPECT_EQ(base::norm(atoms.position(i) - p.initial.atoms.x[was]), 0.0);
    EXPECT_EQ(base::norm(atoms.velocity(i)), 0.0);
  }
  EXPECT_EQ(frozen, 64U);  // two layers of 2 x 16 atoms
  EXPECT_NEAR(run.solver().measured().temperature, 2.0 * kinetic / (3.0 * (384.0 - 64.0)), 1e-12);
}

/// An atom alone falls as F t^2 / 2m, and what it gains in speed it loses in height.
TEST(MdGroups, APulledAtomFalls) {
  MdParameters p =
      crystal("structure = \"sc\"\ndensity = 0.001\ncells = [2, 2, 2]\n",
              "[md]\ndt = 0.01\nmasses = [2.0]\n[groups]\nnamed = \"some id 3-4\"\npulled = \"some 0 0 -0.5\"\n");
  RunningMd run(p);
  const double energy = quantity(run.solver().conserved(), "conserved_energy")->value[0];
  run.steps(500, p.dt);
  const Atoms& atoms = run.solver().atoms();
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const bool is_pulled = atoms.id[i] == 3 || atoms.id[i] == 4;
    const base::Vec3 moved =
        atoms.position(i) + p.initial.atoms.box.shift(atoms.image[i]) - p.initial.atoms.x[atoms.id[i] - 1];
    EXPECT_NEAR(moved.z, is_pulled ? -0.5 * 0.5 / 2.0 * 25.0 : 0.0, 1e-12);
    EXPECT_NEAR(atoms.v[2][i], is_pulled ? -0.5 / 2.0 * 5.0 : 0.0, 1e-12);
  }
  EXPECT_NEAR(quantity(run.solver().conserved(), "conserved_energy")->value[0], energy, 1e-10);
  EXPECT_GT(run.energy(), 1.0);
}

/// A lid that presses the block, and a pull on some atoms: their work is what the energy gets.
TEST(MdGroups, WorkIsCounted) {
  const MdParameters p = with_groups(
      "named = \"floor region - - - - - 1.5, lid region - - - - 8.3 -, some id 150-200\"\nfrozen = \"floor\"\n"
      "moving = \"lid 0 0 -0.2\"\npulled = \"some 0.3 0 0\"\n");
  RunningMd run(p, 2);
  const engine::Quantity before = *quantity(run.solver().conserved(), "conserved_energy");
  const double energy = run.energy();
  run.steps(250, p.dt);
  const double kinetic = run.solver().measured().sums.kinetic_energy;
  EXPECT_NEAR(quantity(run.solver().conserved(), "conserved_energy")->value[0], before.value[0], 1e-3 * kinetic);
  EXPECT_GT(std::abs(run.energy() - energy), 5e-3 * kinetic) << "which is not all that it was";
  double on_lid = 0.0;
  double on_floor = 0.0;
  const Atoms& atoms = run.solver().atoms();
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const base::Vec3 was = p.initial.atoms.x[atoms.id[i] - 1];
    if (was.z >= 8.3) {
      EXPECT_NEAR(atoms.position(i).z, was.z - 0.2, 1e-12);
      on_lid += atoms.f[2][i];
    } else if (was.z < 1.5) {
      on_floor += atoms.f[2][i];
    }
  }
  EXPECT_NEAR(value_of(run.solver(), "force_on_lid_z"), on_lid, 1e-9);
  EXPECT_NEAR(value_of(run.solver(), "force_on_floor_z"), on_floor, 1e-9);
}

/// Atoms too far from each other to feel anything: those of the group become warm, others go on as they were.
TEST(MdGroups, AThermostatActsOnItsGroup) {
  for (const char* method : {"langevin", "nose_hoover", "berendsen", "rescale"}) {
    const std::string tau = std::string(method) == "rescale" ? "" : "relaxation_time = 0.2\n";
    const MdParameters p = crystal(
        "structure = \"sc\"\ndensity = 0.001\ncells = [8, 8, 8]\n",
        "[velocities]\ntemperature = 0.01\n[md]\ndt = 0.02\n[groups]\nnamed = \"warm id 1-400, still id 390-400\"\n"
        "frozen = \"still\"\n[thermostat]\nmethod = \"" +
            std::string(method) + "\"\ntemperature = 0.04\ngroup = \"warm\"\n" + tau);
    RunningMd run(p);
    std::vector<double> before(513, 0.0);  // by ID
    for (std::size_t i = 0; i < 512; ++i) before[run.solver().atoms().id[i]] = run.solver().atoms().v[0][i];
    run.steps(100, p.dt);
    const Atoms& atoms = run.solver().atoms();
    double twice_kinetic = 0.0;
    for (std::size_t i = 0; i < atoms.count(); ++i) {
      if (atoms.id[i] > 400) {
        EXPECT_EQ(atoms.v[0][i], before[atoms.id[i]]) << method;
      } else if (atoms.id[i] >= 390) {
        EXPECT_EQ(atoms.v[0][i], 0.0) << method;
      } else {
        twice_kinetic += base::dot(atoms.velocity(i), atoms.velocity(i));
      }
    }
    // 3 * 389 degrees of freedom: within 4 of sqrt(2 / 1167); nose_hoover swings around its temperature, without
    // friction.
    const double ratio = twice_kinetic / (3.0 * 389.0 * 0.04);
    if (std::string(method) == "nose_hoover") {
      EXPECT_GT(ratio, 0.4);
    } else {
      EXPECT_NEAR(ratio, 1.0, 0.17) << method;
    }
    const engine::Conserved now = run.solver().conserved();
    EXPECT_NE(quantity(now, "conserved_energy"), nullptr);
  }
}

TEST(MdGroups, MinimisationLeavesFrozenAtoms) {
  const MdParameters p = with_groups("named = \"some id 1-50\"\nfrozen = \"some\"\n",
                                     "[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-4\n");
  MdParameters moved = p;
  for (std::size_t i = 0; i < moved.initial.atoms.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      moved.initial.atoms.x[i][axis] += 0.2 * (base::uniform(7, i, axis) - 0.5);
    }
  }
  RunningMd run(moved, 2);
  for (int k = 0; k < 3000 && !run.solver().has_converged(); ++k) run.steps(1, run.solver().time_step());
  EXPECT_TRUE(run.solver().has_converged());
  const Atoms& atoms = run.solver().atoms();
  double largest = 0.0;
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    Configuration was = moved.initial.atoms;
    base::Vec3 x = was.x[atoms.id[i] - 1];
    ImageCount image{};
    was.box.wrap(x, image);
    if (atoms.id[i] <= 50) {
      EXPECT_EQ(base::norm(atoms.position(i) - x), 0.0);
      largest = std::max(largest, base::norm(atoms.force(i)));
    }
  }
  EXPECT_GT(largest, 0.1);  // they would have moved
}

TEST(MdGroups, BitsAreThoseOfAnyRanksThreadsAndRestarts) {
  const MdParameters p = with_groups(
      "named = \"floor region - - - - - 1.5, lid region - - - - 8.3 -, some id 150-200, rest id 100-300\"\n"
      "frozen = \"floor\"\nmoving = \"lid 0.1 0 -0.3\"\npulled = \"some 3 0 1\"\n",
      "[thermostat]\nmethod = \"nose_hoover\"\ntemperature = 1.5\nrelaxation_time = 0.1\ngroup = \"rest\"\n");
  const auto sums = [](const MdSolver& solver) {
    std::vector<double> result;
    for (const engine::Statistic& one : solver.statistics()) result.push_back(one.value);
    result.push_back(quantity(solver.conserved(), "conserved_energy")->value[0]);
    return result;
  };
  const std::size_t steps = 40;
  const State expected = state_of(p, {.steps = steps}, sums);
  EXPECT_EQ(state_of(p, {.ranks = 2, .workers = 2, .steps = steps}, sums), expected);
  EXPECT_EQ(state_of(p, {.ranks = 4, .until_restart = 17, .steps = steps}, sums), expected);
  EXPECT_EQ(state_of(p, {.ranks = 1, .workers = 2, .until_restart = 25, .steps = steps}, sums), expected);
}

}  // namespace
}  // namespace tacit::md
