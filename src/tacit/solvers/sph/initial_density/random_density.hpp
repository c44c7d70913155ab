// A Gaussian random density, mode by mode: the same waves at any resolution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstdint>

#include "tacit/solvers/sph/initial_density/linear_spectrum.hpp"

namespace tacit::sph {

/// Numbers of waves in the box along each axis.
using WaveNumbers = std::array<std::int64_t, 3>;

/// How the squares of modes are distributed about their mean.
enum class ModeAmplitudes : std::uint8_t {
  gaussian,  ///< as of a Gaussian random field
  fixed,     ///< all at the mean; phases are random (Angulo & Pontzen 2016, MNRAS 462, L1)
};

/// A random number of a mode, of mean square 1, and the conjugate for the opposite wave: from the seed and the wave
/// alone, so the same whatever other modes there are, and wherever. @pre k is not 0, each within +-2^20
[[nodiscard]] std::complex<double> random_mode(std::uint64_t seed, const WaveNumbers& k, ModeAmplitudes amplitudes);

/// The density of matter over its mean, less 1, as linear theory has it today, of mean square P / V in each mode:
///
///     delta(x) = sum over k of delta_k exp(2 pi i k.x / L)
struct RandomDensity {
  double box = 1.0;  ///< comoving side L [length]
  std::uint64_t seed = 1;
  ModeAmplitudes amplitudes = ModeAmplitudes::gaussian;
  LinearSpectrum spectrum;

  /// delta_k; 0 of no wave. @pre as for random_mode
  [[nodiscard]] std::complex<double> mode(const WaveNumbers& k) const;
};

}  // namespace tacit::sph
