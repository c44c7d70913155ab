// Decaying flows against histories and spectra of another program (see tests/data/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "running_flow.hpp"
#include "support/source_folder.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns::validation_test {

using testing::RunningFlow;

/// Whether flows are followed to the end of their tables, by two threads.
bool is_full() { return std::getenv("TACIT_TEST_FULL") != nullptr; }

/// Until when a flow is followed.
double until(double quick, double full) {
  if (is_full()) return full;
#if defined(TACIT_UNDER_TSAN) || defined(TACIT_UNDER_ASAN)
  return 0.1 * quick;  // thirty times slower
#else
  return quick;
#endif
}

/// A table of numbers; lines that begin with # are left out.
std::vector<std::vector<double>> table(const std::string& name) {
  std::ifstream file(test::source_folder() + "/tests/data/dns/" + name);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::vector<double> row;
    for (double number = 0.0; words >> number;) row.push_back(number);
    rows.push_back(row);
  }
  return rows;
}

/// The energy of each mode divided between the two whole numbers next to |k|, the nearer one getting more.
std::vector<double> shared_spectrum(const Flow& flow, std::size_t shells) {
  std::vector<double> energy(shells + 1);
  for_each_mode(flow.pencils(), [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    const WaveVector wave = flow.wave_vector(x, y, z);
    const double k = std::hypot(wave[0], wave[1], wave[2]);
    const auto below = std::min(static_cast<std::size_t>(k), shells - 1);
    const double beyond = std::min(k - static_cast<double>(below), 1.0);
    for (std::size_t c = 0; c < 3; ++c) {
      const double part = (x == 0 ? 0.5 : 1.0) * std::norm(flow.modes(c)[at]);
      energy[below] += (1.0 - beyond) * part;
      energy[below + 1] += beyond * part;
    }
  });
  return energy;
}

TEST(DnsValidation, TaylorGreenAtReynoldsNumber100) {
  RunningFlow run(testing::cube(64, Scheme::rk4, 0.01), is_full() ? 2 : 1);
  make(TaylorGreen{}, run.flow);
  const auto history = table("taylor_green_64_history.txt");
  const auto spectra = table("taylor_green_64_spectra.txt");
  const std::array spectrum_times{0.0, 1.0, 2.0, 3.0, 4.0, 5.02, 6.02, 7.02, 8.02, 9.02, 10.02};
  ASSERT_GT(history.size(), 50U);
  const double end = until(1.5, 10.02);
  std::size_t column = 1;
  int step = 0;
  for (const auto& row : history) {
    if (row[0] > end + 1e-9) break;
    for (; step < std::lround(row[0] / 0.02); ++step) run.flow.step(0.02);
    const Flow::Energetics now = run.flow.energetics();
    // Six printed digits of the energy; the dissipation is asked for to 1e-4 of its value.
    EXPECT_NEAR(now.energy, row[1], 1.01 * 0.5e-5 * std::pow(10.0, std::floor(std::log10(row[1])))) << row[0];
    EXPECT_NEAR(now.dissipation / row[2], 1.0, 1e-4) << row[0];
    if (std::abs(row[0] - spectrum_times.at(column - 1)) > 1e-6) continue;
    const auto found = shared_spectrum(run.flow, spectra.size());
    for (std::size_t k = 1; k < spectra.size() && k <= 20; ++k) {
      // Shells with next to nothing show the rounding of 1e-16 of the largest.
      EXPECT_NEAR(found[k], spectra[k][column], 1e-6 * spectra[k][column] + 1e-17) << "k " << k << " t " << row[0];
    }
    if (++column > spectrum_times.size()) break;
  }
  EXPECT_GT(column, 1U);
}

/// Bits of a number mixed so that neighbours have nothing in common.
/// @see Steele, Lea & Flood (2014), OOPSLA, fig. 16 (splitmix64)
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// The mode that the recipe of the reference has for a wave of the upper half: two directions across k, each with its
/// phase, and an angle that divides the energy between them.
std::array<Complex, 3> reference_mode(const Waves& k, std::uint64_t seed, double peak) {
  const auto place = [](std::int64_t n) { return static_cast<std::uint64_t>(n + 512); };
  const std::uint64_t key = (seed << 32U) + (place(k[0]) << 20U) + (place(k[1]) << 10U) + place(k[2]);
  std::array<double, 3> angle{};
  for (std::uint64_t i = 0; i < 3; ++i) {
    angle[i] = 2.0 * std::numbers::pi * static_cast<double>(mixed(3 * key + i) >> 11U) * 0x1p-53;
  }
  const std::array<double, 3> n{static_cast<double>(k[0]), static_cast<double>(k[1]), static_cast<double>(k[2])};
  const double size = std::hypot(n[0], n[1], n[2]);
  const double flat = std::hypot(n[0], n[1]);
  const std::array<double, 3> first =
      flat > 0.0 ? std::array{n[1] / flat, -n[0] / flat, 0.0} : std::array{1.0, 0.0, 0.0};
  std::array<Complex, 3> mode;
  const double amplitude =
      std::sqrt(size * size * std::exp(-2.0 * std::pow(size / peak, 2)) / (4.0 * std::numbers::pi));
  const Complex a = amplitude * std::polar(std::cos(angle[2]), angle[0]);
  const Complex b = amplitude * std::polar(1.0, angle[1]) * std::sin(angle[2]);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t next = (c + 1) % 3;
    const std::size_t last = (c + 2) % 3;
    mode[c] = a * first[c] + b * (n[next] * first[last] - n[last] * first[next]) / size;
  }
  return mode;
}

void make_reference_field(Flow& flow) {
  const fft::Modes& modes = flow.pencils().modes();
  const auto n = static_cast<double>(modes.points()[0]);
  for_each_mode(flow.pencils(), [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    Waves k = waves_of(modes, x, y, z);
    const bool is_lower = k < Waves{};
    if (is_lower) k = {-k[0], -k[1], -k[2]};
    const double size = std::hypot(static_cast<double>(k[0]), static_cast<double>(k[1]), static_cast<double>(k[2]));
    std::array<Complex, 3> mode{};
    if (size > 0.5 && size < n / 3.0) mode = reference_mode(k, 20240, 4.0);
    for (std::size_t c = 0; c < 3; ++c) flow.modes(c)[at] = is_lower ? std::conj(mode[c]) : mode[c];
  });
  const double factor = std::sqrt(0.5 / flow.energetics().energy);
  for (std::size_t c = 0; c < 3; ++c) {
    for (Complex& mode : flow.modes(c)) mode *= factor;
  }
}

TEST(DnsValidation, DecayingIsotropicTurbulence) {
  RunningFlow run(testing::cube(64, Scheme::rk4, 0.01), is_full() ? 2 : 1);
  make_reference_field(run.flow);
  const auto history = table("hit_64_history.txt");
  const auto spectra = table("hit_64_spectra.txt");
  ASSERT_EQ(history.size(), 21U);
  const double end = until(0.5, 2.0);
  int step = 0;
  for (const auto& row : history) {
    if (row[0] > end + 1e-9) break;
    for (; step < std::lround(row[0] / 0.01); ++step) run.flow.step(0.01);
    const Flow::Energetics now = run.flow.energetics();
    // The same scheme in another order of operations: rounding 1e-16, which the flow carries on for a few turnovers;
    // the reference has 13 digits, made from points in another way.
    EXPECT_NEAR(now.energy / row[1], 1.0, 1e-11) << row[0];
    EXPECT_NEAR(now.dissipation / row[2], 1.0, 1e-11) << row[0];
    const double column = row[0] / 0.5;
    if (std::abs(column - std::round(column)) > 1e-6) continue;
    const std::vector<double> found = spectra_of(run.flow).shells.energy;
    for (std::size_t k = 1; k < spectra.size(); ++k) {
      const double expected = spectra[k][1 + static_cast<std::size_t>(std::lround(column))];
      EXPECT_NEAR(found.at(k), expected, 1e-9 * expected + 1e-17) << "k " << k << " t " << row[0];
    }
  }
}

}  // namespace tacit::dns::validation_test
