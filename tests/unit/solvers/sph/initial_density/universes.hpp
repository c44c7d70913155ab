// Universes in small, and their modes by direct sums, for the tests of this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <vector>

#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph::testing {

inline constexpr Cosmology lambda_cdm{.H0 = 1.0, .h = 0.7, .omega_m = 0.3, .omega_lambda = 0.7, .omega_b = 0.05};
inline constexpr Cosmology dark{
    .H0 = 1.0, .h = 0.7, .omega_m = 0.3, .omega_lambda = 0.7, .omega_b = 0.05, .w0 = -0.8, .wa = 0.2};

/// G = 3, to be seen where it is forgotten; lengths in Mpc.
inline Cosmological universe(std::int64_t n, double box, double begin, const Cosmology& cosmology = lambda_cdm,
                             double sigma_8 = 0.8) {
  return {.resolution = n,
          .begin = begin,
          .cosmology = cosmology,
          .G = 3.0,
          .density = {.box = box,
                      .spectrum = LinearSpectrum(cosmology, LinearSpectrum::Shape::eisenstein_hu, 2.7255, 0.965,
                                                 {.sigma_8 = sigma_8, .A_s = std::nullopt}, 1.0)}};
}

/// 1/N sum of exp(-i k.x): the mode of the density of these particles.
inline std::complex<double> mode_of(const std::vector<double>& x, const std::vector<double>& y,
                                    const std::vector<double>& z, double box, const WaveNumbers& k) {
  std::complex<double> sum;
  const double unit = 2.0 * std::numbers::pi / box;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle =
        unit * (static_cast<double>(k[0]) * x[i] + static_cast<double>(k[1]) * y[i] + static_cast<double>(k[2]) * z[i]);
    sum += std::complex<double>{std::cos(angle), -std::sin(angle)};
  }
  return sum / static_cast<double>(x.size());
}

/// Calls visit(k) for all waves with components of at most `most`, but not for the one that is none.
template <class Visit>
void for_each_wave(std::int64_t most, const Visit& visit) {
  for (std::int64_t i = -most; i <= most; ++i) {
    for (std::int64_t j = -most; j <= most; ++j) {
      for (std::int64_t k = -most; k <= most; ++k) {
        if (i != 0 || j != 0 || k != 0) visit(WaveNumbers{i, j, k});
      }
    }
  }
}

}  // namespace tacit::sph::testing
