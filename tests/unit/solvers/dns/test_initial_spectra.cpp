// The spectra of random fields: their forms, tables from files, and the fields that have them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "running_flow.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/base/error.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns::initial_spectra_test {

double slope(const EnergySpectrum& spectrum, double k) {
  return std::log(energy_at(spectrum, 1.001 * k) / energy_at(spectrum, k)) / std::log(1.001);
}

TEST(InitialSpectra, HaveTheirPeaksAndSlopes) {
  const ExponentialSpectrum exponential{.peak = 5.0};
  // d log E / d log k = 4 - 4 (k / peak)^2; the difference quotient is off by its step times the second derivative.
  EXPECT_NEAR(slope(exponential, 5.0), 0.0, 0.01);
  EXPECT_NEAR(slope(exponential, 0.05), 4.0, 0.01);
  const VonKarmanPaoSpectrum pao{.peak = 5.0, .k_eta = 1e6};
  EXPECT_NEAR(slope(pao, 5.0), 0.0, 0.01);
  EXPECT_NEAR(slope(pao, 0.05), 4.0, 0.01);
  EXPECT_NEAR(slope(pao, 5000.0), -5.0 / 3.0, 0.01);
  // At k_eta the end takes 4 more off.
  EXPECT_NEAR(slope(VonKarmanPaoSpectrum{.peak = 1.0, .k_eta = 1000.0}, 1000.0), -5.0 / 3.0 - 4.0, 0.02);
}

TEST(InitialSpectra, TablesAreReadAndLinear) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "spectrum.txt") << "# k E\n1 0.5\n\n 2\t1.0  # the peak\n4,0.25\r\n";
  const TabulatedSpectrum table = read_spectrum(folder / "spectrum.txt");
  EXPECT_EQ(table.k, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(table.energy, (std::vector<double>{0.5, 1.0, 0.25}));
  EXPECT_EQ(table.total(), 0.75 + 1.25);
  EXPECT_EQ(energy_at(table, 0.99), 0.0);
  EXPECT_EQ(energy_at(table, 1.0), 0.5);
  EXPECT_EQ(energy_at(table, 3.0), 0.625);
  EXPECT_EQ(energy_at(table, 4.0), 0.25);
  EXPECT_EQ(energy_at(table, 4.01), 0.0);
}

std::string error_of(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_spectrum(path));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(InitialSpectra, SayWhichLineIsWrong) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "spectrum.txt";
  const auto says = [&](const char* content, const std::string& expected) {
    std::ofstream(path) << content;
    EXPECT_EQ(error_of(path), path.string() + expected);
  };
  says("1 1\n2\n", ":2: '2' is not two numbers: k [waves per box] and E(k)");
  says("1 1\n2 1 3\n", ":2: '2 1 3' is not two numbers: k [waves per box] and E(k)");
  says("1 1\n2 nan\n", ":2: '2 nan' is not two numbers: k [waves per box] and E(k)");
  says("k E\n", ":1: 'k E' is not two numbers: k [waves per box] and E(k)");
  says("1 1\n\n1 2\n", ":3: k is 1; expected numbers >= 0 that rise from line to line");
  says("1 1\n2 -1\n", ":2: E(k) is -1; an energy is not negative");
  says("# nothing\n", ": has no energy; expected two lines or more of k [waves per box] and E(k)");
  EXPECT_NE(error_of(folder / "missing.txt").find("missing.txt"), std::string::npos);
}

// A field's shells have the energy of its spectrum, but for how many modes happen to be in a shell.
TEST(InitialSpectra, FieldsHaveThem) {
  testing::RunningFlow run(testing::cube(48));
  Flow& flow = run.flow;
  TabulatedSpectrum table{.k = {2, 6, 14}, .energy = {0.1, 0.3, 0.02}};
  make(Isotropic{.energy = table.total(), .spectrum = table}, flow);
  const std::vector<double> shells = spectrum(flow);
  double sum = 0.0;
  for (const double shell : shells) sum += shell;
  // Two sums of 3e4 numbers that come to 2: some hundred roundings of them remain.
  EXPECT_NEAR(sum, table.total(), 2e-13);
  for (const std::size_t k : {4U, 6U, 8U, 11U}) {
    // A shell has 4 pi k^2 modes within some k^1.5; and those of width 1 average over a bend of the table.
    const double expected = energy_at(table, static_cast<double>(k));
    EXPECT_NEAR(shells[k] / expected, 1.0, 0.15) << k;
  }
  EXPECT_EQ(shells[1], 0.0);
}

// The same mode at any resolution, up to the factor that the energy sets.
TEST(InitialSpectra, PhasesDoNotDependOnTheResolution) {
  const auto ratio_of_modes = [&](std::size_t n) {
    testing::RunningFlow run(testing::cube(n));
    Flow& flow = run.flow;
    make(Isotropic{.peak = 2.0, .seed = 9}, flow);
    const fft::Pencils& pencils = flow.pencils();
    const std::size_t last = pencils.modes().count(1) - 2;  // ky = -2
    return flow.modes(0)[pencils.spectral_place(1, last, 3)] / flow.modes(2)[pencils.spectral_place(0, 1, last)];
  };
  const Complex coarse = ratio_of_modes(16);
  EXPECT_GT(std::abs(coarse), 0.0);
  EXPECT_LT(std::abs(ratio_of_modes(20) - coarse), 1e-14 * std::abs(coarse));  // a dozen roundings of each
}

}  // namespace tacit::dns::initial_spectra_test
