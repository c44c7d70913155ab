// md against configurations and runs of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "references.hpp"
#include "running_md.hpp"

namespace tacit::md {
namespace {

using kernels::Truncation;
using testing::expect_as;
using testing::parameters_for;
using testing::read_reference;
using testing::Reference;
using testing::RunningMd;

TEST(MdReferences, LennardJones) {
  for (const char* name : {"lj500", "lj256_gas"}) {
    SCOPED_TRACE(name);
    const Reference reference = read_reference(name);
    expect_as(RunningMd(parameters_for(reference.atoms)).solver(), reference);
  }
}

TEST(MdReferences, LennardJonesShifted) {
  Reference reference = read_reference("lj500");
  MdParameters parameters = parameters_for(reference.atoms);
  parameters.lennard_jones.truncation = Truncation::shifted;
  reference.energy = 500 * -5.04814375384814;  // of the same atoms
  expect_as(RunningMd(parameters).solver(), reference);
}

TEST(MdReferences, LennardJonesWithTails) {
  Reference reference = read_reference("lj500");
  MdParameters parameters = parameters_for(reference.atoms);
  parameters.lennard_jones.has_tail = true;
  reference.energy = 500 * -5.9406145379378;  // of the same atoms
  reference.pressure = {-0.226397703142008, -0.674089743209301,  -0.601036882239009,
                        -0.214554470153905, -0.0414152265494729, 0.221693208634798};
  expect_as(RunningMd(parameters).solver(), reference);
  reference = read_reference("lj500_rc3_tail");
  parameters = parameters_for(reference.atoms);
  parameters.lennard_jones.pairs[0].cutoff = 3.0;
  parameters.lennard_jones.has_tail = true;
  expect_as(RunningMd(parameters).solver(), reference);
}

TEST(MdReferences, LennardJonesForceShifted) {
  const Reference reference = read_reference("lj500_forceshift");
  MdParameters parameters = parameters_for(reference.atoms);
  parameters.lennard_jones.truncation = Truncation::force_shifted;
  expect_as(RunningMd(parameters).solver(), reference);
}

TEST(MdReferences, LennardJonesOfTwoTypes) {
  const Reference reference = read_reference("lj500_kobandersen");
  MdParameters parameters = parameters_for(reference.atoms, 2);
  parameters.lennard_jones.truncation = Truncation::shifted;
  parameters.lennard_jones.pairs = {{1.0, 1.0, 2.5}, {1.5, 0.8, 2.0}, {1.5, 0.8, 2.0}, {0.5, 0.88, 2.2}};
  expect_as(RunningMd(parameters).solver(), reference);
}

TEST(MdReferences, LennardJonesInATiltedBox) {
  const Reference reference = read_reference("lj500_tri");
  expect_as(RunningMd(parameters_for(reference.atoms)).solver(), reference);
}

/// Energies, temperature and pressure after each 10 steps of a run.
void expect_run(RunningMd& run, const Reference& reference, double dt) {
  for (std::size_t row = 0; row < reference.thermo.size(); ++row) {
    const auto& [step, temperature, potential, kinetic, total, pressure, xx, yy, zz, xy, xz, yz] =
        reference.thermo[row];
    if (step > 100.0) break;
    if (row > 0) run.steps(static_cast<std::size_t>(step - reference.thermo[row - 1][0]), dt);
    const Measured& now = run.solver().measured();
    SCOPED_TRACE(step);
    EXPECT_NEAR(*now.sums.potential_energy, potential, 1e-9 * std::abs(potential));
    EXPECT_NEAR(now.sums.kinetic_energy, kinetic, 1e-9 * kinetic);
    EXPECT_NEAR(now.sums.energy(), total, 1e-9 * std::abs(total));
    EXPECT_NEAR(now.temperature, temperature, 1e-9 * temperature);
    const std::array expected{xx, yy, zz, xy, xz, yz};
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(now.stress[k], expected[k], 1e-9 * std::abs(xx)) << k;
  }
}

/// Positions and velocities after 100 steps.
void expect_end(const MdSolver& solver, const Reference& reference, double tolerance) {
  const Atoms& atoms = solver.atoms();
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const std::size_t id = atoms.id[i] - 1;
    const base::Vec3 x = atoms.position(i) + reference.atoms.box.shift(atoms.image[i]);
    ASSERT_LT(base::norm(x - reference.later_x[id]), tolerance) << id;
    ASSERT_LT(base::norm(atoms.velocity(i) - reference.later_v[id]), 10.0 * tolerance) << id;
  }
}

TEST(MdReferences, ARunOfLennardJonesAtoms) {
  const Reference reference = read_reference("lj500_nve", true);
  MdParameters parameters = parameters_for(reference.atoms);
  parameters.lennard_jones.truncation = Truncation::shifted;
  RunningMd run(parameters, 2);
  expect_run(run, reference, 0.005);
  expect_end(run.solver(), reference, 1e-9);
}

}  // namespace
}  // namespace tacit::md
