// Random numbers of Fourier modes, which depend on neither ranks nor resolution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "tacit/base/random.hpp"

namespace tacit::dns {

/// Waves per box along x, y and z.
using Waves = std::array<std::int64_t, 3>;

/// A number for a mode that its place in memory does not change.
[[nodiscard]] inline std::uint64_t key_of(const Waves& k) noexcept {
  constexpr std::uint64_t bits = 21;  // wave numbers up to a million
  const auto shifted = [](std::int64_t n) { return static_cast<std::uint64_t>(n + (std::int64_t{1} << (bits - 1))); };
  return (shifted(k[0]) << (2 * bits)) | (shifted(k[1]) << bits) | shifted(k[2]);
}

/// Whether k and not -k says what the two modes of a real field are. k = 0 does.
[[nodiscard]] inline bool leads(const Waves& k) noexcept {
  if (k[0] != 0) return k[0] > 0;
  return k[1] != 0 ? k[1] > 0 : k[2] >= 0;
}

/// Real and imaginary part are independent and normal with variance 1; of -k it is the conjugate.
/// @see Box & Muller (1958), Ann. Math. Stat. 29, 610
[[nodiscard]] inline std::complex<double> normal(const Waves& k, std::uint64_t seed, std::uint64_t draw) noexcept {
  const std::uint64_t key = key_of(leads(k) ? k : Waves{-k[0], -k[1], -k[2]});
  const double radius = std::sqrt(-2.0 * std::log1p(-base::uniform(seed, key, 2 * draw)));
  const auto number = std::polar(radius, 2.0 * std::numbers::pi * base::uniform(seed, key, 2 * draw + 1));
  return leads(k) ? number : std::conj(number);
}

}  // namespace tacit::dns
