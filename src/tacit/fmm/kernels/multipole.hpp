// A cell as other cells see it: where its bodies are, and their multipoles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/fmm/kernels/multi_index.hpp"

namespace tacit::fmm::kernels {

/// Highest order of expansions.
inline constexpr int highest_order = 5;

/// Coefficients in memory: terms(p), and zeros up to a multiple of four, as loops read four at a time.
[[nodiscard]] constexpr std::size_t padded_terms(int p) noexcept { return (terms(p) + 3) / 4 * 4; }

/// Doubles alone, so that arrays of them can be sent and loaded as such: 480 bytes for p = 5.
///
///     M_n = sum_b m_b (x_b - centre)^n / n!
///
/// of orders up to p. In double precision: with floats the rounding of the higher orders would be the limit of solvers
/// that ask for sums of forces which vanish, and R^(2 p + 1) leaves their range in units as common as cm.
template <int p>
struct alignas(32) Multipole {
  double x = 0.0;  ///< centre of the expansion, usually of mass [length]
  double y = 0.0;
  double z = 0.0;
  double radius = 0.0;             ///< no body is further from the centre [length]
  double M[padded_terms(p)] = {};  ///< M_n in the order of place_of [mass length^|n|]
};

/// Doubles from one to the next.
template <int p>
inline constexpr std::size_t multipole_length = sizeof(Multipole<p>) / sizeof(double);

}  // namespace tacit::fmm::kernels
