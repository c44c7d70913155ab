// Stillinger and Weber's potential and embedded atoms: LAMMPS' forces, derivatives of energies, crystals.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "many_body.hpp"
#include "tacit/base/error.hpp"
#include "unit/solvers/md/running_md.hpp"

namespace tacit::md {
namespace {

using testing::expect_as;
using testing::expect_derivatives;
using testing::made_up_bonds;
using testing::made_up_metal;
using testing::md_data_file;
using testing::metal_for;
using testing::read_reference;
using testing::Reference;
using testing::RunningMd;

const std::vector<std::string> only_silicon{"Si"};
const std::vector<std::string> ab{"Aa", "Bb"};
const std::vector<std::string> ba{"Bb", "Aa"};
/// As the keys have it: Stillinger & Weber (1985), Phys. Rev. B 31, 5262.
const std::string si_1985 = "Si Si Si 2.1683 2.0951 1.80 21.0 1.20 -0.333333333333 7.049556277 0.6022245584 4 0 0";

MdParameters weber_silicon(const Configuration& atoms) {
  MdParameters parameters = metal_for(atoms, 1);
  parameters.potential = Potential::stillinger_weber;
  parameters.stillinger_weber = parse_stillinger_weber(si_1985, "the test", only_silicon, {});
  return parameters;
}

MdParameters funcfl_of(const Configuration& atoms, std::size_t types) {
  MdParameters parameters = metal_for(atoms, types);
  parameters.potential = Potential::eam;
  const std::vector<std::filesystem::path> paths{md_data_file("made_up_1.eam"), md_data_file("made_up_2.eam")};
  parameters.embedded = kernels::EmbeddedAtoms(read_funcfl(std::span(paths).first(types), {}).tables);
  return parameters;
}

TEST(MdManyBody, BondsAreThoseOfLammps) {
  const Reference pure = read_reference("sw_si64");
  expect_as(RunningMd(weber_silicon(pure.atoms), 2).solver(), pure);
  const Reference tilted = read_reference("sw_made_up64");
  expect_as(RunningMd(made_up_bonds(tilted.atoms, ab), 2).solver(), tilted);
  const Reference narrow = read_reference("sw_made_up8");
  expect_as(RunningMd(made_up_bonds(narrow.atoms, ba)).solver(), narrow);
}

TEST(MdManyBody, EmbeddedAtomsAreThoseOfLammps) {
  const auto expect = [](const std::string& name, const std::function<MdParameters(const Configuration&)>& of) {
    SCOPED_TRACE(name);
    const Reference reference = read_reference(name);
    expect_as(RunningMd(of(reference.atoms), 2).solver(), reference);
  };
  expect("eam_alloy32", [](const Configuration& c) { return made_up_metal(c, {"Bb"}, EamFormat::alloy); });
  expect("eam_alloy108", [](const Configuration& c) { return made_up_metal(c, ab, EamFormat::alloy); });
  expect("eam_fs72", [](const Configuration& c) { return made_up_metal(c, ba, EamFormat::fs); });
  expect("eam_funcfl32", [](const Configuration& c) { return funcfl_of(c, 2); });
  expect("eam_funcfl4", [](const Configuration& c) { return funcfl_of(c, 1); });
}

MdParameters exponential_of(const Configuration& atoms, ExponentialKind kind, kernels::Truncation truncation) {
  MdParameters parameters = metal_for(atoms, 2);
  parameters.potential = kind == ExponentialKind::morse ? Potential::morse : Potential::buckingham;
  ExponentialParameters exponential{.kind = kind, .types = 2, .truncation = truncation};
  if (kind == ExponentialKind::morse) {
    const ExponentialTypes unlike{0.4, 1.5, 2.7, 5.0};
    exponential.pairs = {{0.34, 1.36, 2.87, 5.5}, unlike, unlike, {0.3, 1.2, 2.6, 4.5}};
  } else {
    const ExponentialTypes unlike{800.0, 1.0 / 0.28, 30.0, 5.5};
    exponential.pairs = {{1000.0, 1.0 / 0.3, 50.0, 6.0}, unlike, unlike, {900.0, 1.0 / 0.32, 0.0, 5.0}};
  }
  (kind == ExponentialKind::morse ? parameters.morse : parameters.buckingham) = exponential;
  return parameters;
}

TEST(MdManyBody, ExponentialsAreThoseOfLammps) {
  using enum ExponentialKind;
  const Reference shifted = read_reference("morse72");
  expect_as(RunningMd(exponential_of(shifted.atoms, morse, kernels::Truncation::shifted)).solver(), shifted);
  const Reference cut = read_reference("buckingham32");
  expect_as(RunningMd(exponential_of(cut.atoms, buckingham, kernels::Truncation::cut)).solver(), cut);
}

/// Beyond the table F is a straight line, as the reference eam_alloy32 needs.
TEST(MdManyBody, EmbeddingGoesOnBeyondItsTable) {
  const kernels::EmbeddedAtoms of = made_up_metal({}, {"Bb"}, EamFormat::alloy).embedded;
  const double end = 59 * 0.06;
  const kernels::WithSlope there = of.embed(0, end);
  EXPECT_NEAR(of.embed(0, end + 2.0).value, there.value + 2.0 * there.slope, 1e-12);
  EXPECT_NEAR(of.embed(0, end + 2.0).slope, there.slope, 1e-12);
  for (const double rho : {-0.01, 0.001, 0.07, 1.0, end - 0.01, end + 1.0}) {
    const double h = 1e-6;
    const double slope = (of.embed(0, rho + h).value - of.embed(0, rho - h).value) / (2.0 * h);
    EXPECT_NEAR(of.embed(0, rho).slope, slope, 1e-8 * std::max(1.0, std::abs(slope))) << rho;
  }
}

/// A cubic is its own spline, but for the intervals whose slopes are of lower order.
TEST(MdManyBody, SplinesOfCubicsAreCubics) {
  const auto cubic = [](double x) { return ((0.3 * x - 1.2) * x + 0.7) * x - 2.0; };
  std::vector<double> values;
  for (int k = 0; k < 9; ++k) values.push_back(cubic(k));
  const std::vector<double> spline = kernels::eam_spline(values);
  ASSERT_EQ(spline.size(), 4U * 8U);
  for (std::size_t k = 2; k < 6; ++k) {
    const double* of = spline.data() + 4 * k;
    for (const double t : {0.0, 0.3, 1.0}) {
      EXPECT_NEAR(((of[0] * t + of[1]) * t + of[2]) * t + of[3], cubic(static_cast<double>(k) + t), 1e-12) << k;
    }
  }
}

TEST(MdManyBody, ForcesAreMinusTheGradientAndTheVirialTheStrainDerivative) {
  expect_derivatives(read_reference("sw_made_up64").atoms, [](const Configuration& c) { return made_up_bonds(c, ab); });
  expect_derivatives(read_reference("sw_made_up8").atoms, [](const Configuration& c) { return made_up_bonds(c, ba); });
  expect_derivatives(read_reference("eam_alloy108").atoms, [](const Configuration& c) { return made_up_metal(c, ab); });
  expect_derivatives(read_reference("eam_fs72").atoms, [](const Configuration& c) { return made_up_metal(c, ba); });
}

/// With forces that end at the cutoff, so that no pair that crosses it shows.
TEST(MdManyBody, ForcesOfExponentialsAreMinusTheGradient) {
  for (const auto kind : {ExponentialKind::morse, ExponentialKind::buckingham}) {
    const char* name = kind == ExponentialKind::morse ? "morse72" : "buckingham32";
    expect_derivatives(read_reference(name).atoms, [&](const Configuration& c) {
      return exponential_of(c, kind, kernels::Truncation::force_shifted);
    });
  }
}

/// Diamond with bonds of the length where phi2 is least, 2^(1/6) sigma, and angles whose energy is 0.
/// @see Stillinger & Weber (1985), section II: four bonds of depth epsilon for each two atoms
TEST(MdManyBody, SiliconIsThatOfThePaper) {
  Configuration atoms;
  const double a = 4.0 / std::sqrt(3.0) * std::pow(2.0, 1.0 / 6.0) * 2.0951;
  EXPECT_NEAR(a, 5.431, 1e-3);
  atoms.box.size = {a, a, a};
  for (const base::Vec3& site : {base::Vec3{0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}}) {
    for (const double by : {0.0, 0.25}) {
      atoms.id.push_back(atoms.size() + 1);
      atoms.type.push_back(0);
      atoms.x.push_back(a * (site + base::Vec3{by, by, by}));
    }
  }
  const RunningMd run(weber_silicon(atoms));
  EXPECT_NEAR(run.energy(), -8.0 * 2.0 * 2.1683, 1e-6);
  EXPECT_NEAR(run.solver().measured().pressure, 0.0, 1.0);  // bar: the digits of A and B
}

/// Of each line cut off, and of each number a word: one error that names the file.
TEST(MdManyBody, DamagedFilesAreRefused) {
  const auto text_of = [](const std::string& name) {
    std::ifstream file(md_data_file(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto damage = [&](const std::string& name, const std::function<void(const std::string&)>& read) {
    const std::string whole = text_of(name);
    EXPECT_NO_THROW(read(whole)) << name;
    std::size_t at = whole.find('\n', whole.find("50.5")) + 1;  // behind the head, of EAM
    if (name.ends_with(".sw")) at = whole.find('\n') + 1;
    for (; at < whole.size(); at = whole.find('\n', at) + 1) {
      std::string with_a_word = whole;
      with_a_word.replace(whole.find_first_not_of(' ', at), 1, "?");
      for (const std::string& text : {whole.substr(0, at), with_a_word}) {
        try {
          read(text);
          FAIL() << name << " cut at " << at;
        } catch (const base::FormatError& error) {
          EXPECT_TRUE(std::string(error.what()).starts_with("the file")) << error.what();
        }
      }
    }
  };
  damage("made_up.eam.alloy",
         [](const std::string& text) { static_cast<void>(parse_setfl(text, "the file", EamFormat::alloy, ab, {})); });
  damage("made_up.eam.fs",
         [](const std::string& text) { static_cast<void>(parse_setfl(text, "the file", EamFormat::fs, ab, {})); });
  damage("made_up_1.eam", [](const std::string& text) {
    const std::vector<NamedText> texts{{"the file", text}};
    static_cast<void>(parse_funcfl(texts, {}));
  });
  damage("made_up.sw",
         [](const std::string& text) { static_cast<void>(parse_stillinger_weber(text, "the file", ab, {})); });
}

TEST(MdManyBody, FilesOfLammpsAreReadAsTheyAre) {
  const std::string folder = "/usr/share/lammps/potentials/";
  if (!std::filesystem::exists(folder + "Cu_u3.eam")) {
    GTEST_SKIP() << "there is no " << folder << " (Debian's lammps-data), whose files may not be copied";
  }
  struct Case {
    const char* name;
    std::vector<std::string> elements;
  };
  for (const auto& [name, elements] : {Case{"CuNi.eam.alloy", {"Ni", "Cu"}},
                                       {"Al_zhou.eam.alloy", {"Al"}},
                                       {"CuTa.eam.alloy", {"Cu", "Ta"}},
                                       {"Fe_mm.eam.fs", {"Fe"}},
                                       {"NiAlH_jea.eam.fs", {"Ni", "Al", "H"}},
                                       {"AlFe_mm.eam.fs", {"Al", "Fe"}}}) {
    EXPECT_EQ(read_setfl(folder + name, eam_format_of(name), elements, {}).masses.size(), elements.size()) << name;
  }
  for (const auto& [name, elements] : {Case{"CdTe.sw", {"Te", "Cd"}},
                                       {"GaN.sw", {"Ga", "N"}},
                                       {"CdTeZnSeHgS0.sw", {"Cd", "Te", "Zn", "Se", "Hg", "S"}}}) {
    EXPECT_GT(read_stillinger_weber_file(folder + name, elements, {}).cutoff(), 3.0) << name;
  }
  // Copper as Foiles, Baskes & Daw (1986), Phys. Rev. B 33, 7983, fitted it: 3.54 eV an atom at 3.615 A.
  Configuration atoms;
  atoms.box.size = {3.615, 3.615, 3.615};
  for (const base::Vec3& site : {base::Vec3{0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}}) {
    atoms.id.push_back(atoms.size() + 1);
    atoms.type.push_back(0);
    atoms.x.push_back(3.615 * site);
  }
  MdParameters parameters = metal_for(atoms, 1);
  parameters.potential = Potential::eam;
  const std::vector<std::filesystem::path> paths{folder + "Cu_u3.eam"};
  parameters.embedded = kernels::EmbeddedAtoms(read_funcfl(paths, {}).tables);
  EXPECT_NEAR(RunningMd(parameters).energy() / 4.0, -3.54, 1e-3);
}

}  // namespace
}  // namespace tacit::md
