// Linear power spectra: fits against another implementation, heights, tables, and random modes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../samples.hpp"
#include "tacit/base/error.hpp"
#include "universes.hpp"

namespace tacit::sph::spectrum_test {

using testing::lambda_cdm;

// The package colossus 1.3 (Diemer 2018, ApJS 239, 35), which gives nine digits here.
TEST(InitialSpectrum, TransferFunctionsAreThoseOfAnotherCode) {
  constexpr std::array k_h{1e-3, 1e-2, 0.05, 0.1, 0.2, 1.0, 10.0};
  constexpr std::array wiggly{0.992253221, 0.779874016,   0.267697657,   0.128607622,
                              0.054104289, 0.00458786726, 8.77676957e-05};
  constexpr std::array smooth{0.992073687,  0.786127707,   0.274935077,   0.131200229,
                              0.0536402025, 0.00455319008, 8.67098049e-05};
  constexpr std::array planck{0.992408722,  0.782793151,   0.274683205,   0.133583084,
                              0.0561560202, 0.00479758534, 9.21354975e-05};
  const MatterContents contents{.omega_m = 0.3, .omega_b = 0.05, .h = 0.7, .cmb_temperature = 2.7255};
  const WigglyTransfer with(contents);
  const SmoothTransfer without(contents);
  const WigglyTransfer other({.omega_m = 0.315, .omega_b = 0.0493, .h = 0.674, .cmb_temperature = 2.7255});
  for (std::size_t i = 0; i < k_h.size(); ++i) {
    EXPECT_NEAR(with(0.7 * k_h[i]), wiggly[i], 2e-8 * wiggly[i]);
    EXPECT_NEAR(without(0.7 * k_h[i]), smooth[i], 2e-8 * smooth[i]);
    EXPECT_NEAR(other(0.674 * k_h[i]), planck[i], 2e-8 * planck[i]);
  }
  EXPECT_NEAR(with(1e-7), 1.0, 1e-5);
}

TEST(InitialSpectrum, HeightIsThatAskedForInAnyUnits) {
  const auto shape = LinearSpectrum::Shape::eisenstein_hu;
  const LinearSpectrum Mpc(lambda_cdm, shape, 2.7255, 0.965, {.sigma_8 = 0.8, .A_s = {}}, 1.0);
  const LinearSpectrum kpc(lambda_cdm, shape, 2.7255, 0.965, {.sigma_8 = 0.8, .A_s = {}}, 1e-3);
  EXPECT_NEAR(Mpc.sigma_8(), 0.8, 1e-13);
  EXPECT_NEAR(kpc(1e-4), 1e9 * Mpc(0.1), 1e-4 * Mpc(0.1) * 1e9 * 1e-9);
  // Planck's parameters, whose sigma_8 by a Boltzmann code is 0.811; fits are good to some percent, and ours grows
  // without neutrinos.
  const Cosmology planck{.H0 = 1.0, .h = 0.6736, .omega_m = 0.3153, .omega_lambda = 0.6847, .omega_b = 0.0493};
  const LinearSpectrum curvature(planck, shape, 2.7255, 0.9649, {.sigma_8 = {}, .A_s = 2.1e-9}, 1.0);
  EXPECT_NEAR(curvature.sigma_8(), 0.811, 0.03);
}

TEST(InitialSpectrum, ATableIsWhatItWasMadeOf) {
  const test::Scratch scratch;
  const LinearSpectrum known(lambda_cdm, LinearSpectrum::Shape::no_wiggles, 2.7255, 0.965, {.sigma_8 = 0.8, .A_s = {}},
                             1.0);
  std::string text = "# k [h/Mpc]  P [(Mpc/h)^3]  more\n\n";
  for (int i = 0; i <= 400; ++i) {
    const double k = 1e-4 * std::pow(10.0, i / 50.0);
    text += fmt::format(" {:.10e} {:.10e} 0.0\r\n", k, known(k * 0.7) * 0.343);
  }
  test::put(scratch / "table.dat", text);
  const LinearSpectrum table(lambda_cdm, read_spectrum_table(scratch / "table.dat"), {}, 1.0);
  for (const double k : {1e-3, 0.0123, 0.1, 0.777, 5.0}) EXPECT_NEAR(table(k), known(k), 1e-5 * known(k));
  EXPECT_NEAR(table.sigma_8(), 0.8, 1e-5);
  const LinearSpectrum higher(lambda_cdm, read_spectrum_table(scratch / "table.dat"), {.sigma_8 = 1.6, .A_s = {}}, 1.0);
  EXPECT_NEAR(higher(0.1), 4.0 * known(0.1), 1e-4 * known(0.1));

  const auto refusal = [&](const std::string& content) -> std::string {
    test::put(scratch / "bad.dat", content);
    try {
      static_cast<void>(read_spectrum_table(scratch / "bad.dat"));
    } catch (const base::FormatError& error) {
      const std::string what = error.what();
      return what.substr(what.find("bad.dat") + 9);
    }
    return "";
  };
  EXPECT_EQ(refusal("0.1 1\n0.2 nan\n"),
            "line 2: '0.2 nan' does not begin with k [h/Mpc] and P(k) [(Mpc/h)^3], two numbers above 0");
  EXPECT_EQ(refusal("k P\n"), "line 1: 'k P' does not begin with k [h/Mpc] and P(k) [(Mpc/h)^3], two numbers above 0");
  EXPECT_EQ(refusal("0.1 1\n0.1 2\n"),
            "line 2: k = 0.1 is not above that of the line before; expected k in rising order");
  EXPECT_EQ(refusal("0.1 1\n0.2 2\n"),
            "2 lines with k and P(k); expected 4 at least, of the whole range of waves in the box");
}

TEST(InitialSpectrum, RandomModesAreGaussianAndOfARealField) {
  const WaveNumbers wave{3, -5, 7};
  for (const auto kind : {ModeAmplitudes::gaussian, ModeAmplitudes::fixed}) {
    EXPECT_EQ(random_mode(4, {-3, 5, -7}, kind), std::conj(random_mode(4, wave, kind)));
  }
  EXPECT_NEAR(std::abs(random_mode(4, wave, ModeAmplitudes::fixed)), 1.0, 1e-15);
  EXPECT_NE(random_mode(4, wave, ModeAmplitudes::gaussian), random_mode(5, wave, ModeAmplitudes::gaussian));
  // Means over N numbers are off by some N^-1/2: of |z|^2 (1), |z|^4 (2), and z^2 (0).
  double square = 0.0;
  double fourth = 0.0;
  std::complex<double> turned;
  double count = 0.0;
  testing::for_each_wave(20, [&](const WaveNumbers& k) {
    const auto z = random_mode(1, k, ModeAmplitudes::gaussian);
    square += std::norm(z);
    fourth += std::norm(z) * std::norm(z);
    turned += z * z;
    ++count;
  });
  EXPECT_NEAR(square / count, 1.0, 0.025);  // half of the numbers are independent: 5 sigma
  EXPECT_NEAR(fourth / count, 2.0, 0.12);
  EXPECT_NEAR(std::abs(turned) / count, 0.0, 0.025);
}

}  // namespace tacit::sph::spectrum_test
