// Potentials whose numbers are made up, for tests: files of tests/data/md; and derivatives of energies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tacit/solvers/md/formats/eam_file.hpp"
#include "tacit/solvers/md/formats/stillinger_weber_file.hpp"
#include "tacit/solvers/md/potentials/tersoff_zbl.hpp"
#include "unit/solvers/md/references.hpp"
#include "unit/solvers/md/running_md.hpp"

namespace tacit::md::testing {

inline std::string md_data_file(const std::string& name) { return test::source_folder() + "/tests/data/md/" + name; }

inline MdParameters metal_for(const Configuration& atoms, std::size_t types) {
  MdParameters parameters = parameters_for(atoms, types);
  parameters.units = {.boltzmann = 8.617343e-5, .mass = 1.0364269e-4, .pressure = 1.6021765e6};
  for (double& mass : parameters.masses) mass = 40.0 * parameters.units.mass;
  parameters.skin = 0.4;
  return parameters;
}

/// Numbers of made_up.sw, where every triple differs. @param elements  of Aa and Bb
inline MdParameters made_up_bonds(const Configuration& atoms, const std::vector<std::string>& elements) {
  MdParameters parameters = metal_for(atoms, elements.size());
  parameters.potential = Potential::stillinger_weber;
  parameters.stillinger_weber = read_stillinger_weber_file(md_data_file("made_up.sw"), elements, {});
  return parameters;
}

/// Functions of made_up.eam.alloy or made_up.eam.fs.
inline MdParameters made_up_metal(const Configuration& atoms, const std::vector<std::string>& elements,
                                  EamFormat format = EamFormat::fs) {
  MdParameters parameters = metal_for(atoms, elements.size());
  parameters.potential = Potential::eam;
  const std::string name = format == EamFormat::fs ? "made_up.eam.fs" : "made_up.eam.alloy";
  parameters.embedded = kernels::EmbeddedAtoms(read_setfl(md_data_file(name), format, elements, {}).tables);
  return parameters;
}

/// Every few atoms; along each axis, and of strains.
inline void expect_derivatives(const Configuration& atoms,
                               const std::function<MdParameters(const Configuration&)>& with) {
  const RunningMd run(with(atoms));
  const std::vector<std::uint32_t> order = run.solver().atoms().by_id();
  const auto energy = [&](const Configuration& of) { return RunningMd(with(of)).energy(); };
  const double h = 1e-5;
  for (std::size_t i = 0; i < atoms.size(); i += 1 + atoms.size() / 8) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Configuration low = atoms;
      Configuration high = atoms;
      low.x[i][axis] -= h;
      high.x[i][axis] += h;
      const double force = run.solver().atoms().f[axis][order[i]];
      // h^2 E''' / 6, and the rounding of some 100 eV over h.
      EXPECT_NEAR(force, -(energy(high) - energy(low)) / (2.0 * h), 2e-6 * std::max(10.0, std::abs(force))) << i;
    }
  }
  const double volume = atoms.box.volume();
  const double unit = 1.6021765e6;
  // Strain of a by b: x_a += e x_b, and the box with it.
  for (const auto& [a, b, component] :
       {std::array<std::size_t, 3>{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 1, 3}, {0, 2, 4}, {1, 2, 5}}) {
    const auto strained = [&, a = a, b = b](double by) {
      Configuration result = atoms;
      Box& box = result.box;
      const Box& was = atoms.box;
      if (a == b) {
        box.size[a] *= 1.0 + by;
        if (a == 0) box.xy *= 1.0 + by, box.xz *= 1.0 + by;
        if (a == 1) box.yz *= 1.0 + by;
      } else if (b == 1) {
        box.xy += by * was.size.y;
        box.xz += by * was.yz;
      } else {
        (a == 0 ? box.xz : box.yz) += by * was.size.z;
      }
      for (base::Vec3& x : result.x) x[a] += by * x[b];
      return energy(result);
    };
    const double derivative = -(strained(h) - strained(-h)) / (2.0 * h);
    const double found = run.solver().measured().stress[component] / unit * volume;
    EXPECT_NEAR(found, derivative, 2e-6 * std::max(100.0, std::abs(found))) << component;
  }
}

/// Tersoff joined to the repulsion of nuclei: numbers of made_up.tersoff.zbl.
inline MdParameters made_up_nuclei(const Configuration& atoms) {
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = Potential::tersoff;
  parameters.tersoff =
      read_tersoff_zbl_file(md_data_file("made_up.tersoff.zbl"), std::vector<std::string>{"Aa", "Bb"}, {});
  return parameters;
}

/// Of two types, Aa and Bb: made_up.table. @param cutoffs  of Aa Aa, Aa Bb, Bb Bb; 0: none acts
inline TableParameters made_up_table(Interpolation interpolation, std::size_t points,
                                     const std::array<double, 3>& cutoffs) {
  const auto tables = read_pair_tables(md_data_file("made_up.table"), {"AA", "AB", "BB"});
  TableParameters result{.types = 2, .points = points};
  result.pairs.resize(4);
  const std::array names{"AA", "AB", "BB"};
  const std::array<std::array<std::size_t, 2>, 3> pairs{{{0, 0}, {0, 1}, {1, 1}}};
  for (std::size_t k = 0; k < 3; ++k) {
    if (cutoffs[k] == 0.0) continue;
    const PairTable& table = tables.at(names[k]);
    const auto [i, j] = pairs[k];
    result.pairs[2 * i + j] = result.pairs[2 * j + i] = {table.begin, cutoffs[k], result.intervals.size() / 8};
    const std::vector<double> intervals = table_intervals(table, interpolation, points, cutoffs[k]);
    result.intervals.insert(result.intervals.end(), intervals.begin(), intervals.end());
  }
  return result;
}

inline MdParameters made_up_tables(const Configuration& atoms, Interpolation interpolation, std::size_t points = 400) {
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = Potential::table;
  // The last distance of BB as the file has it.
  parameters.table = made_up_table(interpolation, points, {6.0, 5.2, 5.2});
  return parameters;
}

inline DampedCoulombParameters made_up_charges() {
  return {.charges = {1.5, -1.2}, .alpha = 0.25, .cutoff = 8.0, .coulomb = 14.399645};
}

/// Tersoff of Aa, Lennard-Jones of Aa Bb, Morse of Bb, repulsion of nuclei of all.
inline MdParameters made_up_overlay(const Configuration& atoms,
                                    kernels::Truncation truncation = kernels::Truncation::cut) {
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = Potential::tersoff;
  parameters.overlay = {Potential::lennard_jones, Potential::zbl, Potential::morse};
  const std::vector<std::string> first{"Aa"};
  const std::vector<std::size_t> types{0};
  parameters.tersoff = among_types(read_tersoff_zbl_file(md_data_file("made_up.tersoff.zbl"), first, {}), types, 2);
  const LennardJonesTypes none{.cutoff = 0.0};
  const LennardJonesTypes unlike{0.05, 2.4, 5.5};
  parameters.lennard_jones = {.types = 2, .pairs = {none, unlike, unlike, none}, .truncation = truncation};
  parameters.zbl = {.atomic_numbers = {14.0, 6.0}, .inner = 1.5, .cutoff = 2.4, .coulomb = 14.399645};
  parameters.morse = {.kind = ExponentialKind::morse,
                      .types = 2,
                      .pairs = {{}, {}, {}, {0.3, 1.4, 2.6, 4.8}},
                      .truncation = truncation};
  return parameters;
}

/// Embedded atoms, a table of Aa Bb, Buckingham of Bb.
inline MdParameters made_up_metal_overlay(const Configuration& atoms, Interpolation interpolation,
                                          kernels::Truncation truncation = kernels::Truncation::cut) {
  MdParameters parameters = made_up_metal(atoms, {"Aa", "Bb"}, EamFormat::alloy);
  parameters.overlay = {Potential::table, Potential::buckingham};
  parameters.table = made_up_table(interpolation, 300, {0.0, 5.0, 0.0});
  parameters.buckingham = {.kind = ExponentialKind::buckingham,
                           .types = 2,
                           .pairs = {{}, {}, {}, {300.0, 1.0 / 0.3, 20.0, 5.0}},
                           .truncation = truncation};
  return parameters;
}

}  // namespace tacit::md::testing
