// The operators of the fast multipole method on single expansions, with G = 1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "tacit/base/error.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/fmm/kernels/multipole.hpp"

namespace tacit::fmm {

using kernels::highest_order;
using kernels::Multipole;
using kernels::terms;

/// Coefficients of an expansion of order p, in the order of kernels::place_of: 1, x y z, xx xy xz yy yz zz, ...
template <int p>
using Terms = std::span<double, terms(p)>;
template <int p>
using ConstTerms = std::span<const double, terms(p)>;

template <int p>
[[nodiscard]] Terms<p> terms_of(Multipole<p>& of) noexcept {
  return Terms<p>(of.M, terms(p));
}
template <int p>
[[nodiscard]] ConstTerms<p> terms_of(const Multipole<p>& of) noexcept {
  return ConstTerms<p>(of.M, terms(p));
}
template <int p>
[[nodiscard]] base::Vec3 centre_of(const Multipole<p>& of) noexcept {
  return {of.x, of.y, of.z};
}

/// N bodies, each span of shape (N).
struct Bodies {
  std::span<const double> x, y, z;  ///< [length]
  std::span<const double> m;        ///< [mass]
  [[nodiscard]] std::size_t size() const noexcept { return m.size(); }
  [[nodiscard]] base::Vec3 at(std::size_t i) const noexcept { return {x[i], y[i], z[i]}; }
};

/// Gravity at a point, with G = 1.
struct Field {
  double potential = 0.0;   ///< [mass / length], < 0
  base::Vec3 acceleration;  ///< [mass / length^2]
};

// Where a formula follows here, n and m are multi-indices, and derivatives are those of the attraction
//
//     psi(x) = sum_b m_b f(x - x_b) = -potential,   D_n(R) = d^n f at R,   f(R) = 1 / sqrt(|R|^2 + epsilon^2)
//
// f is Newtonian with epsilon = 0, and Plummer's softening else. So is that of WendlandC2 from its H on: with
// epsilon = 0 the operators hold for it if no body of the source comes nearer than H to one of the sink. Errors are
// relative to what a source of mass M at the distance of the centres does; rho_A and rho_B are the largest distances of
// bodies of the sink and of the source from the centres. See Dehnen (2014), Comput. Astrophys. Cosmol. 1, 1, and
// Schaller et al. (2024), MNRAS 530, 2378, on gravity.

/// The operators of order p.
///
///     using Order4 = Operators<4>;
///     Order4::m2l(terms_of(source), centre_of(sink) - centre_of(source), 0.0, L);
///
/// All add to what they write.
template <int p>
struct Operators {
  /// P2M: multipoles of bodies about a centre.
  ///
  ///     M_n += sum_b m_b (x_b - centre)^n / n!
  static void p2m(const Bodies& bodies, const base::Vec3& centre, Terms<p> M) noexcept;

  /// M2M: multipoles about another centre; exact.
  ///
  ///     M'_n += sum_(k <= n) M_k shift^(n - k) / (n - k)!
  ///
  /// @param shift  centre of `from` less that of `to` [length]
  static void m2m(ConstTerms<p> from, const base::Vec3& shift, Terms<p> to) noexcept;

  /// M2L: what multipoles do to bodies around another centre.
  ///
  ///     L_n += sum_(|m| <= p - |n|) (-1)^|m| M_m D_(n + m)(R)
  ///
  /// @param R           centre of L less that of M [length], |R| > rho_A + rho_B
  /// @param softening2  epsilon^2 [length^2]
  /// Error: ((rho_A + rho_B) / |R|)^(p + 1) in the potential, and an order less in the acceleration.
  static void m2l(ConstTerms<p> M, const base::Vec3& R, double softening2, Terms<p> L) noexcept;

  /// M2L both ways; both share the derivatives. The forces on bodies of one side and of the other, after l2p, add up to
  /// zero but for rounding: what is cut off is the same, |n| + |m| > p.
  ///
  /// @param R  centre of A less that of B [length]
  static void m2l_mutual(ConstTerms<p> M_A, ConstTerms<p> M_B, const base::Vec3& R, double softening2, Terms<p> L_A,
                         Terms<p> L_B) noexcept;

  /// L2L: a local expansion about another centre; exact.
  ///
  ///     L'_n += sum_(|m| <= p - |n|) L_(n + m) shift^m / m!
  ///
  /// @param shift  centre of `to` less that of `from` [length]
  static void l2l(ConstTerms<p> from, const base::Vec3& shift, Terms<p> to) noexcept;

  /// L2P: the field of a local expansion at r from its centre.
  ///
  ///     psi = sum_n L_n r^n / n!,   a = grad psi
  [[nodiscard]] static Field l2p(ConstTerms<p> L, const base::Vec3& r) noexcept;

  /// M2P: what multipoles do to a point.
  ///
  ///     psi = sum_m (-1)^|m| M_m D_m(R),   a = grad psi
  ///
  /// @param R  the point less the centre of M [length], |R| > rho_B
  /// Error: (rho_B / |R|)^(p + 1) in both: derivatives are taken up to order p + 1.
  [[nodiscard]] static Field m2p(ConstTerms<p> M, const base::Vec3& R, double softening2) noexcept;

  /// Multipoles of bodies about their centre of mass, with the radius around it that holds them. Without mass, the
  /// centre is the mean of the positions.
  ///
  /// @pre there are bodies
  [[nodiscard]] static Multipole<p> multipole_of(const Bodies& bodies) noexcept;

  /// Multipoles of several cells together, about their common centre of mass. The radius holds the spheres of all.
  ///
  /// @pre there are some
  [[nodiscard]] static Multipole<p> multipole_of(std::span<const Multipole<p>> parts) noexcept;
};

/// Calls function(std::integral_constant<int, p>()) for an order that is known at run time.
///
/// @throws base::Error  if it is not 0 to highest_order
template <class Function>
decltype(auto) with_order(int p, const Function& function) {
  switch (p) {
    case 0:
      return function(std::integral_constant<int, 0>());
    case 1:
      return function(std::integral_constant<int, 1>());
    case 2:
      return function(std::integral_constant<int, 2>());
    case 3:
      return function(std::integral_constant<int, 3>());
    case 4:
      return function(std::integral_constant<int, 4>());
    case 5:
      return function(std::integral_constant<int, 5>());
    default:
      throw base::Error("expansions have an order of 0 to 5, not " + std::to_string(p));
  }
}

}  // namespace tacit::fmm
