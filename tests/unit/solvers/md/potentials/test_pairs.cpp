// Potentials of pairs from tables, of charges, of nuclei, and several at once: LAMMPS' forces, derivatives, exact
// values. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "many_body.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/pack_scalar.hpp"
#include "tacit/solvers/md/kernels/screened_pairs.hpp"
#include "tacit/solvers/md/velocities.hpp"

namespace tacit::md {
namespace {

using kernels::Truncation;
using testing::expect_as;
using testing::expect_derivatives;
using testing::made_up_charges;
using testing::made_up_metal_overlay;
using testing::made_up_nuclei;
using testing::made_up_overlay;
using testing::made_up_tables;
using testing::md_data_file;
using testing::metal_for;
using testing::read_reference;
using testing::Reference;
using testing::RunningMd;

using Scalar = base::Pack<double, base::isa::scalar>;

MdParameters charged(const Configuration& atoms) {
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = Potential::coulomb;
  parameters.coulomb = made_up_charges();
  return parameters;
}

MdParameters nuclei(const Configuration& atoms) {
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = Potential::zbl;
  parameters.zbl = {.atomic_numbers = {14.0, 31.0}, .inner = 1.1, .cutoff = 1.9, .coulomb = 14.399645};
  return parameters;
}

TEST(MdPairs, TablesAreThoseOfLammps) {
  const Reference spline = read_reference("table_spline48");
  expect_as(RunningMd(made_up_tables(spline.atoms, Interpolation::spline), 2).solver(), spline);
  const Reference linear = read_reference("table_linear48");
  expect_as(RunningMd(made_up_tables(linear.atoms, Interpolation::linear)).solver(), linear);
}

/// LAMMPS has erfc to 1.5e-7 in coul/dsf, and exactly in coul/wolf, whose forces are the same: these, and the pressure,
/// are compared to 1e-10, the energy to those 1.5e-7 of the pairs, whose parts are some ten times the sum.
TEST(MdPairs, ChargesAreThoseOfLammps) {
  const Reference reference = read_reference("coulomb48");
  expect_as(RunningMd(charged(reference.atoms)).solver(), reference, 1e-10, 1.5e-6);
}

TEST(MdPairs, NucleiAreThoseOfLammps) {
  // Forces up to 1e3 eV/A, of which 1e-13 may be rounded.
  const Reference pairs = read_reference("zbl36");
  expect_as(RunningMd(nuclei(pairs.atoms)).solver(), pairs, 1e-9);
  const Reference joined = read_reference("tersoff_zbl48");
  expect_as(RunningMd(made_up_nuclei(joined.atoms), 2).solver(), joined, 1e-9);
}

TEST(MdPairs, SeveralPotentialsAreThoseOfLammps) {
  const Reference bonds = read_reference("overlay_tersoff48");
  expect_as(RunningMd(made_up_overlay(bonds.atoms), 2).solver(), bonds);
  const Reference metal = read_reference("overlay_eam64");
  expect_as(RunningMd(made_up_metal_overlay(metal.atoms, Interpolation::spline), 2).solver(), metal);
}

TEST(MdPairs, ForcesAreMinusTheGradientAndTheVirialTheStrainDerivative) {
  expect_derivatives(read_reference("table_spline48").atoms,
                     [](const Configuration& c) { return made_up_tables(c, Interpolation::cubic); });
  expect_derivatives(read_reference("coulomb48").atoms, charged);
  expect_derivatives(read_reference("zbl36").atoms, nuclei);
  expect_derivatives(read_reference("tersoff_zbl48").atoms, made_up_nuclei);
  expect_derivatives(read_reference("overlay_tersoff48").atoms,
                     [](const Configuration& c) { return made_up_overlay(c, Truncation::force_shifted); });
  expect_derivatives(read_reference("overlay_eam64").atoms, [](const Configuration& c) {
    return made_up_metal_overlay(c, Interpolation::cubic, Truncation::force_shifted);
  });
}

/// The series against the C library's function, and through 1 at 0.
TEST(MdPairs, ErfcIsThatOfTheLibrary) {
  for (const double x : {0.0, 1e-9, 0.01, 0.3, 1.0, 2.0, 3.75, 5.0, 8.0, 12.0}) {
    const double scaled = kernels::scaled_erfc(Scalar(x)).value();
    const double found = scaled / (1.0 + 2.0 * x) * std::exp(-x * x);
    // The rounding of x^2 in the exponential, and the series.
    EXPECT_NEAR(found / std::erfc(x), 1.0, 1e-13 + 4e-16 * x * x) << x;
  }
}

/// Rock salt: alpha of Madelung, 1.7475645946331822, as the energy of a pair of ions in e^2 / r0.
/// @see Fennell & Gezelter (2006), J. Chem. Phys. 124, 234104, section III
TEST(MdPairs, RockSaltHasMadelungsEnergy) {
  Configuration atoms;
  const int n = 4;
  atoms.box.size = {n * 1.0, n * 1.0, n * 1.0};
  for (int k = 0; k < n * n * n; ++k) {
    const base::Vec3 x{static_cast<double>(k % n), static_cast<double>(k / n % n), static_cast<double>(k / n / n)};
    atoms.id.push_back(atoms.size() + 1);
    atoms.type.push_back(static_cast<std::uint32_t>(k % n + k / n % n + k / n / n) % 2);
    atoms.x.push_back(x);
  }
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = Potential::coulomb;
  const auto madelung = [&](double cutoff) {
    parameters.coulomb = {.charges = {1.0, -1.0}, .alpha = 0.55, .cutoff = cutoff, .coulomb = 1.0};
    return -RunningMd(parameters).energy() / (n * n * n / 2.0);
  };
  EXPECT_NEAR(madelung(4.2), 1.7475645946331822, 3e-2);
  EXPECT_NEAR(madelung(6.3), 1.7475645946331822, 1e-3);
}

/// Of a table with twice as many values the error is a sixteenth; and the energy of a run stays.
TEST(MdPairs, CubicTablesAreOfFourthOrder) {
  const auto u = [](double r) { return 4.0 * (std::pow(r, -12) - std::pow(r, -6)); };
  const auto f = [](double r) { return 24.0 * (2.0 * std::pow(r, -13) - std::pow(r, -7)); };
  PairTable table{.begin = 0.9};
  for (int k = 0; k < 4000; ++k) {
    table.r.push_back(0.9 + 1.6 * k / 3999.0);
    table.u.push_back(u(table.r.back()));
    table.f.push_back(f(table.r.back()));
  }
  const auto error = [&](std::size_t points) {
    const std::vector<double> intervals = table_intervals(table, Interpolation::cubic, points, 2.5);
    const double width = (2.5 * 2.5 - 0.81) / static_cast<double>(points - 1);
    double worst = 0.0;
    for (double r = 0.95; r < 2.5; r += 0.0137) {
      const double place = (r * r - 0.81) / width;
      const double* of = intervals.data() + 8 * static_cast<std::size_t>(place);
      const double t = place - std::floor(place);
      worst = std::max(worst, std::abs(((of[0] * t + of[1]) * t + of[2]) * t + of[3] - u(r)));
    }
    return worst;
  };
  const double ratio = error(101) / error(201);
  EXPECT_GT(ratio, 12.0);
  EXPECT_LT(ratio, 20.0);
}

/// Nearer than the table begins there is no force: the run ends with the atoms' names, or the atom's.
TEST(MdPairs, AtomsNearerThanTheTableEndTheRun) {
  Configuration atoms = read_reference("table_spline48").atoms;
  atoms.x[1] = atoms.x[0] + base::Vec3{1.0, 0.0, 0.0};
  try {
    const RunningMd refused(made_up_tables(atoms, Interpolation::spline));
    ADD_FAILURE() << "began";
  } catch (const base::Error& error) {
    EXPECT_NE(
        std::string(error.what())
            .find("the test: the atoms 1 and 2 are 1 from each other, nearer than any table of table.pairs begins, "
                  "1.4\n"),
        std::string::npos)
        << error.what();
  }
  // Nearer than their own table alone.
  atoms.type[0] = atoms.type[1] = 0;
  atoms.x[1] = atoms.x[0] + base::Vec3{1.45, 0.0, 0.0};
  RunningMd run(made_up_tables(atoms, Interpolation::spline));
  EXPECT_THROW(run.steps(2, 0.001), engine::NumericsError);
}

/// Of each line cut off, and of each number a word: one error that names the file.
TEST(MdPairs, DamagedTablesAreRefused) {
  std::ifstream file(md_data_file("made_up.table"));
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  const auto read = [](const std::string& text) {
    static_cast<void>(parse_pair_tables(text, "the file", {"AA", "AB", "BB"}));
  };
  EXPECT_NO_THROW(read(whole));
  const auto refused = [&](const std::string& text) {
    try {
      read(text);
      ADD_FAILURE() << "was read";
    } catch (const base::FormatError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("the file")) << error.what();
    }
  };
  for (std::size_t at = whole.find("AA\n"); at < whole.size(); at = whole.find('\n', at) + 1) {
    refused(whole.substr(0, at));
    if (whole[at] == '\n') continue;
    std::string with_a_word = whole;
    refused(with_a_word.replace(at, 1, "?"));
  }
}

}  // namespace
}  // namespace tacit::md
