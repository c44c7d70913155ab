// Random modes, from counters.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/initial_density/random_density.hpp"

#include <cmath>
#include <numbers>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"

namespace tacit::sph {
namespace {

/// One of a wave and its opposite: the first component that is not 0 is positive.
bool is_leading(const WaveNumbers& k) {
  for (const std::int64_t component : k) {
    if (component != 0) return component > 0;
  }
  return true;
}

std::uint64_t key_of(const WaveNumbers& k) {
  constexpr std::int64_t middle = std::int64_t{1} << 20U;
  std::uint64_t key = 0;
  for (const std::int64_t component : k) {
    TACIT_EXPECT(component > -middle && component < middle);
    key = (key << 21U) + static_cast<std::uint64_t>(component + middle);
  }
  return key;
}

}  // namespace

std::complex<double> random_mode(std::uint64_t seed, const WaveNumbers& k, ModeAmplitudes amplitudes) {
  if (!is_leading(k)) return std::conj(random_mode(seed, {-k[0], -k[1], -k[2]}, amplitudes));
  const std::uint64_t key = key_of(k);
  // The square of a complex Gaussian number is distributed exponentially; 1 - u is in (0, 1].
  const double size =
      amplitudes == ModeAmplitudes::fixed ? 1.0 : std::sqrt(-std::log(1.0 - base::uniform(seed, key, 0)));
  const double phase = 2.0 * std::numbers::pi * base::uniform(seed, key, 1);
  return {size * std::cos(phase), size * std::sin(phase)};
}

std::complex<double> RandomDensity::mode(const WaveNumbers& k) const {
  const auto square = static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
  if (square == 0.0) return {};
  const double wave = 2.0 * std::numbers::pi / box * std::sqrt(square);
  return std::sqrt(spectrum(wave) / (box * box * box)) * random_mode(seed, k, amplitudes);
}

}  // namespace tacit::sph
