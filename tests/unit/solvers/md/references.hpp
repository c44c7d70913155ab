// The configurations of tests/data/md: atoms with forces, energy and pressure that another program has computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

namespace tacit::md::testing {

/// Atoms, and what is known of them.
struct Reference {
  Configuration atoms;
  double energy = 0.0;
  std::array<double, 6> pressure{};
  std::vector<base::Vec3> force;               ///< by ID
  std::vector<base::Vec3> later_x, later_v;    ///< of a run, unwrapped, after 100 steps
  std::vector<std::array<double, 12>> thermo;  ///< step temp pe ke etotal press pxx pyy pzz pxy pxz pyz
};

inline base::Vec3 read_vector(std::istream& from) {
  base::Vec3 result;
  from >> result.x >> result.y >> result.z;
  return result;
}

/// @param is_run  whether it is a run, with velocities and what came of it
inline Reference read_reference(const std::string& name, bool is_run = false) {
  std::ifstream file(test::source_folder() + "/tests/data/md/" + name + ".txt");
  Reference result;
  Box& box = result.atoms.box;
  std::string word;
  std::getline(file, word);  // what it is
  while (file >> word) {
    if (word == "box") {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double high = 0.0;
        file >> box.origin[axis] >> high;
        box.size[axis] = high - box.origin[axis];
      }
    } else if (word == "tilt") {
      file >> box.xy >> box.xz >> box.yz;
    } else if (word == "boundary") {
      file >> word;
      for (std::size_t axis = 0; axis < 3; ++axis) box.periodic[axis] = word[axis] == 'p';
    } else if (word == "energy") {
      file >> result.energy;
    } else if (word == "pressure") {
      for (double& one : result.pressure) file >> one;
    } else if (word == "atoms") {
      std::size_t count = 0;
      file >> count;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t type = 0;
        file >> type;
        result.atoms.id.push_back(i + 1);
        result.atoms.type.push_back(type - 1);
        result.atoms.x.push_back(read_vector(file));
        (is_run ? result.atoms.v : result.force).push_back(read_vector(file));
        if (!is_run) continue;
        result.later_x.push_back(read_vector(file));
        result.later_v.push_back(read_vector(file));
      }
    } else if (word == "thermo") {
      std::size_t count = 0;
      file >> count;
      result.thermo.resize(count);
      for (auto& row : result.thermo) {
        for (double& one : row) file >> one;
      }
    }
  }
  EXPECT_FALSE(file.bad());
  EXPECT_GT(result.atoms.size(), 0U) << name;
  return result;
}

/// The solver's input, with Lennard-Jones atoms of mass 1.
inline MdParameters parameters_for(const Configuration& atoms, std::size_t types = 1) {
  MdParameters result;
  result.dt = 0.005;
  result.skin = 0.3;
  result.masses.assign(types, 1.0);
  result.lennard_jones.types = types;
  result.lennard_jones.pairs.assign(types * types, {});
  result.initial.atoms = atoms;
  result.initial.elements.assign(types, "X");
  result.initial.from = "the test";
  return result;
}

/// Numbers of silicon that differ in every triple, the reach of a centre and of its thirds among them.
inline kernels::TersoffTable table_of_differing(std::size_t types) {
  const kernels::TersoffTriple silicon =
      parse_tersoff(tersoff_text(TersoffSet::si_1988), "the test", std::vector<std::string>{"Si"}, {}).of(0, 0, 0);
  std::vector<kernels::TersoffTriple> triples;
  for (std::size_t t = 0; t < types * types * types; ++t) {
    const auto vary = [t](std::uint64_t which) { return base::uniform(31, t, which) - 0.5; };
    kernels::TersoffTriple& of = triples.emplace_back(silicon);
    of.n = 0.8 + 0.3 * vary(0);
    of.beta = 0.3 + 0.2 * vary(1);
    of.A *= 1.0 + 0.1 * vary(2);
    of.B *= 1.0 + 0.1 * vary(3);
    of.lambda1 *= 1.0 + 0.1 * vary(4);
    of.h += 0.2 * vary(5);
    of.R = 2.9 + 1.4 * vary(6);
    of.D = 0.2 + 0.1 * vary(7);
  }
  return {types, std::move(triples)};
}

/// Energy to 1e-10, the pressure tensor to 1e-10 of its largest component.
/// @param force_tolerance   by how much a force may differ: sums in another order
/// @param energy_tolerance  likewise, as a part of the energy
inline void expect_as(const MdSolver& solver, const Reference& reference, double force_tolerance = 1e-10,
                      double energy_tolerance = 1e-10) {
  const Atoms& atoms = solver.atoms();
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(atoms.f[axis][i], reference.force[atoms.id[i] - 1][axis], force_tolerance) << "atom " << atoms.id[i];
    }
  }
  const Measured& measured = solver.measured();
  EXPECT_NEAR(measured.sums.energy(), reference.energy, energy_tolerance * std::abs(reference.energy));
  double scale = 0.0;
  for (const double one : reference.pressure) scale = std::max(scale, std::abs(one));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(measured.stress[k], reference.pressure[k], 1e-10 * scale) << k;
}

}  // namespace tacit::md::testing
