// When two cells are far enough from each other for their multipoles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "tacit/fmm/operators.hpp"

namespace tacit::fmm {

/// P_n for n = 0..p: norms of the multipoles of each order.
template <int p>
using Powers = std::array<double, static_cast<std::size_t>(p) + 1>;

/// The powers of multipoles:
///
///     P_n^2 = n! sum_(|m| = n) m! M_m^2
///
/// the norm of the tensor sum_b m_b (r_b x ... x r_b) of order n: m |r|^n for one body, and so never more than
/// M rho^n for all. P_0 is the mass. [mass length^n]
///
/// @see Dehnen (2014), Comput. Astrophys. Cosmol. 1, 1, for the use of such norms; Schaller et al. (2024), MNRAS 530,
///      2378, for this one, with other factors in M_m
template <int p>
[[nodiscard]] Powers<p> powers_of(ConstTerms<p> M) noexcept;

/// The geometric criterion: whether a pair of cells looks small.
///
///     rho_A + rho_B + reach < theta |R|
///
/// @param R2     |R|^2 [length^2]
/// @param reach  of the softening: Softening::reach() [length]
/// @param theta  opening angle, < 1
[[nodiscard]] bool is_small(double rho_A, double rho_B, double reach, double R2, double theta) noexcept;

/// What the acceleration that B gives to bodies of A may err by, after m2l of order p.
///
///     E = 8 max(rho_A, rho_B) / (rho_A + rho_B) 1 / |R|^(p + 2) sum_n binom(p, n) P_(B,n) rho_A^(p - n)
///
/// With rho_A = 0 this is the error of m2p for a point. G = 1. [mass / length^2]
///
/// @pre |R| > 0
/// @see Dehnen (2014); Schaller et al. (2024)
template <int p>
[[nodiscard]] double acceleration_error(const Powers<p>& P_B, double rho_B, double rho_A, double R2) noexcept;

/// The adaptive criterion for A as the sink: whether the error is below a part of the smallest acceleration in A.
///
///     E < tolerance a_A   and   rho_A + rho_B + reach < |R|
///
/// @param a_A  smallest norm of an acceleration in A, as of the step before, with G = 1 [mass / length^2]; before there
///             is any, take is_small
template <int p>
[[nodiscard]] bool is_accurate(const Powers<p>& P_B, double rho_B, double rho_A, double reach, double R2,
                               double tolerance, double a_A) noexcept;

}  // namespace tacit::fmm
