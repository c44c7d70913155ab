// Potentials of pairs with an exponential: Morse's and Buckingham's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/md/kernels/exponential.hpp"
#include "tacit/solvers/md/kernels/lennard_jones.hpp"

namespace tacit::md::kernels {

/// What a pair of types loses so that it ends at its cutoff: energy `shift`, and with `slope` the force, too.
struct PairEnd {
  double shift = 0.0;
  double slope = 0.0;  ///< u'(rc)
};

/// u(r) = D [e^2 - 2 e] - shift - slope (r - rc),   e = exp(-alpha (r - r0))
/// @see Morse (1929), Phys. Rev. 34, 57, eq. (4)
struct Morse {
  static constexpr std::size_t fields = 7;  // cutoff^2, D, alpha, r0, shift, slope, rc
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair) noexcept {
    const P r = sqrt(r2);
    const P e = exponential(max(min(of_pair[2] * (of_pair[3] - r), P(200.0)), P(-200.0)));
    const P force = P(2.0) * of_pair[1] * of_pair[2] * e * (e - P(1.0)) + of_pair[5];
    return {force / r, of_pair[1] * e * (e - P(2.0)) - of_pair[4] - of_pair[5] * (r - of_pair[6])};
  }
};

/// u(r) = A exp(-r / rho) - C / r^6 - shift - slope (r - rc)
/// @see Buckingham (1938), Proc. R. Soc. A 168, 264
struct Buckingham {
  static constexpr std::size_t fields = 7;  // cutoff^2, A, 1 / rho, C, shift, slope, rc
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair) noexcept {
    const P r = sqrt(r2);
    const P inverse2 = P(1.0) / r2;
    const P repulsion = of_pair[1] * exponential(max(P(0.0) - of_pair[2] * r, P(-200.0)));
    const P attraction = of_pair[3] * inverse2 * inverse2 * inverse2;
    return {(repulsion * of_pair[2] + of_pair[5]) / r - P(6.0) * attraction * inverse2,
            repulsion - attraction - of_pair[4] - of_pair[5] * (r - of_pair[6])};
  }
};

}  // namespace tacit::md::kernels
