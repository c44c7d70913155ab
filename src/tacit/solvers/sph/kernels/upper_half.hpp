// Doubles of which the upper half says all: what neighbours look at, so that it travels between ranks in four bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace tacit::sph::kernels {

// Always inlined: files that are compiled once per instruction set use them too, and none may leave a copy behind.

/// The nearest double whose lower 32 bits are zero: 20 bits of the fraction, and every exponent, so that it works in
/// any units. Ties go away from zero; what is not finite stays so.
///
///     |rounded - x| <= 2^-21 |x|
[[gnu::always_inline]] inline double rounded_to_upper_half(double x) noexcept {
  constexpr std::uint64_t half_a_step = std::uint64_t{1} << 31U;
  constexpr std::uint64_t upper = ~std::uint64_t{0} << 32U;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) + half_a_step) & upper);
}

/// The same towards zero: for lengths that may not exceed a limit.
[[gnu::always_inline]] inline double cut_to_upper_half(double x) noexcept {
  constexpr std::uint64_t upper = ~std::uint64_t{0} << 32U;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & upper);
}

/// The bits of a number that was rounded so, and the number of such bits.
[[gnu::always_inline]] inline std::uint32_t upper_half(double x) noexcept {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32U);
}
[[gnu::always_inline]] inline double from_upper_half(std::uint32_t bits) noexcept {
  return std::bit_cast<double>(std::uint64_t{bits} << 32U);
}

}  // namespace tacit::sph::kernels
