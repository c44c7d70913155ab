// Potentials of many bodies: loops of each instruction set, and bits on ranks, threads and after restarts.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "many_body.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/md/velocities.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md {
namespace {

using testing::made_up_bonds;
using testing::made_up_metal;
using testing::State;
using testing::state_of;

const std::vector<std::string> both_elements{"Aa", "Bb"};

/// A centre and others around it from 1.8 to 5.4 away, beyond the cutoff of 4.6, too; lists filled up as they are.
struct Cloud {
  Cloud(std::size_t neighbours, std::size_t types) {
    add(0.0, 0.0, 0.0, types == 1 ? 0.0 : 1.0);
    for (std::uint64_t k = 0; k < neighbours; ++k) {
      const auto u = [k](std::uint64_t draw) { return 2.0 * base::uniform(17, k, draw) - 1.0; };
      const double r = 1.8 + 3.6 * base::uniform(17, k, 4);
      const double length = std::sqrt(u(0) * u(0) + u(1) * u(1) + u(2) * u(2));
      add(r * u(0) / length, r * u(1) / length, r * u(2) / length, types == 1 ? 0.0 : static_cast<double>(k % 2));
      list.push_back(static_cast<std::uint32_t>(k + 1));
    }
    add(1e100, 1e100, 1e100, 0.0);
    while (list.size() % kernels::PairLoops::widest != 0) list.push_back(static_cast<std::uint32_t>(neighbours + 1));
    begin = {0, static_cast<std::uint32_t>(list.size())};
    for (std::uint32_t record = 0; record < neighbours + 2; ++record) {
      atom_of.push_back(record <= neighbours ? record : 0);
      slope.push_back(-0.5 + 0.01 * record);
    }
  }
  void add(double x, double y, double z, double type) { records.insert(records.end(), {x, y, z, type}); }
  base::PackVector<double> records;
  std::vector<std::uint32_t> list, begin, atom_of;
  std::vector<double> slope;
};

/// Density, force, energy, virial.
std::array<double, 11> sums_of(base::InstructionSet set, const Cloud& cloud, const kernels::EmbeddedAtoms& of,
                               bool with_sums = true) {
  const kernels::EamLoops loops =
      base::with_instruction_set(set, []<class Isa>(Isa) { return kernels::eam_loops_of<Isa>(); });
  const kernels::PairWork work{.records = cloud.records.data(),
                               .count = 1,
                               .begin = cloud.begin.data(),
                               .lists = cloud.list.data(),
                               .types = of.types()};
  std::array<double, 11> found{};
  loops.densities(work, of.functions(), &found[0]);
  kernels::PairSums sums{.fx = &found[1], .fy = &found[2], .fz = &found[3]};
  if (with_sums) {
    sums.energy = &found[4];
    for (std::size_t k = 0; k < 6; ++k) sums.virial[k] = &found[5 + k];
  }
  loops.forces(work, of.functions(), {.slope = cloud.slope.data(), .atom_of = cloud.atom_of.data()}, sums);
  return found;
}

TEST(MdManyBodyBits, LoopsOfEmbeddedAtomsAreThoseOfTheScalarOnes) {
  for (const std::size_t types : {1U, 2U}) {
    const kernels::EmbeddedAtoms of =
        made_up_metal({}, types == 1 ? std::vector<std::string>{"Bb"} : both_elements).embedded;
    for (const std::size_t n : {0U, 1U, 3U, 4U, 5U, 7U, 8U, 9U, 60U}) {
      const Cloud cloud(n, types);
      const std::array<double, 11> expected = sums_of(base::InstructionSet::scalar, cloud, of);
      double scale = 1.0;
      for (const double value : expected) scale = std::max(scale, std::abs(value));
      if (n == 60) {
        EXPECT_GT(expected[0], 0.1);
      }
      for (const base::InstructionSet set : base::usable_instruction_sets()) {
        const std::array<double, 11> found = sums_of(set, cloud, of);
        const std::array<double, 11> forces = sums_of(set, cloud, of, false);
        for (std::size_t k = 0; k < found.size(); ++k) {
          // n terms in another order, each of a spline whose four terms and place are rounded, with or without fma.
          EXPECT_NEAR(found[k], expected[k], 4e-15 * static_cast<double>(n + 1) * scale)
              << name_of(set) << " " << types << " " << n << " " << k;
        }
        for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(found[k], forces[k]);  // sums change no force
      }
    }
  }
}

/// Two elements on a jittered grid, with IDs in no order.
Configuration grid_of(const std::array<int, 3>& cells, double spacing, bool is_slab) {
  Configuration result;
  for (std::size_t axis = 0; axis < 3; ++axis) result.box.size[axis] = spacing * cells[axis];
  result.box.periodic[1] = !is_slab;
  result.box.xy = 0.2 * result.box.size.x;
  for (int i = 0; i < cells[0]; ++i) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int k = 0; k < cells[2]; ++k) {
        const std::uint64_t id = 7 * ((result.size() * 37) % 1009) + 3;
        base::Vec3 s{(i + 0.5) / cells[0], (j + 0.5) / cells[1], (k + 0.5) / cells[2]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          s[axis] += 0.15 / cells[axis] * (base::uniform(5, id, axis) - 0.5);
        }
        result.id.push_back(id);
        result.type.push_back(static_cast<std::uint32_t>(result.size() % 2));
        result.x.push_back(s.x * result.box.edge(0) + s.y * result.box.edge(1) + s.z * result.box.edge(2));
      }
    }
  }
  return result;
}

std::vector<double> sums_of_state(const MdSolver& solver) {
  const Measured& now = solver.measured();
  std::vector<double> result{now.temperature, now.sums.energy()};
  result.insert(result.end(), now.stress.begin(), now.stress.end());
  return result;
}

void expect_bits(MdParameters parameters) {
  parameters.dt = 0.002;
  set_velocities(parameters.initial.atoms, parameters.masses, {.thermal_energy = 0.6, .seed = 4});
  const std::size_t steps = 10;
  const State expected = state_of(parameters, {.workers = 2, .steps = steps}, sums_of_state);
  ASSERT_EQ(expected.size(), parameters.initial.atoms.size() + 1);
  EXPECT_EQ(state_of(parameters, {.ranks = 2, .workers = 2, .steps = steps}, sums_of_state), expected);
  // Of the last step alone after a restart: what is measured is known without the forces of a step.
  EXPECT_EQ(state_of(parameters, {.ranks = 4, .until_restart = 9, .steps = steps}, sums_of_state), expected);
  // What the comparisons could not see otherwise: neighbours in another order.
  MdParameters reversed = parameters;
  for (std::uint64_t& id : reversed.initial.atoms.id) id = 100000 - id;
  std::size_t differ = 0;
  for (const auto& [id, values] : state_of(reversed, {.steps = steps}, sums_of_state)) {
    differ += id != 0 && values != expected.at(100000 - id) ? 1 : 0;
  }
  EXPECT_GT(differ, expected.size() / 2);
}

TEST(MdManyBodyBits, BondsHaveThoseOfOneRank) {
  expect_bits(made_up_bonds(grid_of({3, 4, 8}, 2.6, true), both_elements));
}

TEST(MdManyBodyBits, EmbeddedAtomsHaveThoseOfOneRank) {
  expect_bits(made_up_metal(grid_of({3, 4, 10}, 2.6, false), both_elements));
}

TEST(MdManyBodyBits, SeveralPotentialsHaveThoseOfOneRank) {
  // Wider than what acts between pairs alone, and with the nuclei of some that are close.
  expect_bits(testing::made_up_overlay(grid_of({3, 4, 10}, 2.6, true)));
  expect_bits(testing::made_up_metal_overlay(grid_of({3, 4, 10}, 2.6, false), Interpolation::spline));
  MdParameters ions = testing::made_up_tables(grid_of({3, 4, 12}, 2.6, false), Interpolation::cubic);
  ions.overlay = {Potential::coulomb};
  ions.coulomb = testing::made_up_charges();
  ions.coulomb.cutoff = 5.5;
  expect_bits(ions);
}

}  // namespace
}  // namespace tacit::md
