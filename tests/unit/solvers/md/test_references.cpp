// md against configurations and runs of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "references.hpp"
#include "running_md.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

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

/// Energies, temperature and pressure after each 10 steps of a run. @param first, last  steps between which it is
void expect_run(RunningMd& run, const Reference& reference, double dt, double first, double last, double tolerance) {
  for (std::size_t row = 0; row < reference.thermo.size(); ++row) {
    const auto& [step, temperature, potential, kinetic, total, pressure, xx, yy, zz, xy, xz, yz] =
        reference.thermo[row];
    if (step < first) continue;
    if (step > last) break;
    if (step > 0.0) run.steps(static_cast<std::size_t>(step - reference.thermo[row - 1][0]), dt);
    const Measured& now = run.solver().measured();
    SCOPED_TRACE(step);
    EXPECT_NEAR(*now.sums.potential_energy, potential, tolerance * std::abs(potential));
    EXPECT_NEAR(now.sums.kinetic_energy, kinetic, tolerance * kinetic);
    EXPECT_NEAR(now.sums.energy(), total, tolerance * std::abs(total));
    EXPECT_NEAR(now.temperature, temperature, tolerance * temperature);
    const std::array expected{xx, yy, zz, xy, xz, yz};
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(now.stress[k], expected[k], tolerance * std::abs(xx)) << k;
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

/// Silicon and carbon: Phys. Rev. B 39, 5566 with the erratum 41, 3248, as the file SiC.tersoff of LAMMPS rounds them.
const std::string carbide = R"(
C C C    3 1 0  38049 4.3484 -0.57058  0.72751 1.5724e-7 2.2119 346.7 1.95 0.15 3.4879 1393.6
Si Si Si 3 1 0  100390 16.217 -0.59825  0.78734 1.1e-6 1.73222 471.18 2.85 0.15 2.4799 1830.8
Si C C   3 1 0  100390 16.217 -0.59825  0.78734 1.1e-6 1.97205 395.126 2.36 0.15 2.9839 1597.3111
C Si Si  3 1 0  38049 4.3484 -0.57058  0.72751 1.5724e-7 1.97205 395.126 2.36 0.15 2.9839 1597.3111
Si Si C  3 1 0  100390 16.217 -0.59825  0 0 0 0 2.36 0.15 0 0
C Si C   3 1 0  38049 4.3484 -0.57058  0 0 0 0 1.95 0.15 0 0
C C Si   3 1 0  38049 4.3484 -0.57058  0 0 0 0 2.36 0.15 0 0
Si C Si  3 1 0  100390 16.217 -0.59825  0 0 0 0 2.85 0.15 0 0
)";

/// Bonds of silicon, or of silicon and carbon; pressures in bar.
MdParameters bonds_for(const Configuration& atoms, bool has_carbon) {
  MdParameters parameters = parameters_for(atoms, has_carbon ? 2 : 1);
  parameters.potential = Potential::tersoff;
  const std::vector<std::string> elements{"Si", "C"};
  parameters.tersoff = parse_tersoff(has_carbon ? carbide : std::string(tersoff_text(TersoffSet::si_1988)), "the test",
                                     std::span(elements).first(has_carbon ? 2 : 1), {});
  parameters.units = {.boltzmann = 8.617343e-5, .pressure = 1.6021765e6};
  parameters.skin = 0.5;
  return parameters;
}

TEST(MdReferences, BondsOfSilicon) {
  for (const char* name : {"si8_smallbox", "si64", "si216", "si216_hot", "si216_tri", "si288_slab_ppp",
                           "si64_compressed", "si288_slab_ppf"}) {
    SCOPED_TRACE(name);
    const Reference reference = read_reference(name);
    expect_as(RunningMd(bonds_for(reference.atoms, false), 2).solver(), reference);
  }
}

TEST(MdReferences, BondsOfSiliconCarbide) {
  for (const char* name : {"sic64", "sic216", "sic216_antisite", "sic216_hot", "sic216_tri", "sic288_slab_ppf"}) {
    SCOPED_TRACE(name);
    const Reference reference = read_reference(name);
    expect_as(RunningMd(bonds_for(reference.atoms, true), 2).solver(), reference);
  }
}

/// Its box was shrunk to the atoms, and so its volume is not that of the file.
TEST(MdReferences, BondsOfACluster) {
  Reference reference = read_reference("si216_cluster");
  const double volume = 4033.25062402014;
  for (double& one : reference.pressure) one *= volume / reference.atoms.box.volume();
  expect_as(RunningMd(bonds_for(reference.atoms, false)).solver(), reference);
}

TEST(MdReferences, ARunOfSilicon) {
  const Reference reference = read_reference("si216_nve", true);
  MdParameters parameters = bonds_for(reference.atoms, false);
  parameters.units.mass = 1.0364269e-4;
  parameters.masses = {28.0855 * parameters.units.mass};
  RunningMd run(parameters, 2);
  expect_run(run, reference, 0.001, 0.0, 100.0, 1e-9);
  expect_end(run.solver(), reference, 1e-9);
  expect_run(run, reference, 0.001, 101.0, 1000.0, 1e-5);
}

TEST(MdReferences, ARunOfLennardJonesAtoms) {
  const Reference reference = read_reference("lj500_nve", true);
  MdParameters parameters = parameters_for(reference.atoms);
  parameters.lennard_jones.truncation = Truncation::shifted;
  RunningMd run(parameters, 2);
  expect_run(run, reference, 0.005, 0.0, 100.0, 1e-9);
  expect_end(run.solver(), reference, 1e-9);
  expect_run(run, reference, 0.005, 101.0, 1000.0, 1e-5);  // neighbouring paths part exponentially
}

}  // namespace
}  // namespace tacit::md
