// Fourier modes as numbers: how they lie in memory, their factors by axis, and their random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/fft/pass.hpp"

namespace tacit::dns {

using Complex = std::complex<double>;

// std::complex is two numbers side by side; the standard says so.
[[nodiscard]] inline double* numbers(Complex* at) noexcept { return reinterpret_cast<double*>(at); }
[[nodiscard]] inline const double* numbers(const Complex* at) noexcept { return reinterpret_cast<const double*>(at); }
[[nodiscard]] inline std::span<double> numbers(std::span<Complex> field) noexcept {
  return {numbers(field.data()), 2 * field.size()};
}
[[nodiscard]] inline std::span<const double> numbers(std::span<const Complex> field) noexcept {
  return {numbers(field.data()), 2 * field.size()};
}

/// Waves per box along x, y and z.
using Waves = std::array<std::int64_t, 3>;
/// A wave vector [1/length].
using WaveVector = std::array<double, 3>;
/// k . k
[[nodiscard]] inline double square(const WaveVector& k) noexcept { return k[0] * k[0] + k[1] * k[1] + k[2] * k[2]; }

/// Calls visit(x, y, z, place) with the indices of each mode of a rank and its place in memory, in this order.
template <class Visit>
void for_each_mode(const fft::Pencils& pencils, const Visit& visit) {
  std::size_t place = 0;
  for (std::size_t x = pencils.kx().begin; x < pencils.kx().end; ++x) {
    for (std::size_t z = 0; z < pencils.modes().count(2); ++z) {
      for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; ++y) visit(x, y, z, place++);
    }
  }
}

/// The wave numbers of indices, in waves per box, and whether this mode is kept.
[[nodiscard]] inline Waves waves_of(const fft::Modes& modes, std::size_t x, std::size_t y, std::size_t z) noexcept {
  return {modes.wave_number(0, x), modes.wave_number(1, y), modes.wave_number(2, z)};
}
[[nodiscard]] inline bool holds(const fft::Modes& modes, std::size_t x, std::size_t y, std::size_t z) noexcept {
  return modes.holds(modes.wave_number(0, x), modes.wave_number(1, y), modes.wave_number(2, z));
}

/// Numbers by axis and index of the wave number.
using ByAxis = std::array<std::vector<double>, 3>;
/// The decay of modes by viscosity or diffusivity in a step and in half of it, divided into one factor per axis.
struct DecayFactors {
  ByAxis whole;  ///< exp(-nu k^2 dt)
  ByAxis half;
  void set(double diffusivity, const ByAxis& k, double dt) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      whole[axis].resize(k[axis].size());
      half[axis].resize(k[axis].size());
      for (std::size_t i = 0; i < k[axis].size(); ++i) {
        const double exponent = -diffusivity * k[axis][i] * k[axis][i] * dt;
        whole[axis][i] = std::exp(exponent);
        half[axis][i] = std::exp(0.5 * exponent);
      }
    }
  }
};
/// exp(i k . x) of each mode, divided into one factor per axis.
using PhaseFactors = std::array<std::vector<Complex>, 3>;

/// The product of the factors along x and y, by column of a block.
[[nodiscard]] inline std::array<Complex, fft::lanes> column_factors(const PhaseFactors& factors,
                                                                    const fft::ColumnBlock& block) noexcept {
  std::array<Complex, fft::lanes> column{};
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    column[lane] = factors[0][block.kx] * factors[1][block.ky + lane];
  }
  return column;
}

/// A number for a mode that its place in memory does not change.
[[nodiscard]] inline std::uint64_t key_of(const Waves& k) noexcept {
  constexpr std::uint64_t bits = 21;  // wave numbers up to a million
  const auto shifted = [](std::int64_t n) { return static_cast<std::uint64_t>(n + (std::int64_t{1} << (bits - 1))); };
  return (shifted(k[0]) << (2 * bits)) | (shifted(k[1]) << bits) | shifted(k[2]);
}

/// Whether k, and not -k, is the stored mode of a conjugate pair of a real field. k = 0 is.
[[nodiscard]] inline bool leads(const Waves& k) noexcept {
  if (k[0] != 0) return k[0] > 0;
  return k[1] != 0 ? k[1] > 0 : k[2] >= 0;
}

/// Real and imaginary part are independent and normal with variance 1; of -k it is the conjugate. It depends on neither
/// ranks nor resolution.
/// @see Box & Muller (1958), Ann. Math. Stat. 29, 610
[[nodiscard]] inline Complex normal(const Waves& k, std::uint64_t seed, std::uint64_t draw) noexcept {
  const std::uint64_t key = key_of(leads(k) ? k : Waves{-k[0], -k[1], -k[2]});
  const double radius = std::sqrt(-2.0 * std::log1p(-base::uniform(seed, key, 2 * draw)));
  const auto number = std::polar(radius, 2.0 * std::numbers::pi * base::uniform(seed, key, 2 * draw + 1));
  return leads(k) ? number : std::conj(number);
}

}  // namespace tacit::dns
