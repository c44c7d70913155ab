// Order of crystals, structure factors and profiles.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "tacit/solvers/md/analysis/order.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/solvers/md/running_md.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md::order_test {
namespace {

using testing::crystal;
using testing::RunningMd;

struct Expected {
  std::string structure;
  double bond = 0.0;  // over the constant of the lattice
  std::size_t neighbours = 0;
  double q4 = 0.0, q6 = 0.0;
};

/// With sqrt(.) of Mickel et al. (2013), J. Chem. Phys. 138, 044501, table I; a tetrahedron has those of a cube.
const std::array<Expected, 5> crystals{{{"fcc", 0.85, 12, 0.190940653956493, 0.574524259714069},
                                        {"bcc", 1.20, 14, 0.036369648372665, 0.510688230857003},
                                        {"bcc", 0.95, 8, 0.509175077217316, 0.628539361054709},
                                        {"sc", 1.20, 6, 0.763762615825973, 0.353553390593274},
                                        {"diamond", 0.50, 4, 0.509175077217316, 0.628539361054709}}};

}  // namespace

TEST(MdOrder, OfCrystalsIsThatOfTheirNeighbours) {
  for (const Expected& expected : crystals) {
    const double constant = 2.0;
    const MdParameters parameters = crystal("structure = \"" + expected.structure + "\"\nconstant = 2.0\ncells = 4\n",
                                            "[lennard_jones]\ncutoff = 2.0\n");
    comm::testing::on_ranks(2, [&](comm::Communicator& world) {
      RunningMd run(parameters, 1, world);
      trace::Recorder recorder(2);
      tasks::Scheduler workers(2, recorder);
      const LocalOrder order =
          local_order(run.solver().atoms(), run.solver().box(), expected.bond * constant, workers, world);
      ASSERT_EQ(order.neighbours.size(), run.solver().atoms().count());
      for (std::size_t i = 0; i < order.neighbours.size(); ++i) {
        ASSERT_EQ(order.neighbours[i], expected.neighbours) << expected.structure;
        ASSERT_NEAR(order.q4[i], expected.q4, 1e-12) << expected.structure << " " << expected.neighbours;
        ASSERT_NEAR(order.q6[i], expected.q6, 1e-12) << expected.structure << " " << expected.neighbours;
      }
    });
  }
}

/// S = N at k of the reciprocal lattice, and 0 at all other waves: (n1, n2, n3) cells with all odd or all even n / 4.
TEST(MdOrder, StructureFactorOfACrystalHasBraggPeaksAlone) {
  const double constant = 2.0;
  const RunningMd run(crystal("constant = 2.0\ncells = 4\n",
                              "[analysis]\nwaves_every = 0.005\nhighest_wave_number = 6.5\nwaves_of_shell = 100000\n"));
  const StructureFactor& waves = run.solver().analysis()->waves().value();
  const double lowest = 2.0 * std::numbers::pi / (4.0 * constant);
  double bragg = 0.0;
  double all = 0.0;
  std::size_t taken = 0;
  for (std::size_t shell = 0; shell < waves.shells(); ++shell) {
    EXPECT_NEAR(waves.k(shell) / lowest, std::round(waves.k(shell) / lowest), 0.5);
    all += waves.s(0, 0, shell).mean * static_cast<double>(waves.waves(shell));
    taken += waves.waves(shell);
    // Shells of (1 1 1) at sqrt(3) and (2 0 0) at 2 times 2 pi / constant: 4 and 3 pairs of waves.
    if (std::abs(waves.k(shell) - std::sqrt(3.0) * std::numbers::pi) < 0.5 * lowest) {
      bragg = waves.s(0, 0, shell).mean * static_cast<double>(waves.waves(shell));
    }
  }
  EXPECT_GT(taken, 1000U);
  EXPECT_NEAR(bragg, 4.0 * 256.0, 1e-6);
  EXPECT_NEAR(all, 7.0 * 256.0, 1e-6);
}

/// The slabs together have all atoms, and the pressure of the whole.
TEST(MdOrder, SlabsAddUpToTheWhole) {
  RunningMd run(crystal("density = 0.85\ncells = [3, 3, 4]\n",
                        "[velocities]\ntemperature = 1.4\n[analysis]\nslabs_every = 0.05\nslabs = 7\nbegin = 0.1\n"));
  run.steps(20, 0.005);
  const Slabs& slabs = run.solver().analysis()->slabs().value();
  ASSERT_EQ(slabs.samples(), 1U);
  const Measured& whole = run.solver().measured();
  std::array<double, 6> stress{};
  double atoms = 0.0;
  double heat = 0.0;
  const double volume = run.solver().box().volume() / 7.0;
  for (std::size_t slab = 0; slab < slabs.count(); ++slab) {
    const double here = slabs.density(slab, 0).mean * volume;
    EXPECT_NEAR(here, std::round(here), 1e-9);
    EXPECT_GT(here, 0.0);
    atoms += here;
    heat += slabs.temperature(slab).mean * here;
    for (std::size_t k = 0; k < 6; ++k) stress.at(k) += slabs.stress(slab, k).mean / 7.0;
  }
  EXPECT_NEAR(atoms, 144.0, 1e-9);
  EXPECT_NEAR(heat, whole.temperature * 143.0, 1e-9);  // of 3 (N - 1) degrees of freedom
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(stress.at(k), whole.stress.at(k), 1e-10) << k;
}

TEST(MdOrder, HasTheSameBitsOnAnyRanksAndThreadsAndAfterARestart) {
  const MdParameters parameters =
      crystal("density = 0.85\ncells = [4, 3, 3]\n",
              "[velocities]\ntemperature = 2.4\n[lennard_jones]\ncutoff = 2.0\n[analysis]\nslabs_every = 0.025\nslabs "
              "= 9\nslab_axis = \"x\"\nwaves_every = 0.01\nwaves_of_shell = 12\n");
  const auto numbers = [](const MdSolver& solver) {
    std::vector<double> result;
    const auto add = [&result](const engine::BlockEstimate& estimate) {
      result.insert(result.end(), {estimate.mean, std::isnan(estimate.error) ? -1.0 : estimate.error});
    };
    const StructureFactor& waves = solver.analysis()->waves().value();
    for (std::size_t shell = 0; shell < waves.shells(); ++shell) add(waves.s(0, 0, shell));
    const Slabs& slabs = solver.analysis()->slabs().value();
    for (std::size_t slab = 0; slab < slabs.count(); ++slab) {
      add(slabs.density(slab, 0));
      add(slabs.temperature(slab));
      for (std::size_t k = 0; k < 6; ++k) add(slabs.stress(slab, k));
      for (std::size_t along = 0; along < 3; ++along) add(slabs.velocity(slab, along));
    }
    return result;
  };
  constexpr std::size_t steps = 50;
  const testing::State alone = testing::state_of(parameters, {.steps = steps}, numbers);
  for (const testing::StatePlan& plan : {testing::StatePlan{.ranks = 1, .workers = 2, .steps = steps},
                                         testing::StatePlan{.ranks = 2, .until_restart = 23, .steps = steps},
                                         testing::StatePlan{.ranks = 4, .steps = steps}}) {
    EXPECT_TRUE(alone == testing::state_of(parameters, plan, numbers)) << plan.ranks << " ranks";
  }
}

}  // namespace tacit::md::order_test
