// md: what is conserved, bits on threads and after restarts, small boxes, velocities.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "references.hpp"
#include "running_md.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/md/velocities.hpp"

namespace tacit::md {
namespace {

using testing::crystal;
using testing::parameters_for;
using testing::RunningMd;
using testing::scratch_path;

const std::string hot = "[velocities]\ntemperature = 1.44\n[lennard_jones]\ntruncation = \"force_shifted\"\n";
const std::string melt = "density = 0.8442\ncells = [5]\n";

/// Positions, velocities and forces by ID, and the sums of the state.
std::vector<double> state_of(const MdSolver& solver) {
  std::vector<double> result;
  const Atoms& atoms = solver.atoms();
  for (const std::uint32_t i : atoms.by_id()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result.insert(result.end(), {atoms.records[4 * i + axis], atoms.v[axis][i], atoms.f[axis][i],
                                   static_cast<double>(atoms.image[i][axis])});
    }
  }
  for (const engine::Statistic& one : solver.statistics()) result.push_back(one.value);
  for (const engine::Column& one : solver.conserved().columns) result.push_back(one.value.value_or(0.0));
  return result;
}

/// Equal to the last bit.
void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(std::memcmp(&a[i], &b[i], sizeof(double)), 0) << i;
}

TEST(MdEnergy, DriftsWithTheSquareOfTheStep) {
  const auto drift = [](double dt) {
    RunningMd run(crystal(melt, hot));
    run.steps(static_cast<std::size_t>(std::lround(0.2 / dt)), dt);
    const double before = run.energy();
    double largest = 0.0;
    for (int k = 0; k < 20; ++k) {
      run.steps(static_cast<std::size_t>(std::lround(0.02 / dt)), dt);
      largest = std::max(largest, std::abs(run.energy() - before));
    }
    return largest;
  };
  // The error of velocity Verlet is of order dt^2: a quarter. It comes and goes, so the ratio is not sharp.
  const double ratio = drift(0.005) / drift(0.0025);
  EXPECT_GT(ratio, 3.0);
  EXPECT_LT(ratio, 5.5);
}

TEST(MdEnergy, MomentumStaysZero) {
  RunningMd run(crystal(melt, hot));
  run.steps(100, 0.005);
  const engine::MechanicalSums& sums = run.solver().measured().sums;
  // 500 atoms and 100 steps, each with a rounding of numbers of order 10.
  EXPECT_LT(base::norm(sums.momentum), 500.0 * 100.0 * 10.0 * 1.1e-16);
  EXPECT_GT(sums.momentum_scale, 100.0);
}

TEST(MdVelocities, HaveTheTemperatureAndDependOnTheIdAlone) {
  MdParameters parameters = crystal(melt, hot);
  RunningMd run(parameters);
  EXPECT_NEAR(run.solver().measured().temperature, 1.44, 1.44 * 1e-13);
  Configuration reversed;
  reversed.box = parameters.initial.atoms.box;
  for (std::size_t i = parameters.initial.atoms.size(); i-- > 0;) {
    reversed.id.push_back(parameters.initial.atoms.id[i]);
    reversed.type.push_back(0);
    reversed.x.push_back(parameters.initial.atoms.x[i]);
  }
  parameters.initial.atoms = reversed;
  expect_same(state_of(run.solver()), state_of(RunningMd(parameters).solver()));
}

TEST(MdBits, AreThoseOfAnyNumberOfThreads) {
  const auto outcome = [](std::size_t workers) {
    RunningMd run(crystal("density = 0.8442\ncells = [6, 5, 7]\n", hot), workers);
    run.steps(60, 0.005);
    EXPECT_GT(run.solver().graph().rebuilds(), 3U);
    return state_of(run.solver());
  };
  const std::vector<double> one = outcome(1);
  expect_same(one, outcome(2));
  expect_same(one, outcome(3));
}

TEST(MdBits, AreThoseOfARunWithoutARestart) {
  const MdParameters parameters = crystal(melt, hot);
  RunningMd whole(parameters);
  RunningMd first(parameters, 2);
  const auto path = scratch_path(".hdf5");
  for (const std::size_t steps : {37U, 1U, 22U}) {
    whole.steps(steps, 0.005);
    first.steps(steps, 0.005);
    // Saving and measuring disturb nothing, whether the lists are fresh or old.
    io::FileWriter file(path);
    first.solver().save(file);
    file.commit();
    static_cast<void>(first.solver().measured());
    const io::FileReader reader(path);
    RunningMd second(parameters, 1, &reader);
    expect_same(state_of(whole.solver()), state_of(second.solver()));
    second.steps(25, 0.005);
    RunningMd third(parameters, 1, &reader);
    third.steps(25, 0.005);
    expect_same(state_of(third.solver()), state_of(second.solver()));
  }
  const io::FileReader reader(path);
  RunningMd second(parameters, 1, &reader);
  whole.steps(30, 0.005);
  second.steps(30, 0.005);
  expect_same(state_of(whole.solver()), state_of(second.solver()));
}

TEST(MdBits, AreNotThoseOfAnotherSeed) {
  RunningMd one(crystal(melt, hot));
  RunningMd other(
      crystal(melt, "[velocities]\ntemperature = 1.44\nseed = 2\n[lennard_jones]\ntruncation = \"force_shifted\"\n"));
  EXPECT_NE(state_of(one.solver()), state_of(other.solver()));
}

/// Forces, energy and virial of all pairs and images, by the formulas as they stand.
struct Direct {
  std::vector<base::Vec3> force;
  double energy = 0.0;
  std::array<double, 6> virial{};
};

Direct sum_directly(const Configuration& atoms, double cutoff, int images) {
  Direct result;
  result.force.resize(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < atoms.size(); ++j) {
      for (int a = -images; a <= images; ++a) {
        for (int b = -images; b <= images; ++b) {
          for (int c = -images; c <= images; ++c) {
            const base::Vec3 d = atoms.x[i] - atoms.x[j] - atoms.box.shift({a, b, c});
            const double r = base::norm(d);
            if (r == 0.0 || r >= cutoff) continue;
            const double s6 = std::pow(r, -6.0);
            const base::Vec3 f = (24.0 * s6 * (2.0 * s6 - 1.0) / (r * r)) * d;
            result.force[i] = result.force[i] + f;
            result.energy += 2.0 * s6 * (s6 - 1.0);
            const std::array products{f.x * d.x, f.y * d.y, f.z * d.z, f.x * d.y, f.x * d.z, f.y * d.z};
            for (std::size_t k = 0; k < 6; ++k) result.virial[k] += 0.5 * products[k];
          }
        }
      }
    }
  }
  return result;
}

Box box_of(const base::Vec3& size) {
  Box box;
  box.size = size;
  return box;
}

/// Atoms on a grid with a jitter, so that none are too close.
Configuration jittered(const std::array<int, 3>& cells, const Box& box) {
  Configuration result{.box = box};
  for (int i = 0; i < cells[0]; ++i) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int k = 0; k < cells[2]; ++k) {
        const std::uint64_t id = 7 * result.size() + 3;
        base::Vec3 s{(i + 0.5) / cells[0], (j + 0.5) / cells[1], (k + 0.5) / cells[2]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          s[axis] += 0.2 / cells[axis] * (base::uniform(5, id, axis) - 0.5);
        }
        result.id.push_back(id);
        result.type.push_back(0);
        result.x.push_back(box.origin + s.x * box.edge(0) + s.y * box.edge(1) + s.z * box.edge(2));
      }
    }
  }
  return result;
}

void expect_direct(const Configuration& atoms, int images) {
  const Direct direct = sum_directly(atoms, 2.5, images);
  RunningMd run(parameters_for(atoms), 2);
  const Atoms& found = run.solver().atoms();
  const std::vector<std::uint32_t> order = found.by_id();
  double largest = 1.0;
  for (const base::Vec3& f : direct.force) largest = std::max(largest, base::norm(f));
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(found.f[axis][order[i]], direct.force[i][axis], 1e-12 * largest) << i;
    }
  }
  const Measured& measured = run.solver().measured();
  EXPECT_NEAR(measured.sums.energy(), direct.energy, 1e-12 * std::abs(direct.energy));
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(measured.stress[k] * atoms.box.volume(), direct.virial[k], 1e-11 * std::abs(direct.virial[0])) << k;
  }
}

TEST(MdForces, AreSumsOverAllImages) {
  // Edges from a third of the reach to six times it: the images of an atom itself count.
  for (const std::array<int, 3>& cells : {std::array{1, 1, 1}, {1, 2, 3}, {2, 2, 5}, {4, 5, 6}, {3, 14, 2}}) {
    Box box;
    box.origin = {-1.0, 2.0, 0.5};
    for (std::size_t axis = 0; axis < 3; ++axis) box.size[axis] = 1.17 * cells[axis] + 0.05 * static_cast<double>(axis);
    expect_direct(jittered(cells, box), 3);
  }
}

TEST(MdForces, AreTheSameWithAnySkin) {
  const auto forces = [](double skin) {
    MdParameters parameters = parameters_for(jittered({5, 6, 7}, box_of({6.0, 7.0, 8.0})));
    parameters.skin = skin;
    RunningMd run(parameters);
    run.steps(20, 0.004);
    return run.energy();
  };
  const double none = forces(0.0);
  for (const double skin : {0.1, 0.5, 2.0}) EXPECT_NEAR(forces(skin), none, 1e-9 * std::abs(none)) << skin;
}

TEST(MdForces, AreMinusTheGradientAndTheVirialTheStrainDerivative) {
  for (const auto truncation : {kernels::Truncation::shifted, kernels::Truncation::force_shifted}) {
    const auto parameters_of = [&](const Configuration& atoms) {
      MdParameters parameters = parameters_for(atoms);
      parameters.lennard_jones.truncation = truncation;
      return parameters;
    };
    const auto energy_of = [&](const Configuration& atoms) { return RunningMd(parameters_of(atoms)).energy(); };
    const Configuration atoms = jittered({3, 4, 4}, box_of({3.5, 4.7, 4.6}));
    RunningMd run(parameters_of(atoms));
    const double h = 1e-5;
    const std::vector<std::uint32_t> order = run.solver().atoms().by_id();
    for (const std::size_t i : {std::size_t{0}, std::size_t{17}, std::size_t{40}}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Configuration low = atoms;
        Configuration high = atoms;
        low.x[i][axis] -= h;
        high.x[i][axis] += h;
        // Central differences: h^2 u''' / 6 and the rounding of the energy over h.
        EXPECT_NEAR(run.solver().atoms().f[axis][order[i]], -(energy_of(high) - energy_of(low)) / (2.0 * h), 2e-5);
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto strained = [&](double by) {
        Configuration result = atoms;
        result.box.size[axis] *= 1.0 + by;
        for (base::Vec3& x : result.x) x[axis] *= 1.0 + by;
        return energy_of(result);
      };
      const double derivative = (strained(h) - strained(-h)) / (2.0 * h);
      EXPECT_NEAR(run.solver().measured().stress[axis] * atoms.box.volume(), -derivative, 1e-4);
    }
  }
}

TEST(MdErrors, AnAtomThatFliesAwayIsNamed) {
  MdParameters parameters = crystal(melt, hot);
  parameters.thermal.reset();
  parameters.initial.atoms.v.assign(parameters.initial.atoms.size(), {});
  parameters.initial.atoms.v[42] = {1e4, 0.0, 0.0};
  RunningMd run(parameters);
  try {
    run.steps(1, 0.005);
    FAIL();
  } catch (const engine::NumericsError& error) {
    EXPECT_EQ(error.flaw().element, 43U);
    EXPECT_NE(std::string(error.what()).find("atom 43 moves by 50"), std::string::npos) << error.what();
  }
}

TEST(MdErrors, AtomsAtOnePlaceAreNamed) {
  Configuration atoms = jittered({4, 4, 4}, box_of({5.0, 5.0, 5.0}));
  atoms.x[7] = atoms.x[3];
  EXPECT_THROW(RunningMd{parameters_for(atoms)}, base::Error);
}

}  // namespace
}  // namespace tacit::md
