// Potentials of charges in pairs: Coulomb's, damped and shifted, and that of Ziegler, Biersack and Littmark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/md/kernels/exponential.hpp"
#include "tacit/solvers/md/kernels/lennard_jones.hpp"

namespace tacit::md::kernels {

/// (1 + 2 x) exp(x^2) erfc(x) for x >= 0, to 1e-13: Chebyshev's series in (x - 3.75) / (x + 3.75), whose coefficients
/// were computed with 40 digits.
/// @see Shepherd & Laframboise (1981), Math. Comp. 36, 249
template <class P>
[[gnu::always_inline]] inline P scaled_erfc(const P& x) noexcept {
  constexpr double terms[] = {
      1.1775789345674017541,       -0.0045900545806464773309, -0.084249133366517915584,   0.059209939998191890498,
      -0.026658668435305752277,    0.0090749976707052650939,  -0.0024131635404176081909,  0.00049077583652580863229,
      -0.000069169733025012063671, 4.1390279860730101675e-6,  7.7403830661984906686e-7,   -2.1886401049234395661e-7,
      1.0764999465670910377e-8,    4.5219598112182868979e-9,  -7.7544002088313511065e-10, -6.3180883408866844944e-11,
      2.8687950109306698981e-11,   1.945586854577734723e-13,  -9.6546967484334389059e-13, 3.2525481481487398415e-14};
  const P y = (x - P(3.75)) / (x + P(3.75));
  const P twice = y + y;
  P last(0.0);
  P before(0.0);
  for (int k = 19; k > 0; --k) {
    const P next = twice * last - before + P(terms[k]);
    before = last;
    last = next;
  }
  return y * last - before + P(terms[0]);
}

/// u(r) = q_i q_j [erfc(alpha r) / r - e - f r]
///
/// with e and f so that u and u' end at 0.
/// @see Fennell & Gezelter (2006), J. Chem. Phys. 124, 234104, eq. (19)
struct DampedCoulomb {
  static constexpr std::size_t fields = 5;  // cutoff^2, q_i q_j, alpha, f, e
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair) noexcept {
    constexpr double two_over_root_pi = 1.1283791670955125739;
    const P r = sqrt(r2);
    const P inverse = P(1.0) / r;
    const P x = of_pair[2] * r;
    const P gauss = exponential(max(P(0.0) - x * x, P(-200.0)));
    const P screened = gauss * scaled_erfc(x) / (P(1.0) + x + x) * inverse;
    const P force = (screened + P(two_over_root_pi) * of_pair[2] * gauss) * inverse + of_pair[3];
    return {of_pair[1] * force * inverse, of_pair[1] * (screened - of_pair[4] - of_pair[3] * r)};
  }
};

/// phi(x) of Ziegler, Biersack and Littmark: amplitudes and rates.
struct Screening {
  double amplitude[4];
  double rate[4];
};
/// With the digits of LAMMPS' `zbl`.
inline constexpr Screening universal_screening{{0.18175, 0.50986, 0.28022, 0.02817},
                                               {3.19980, 0.94229, 0.40290, 0.20162}};

/// u(r) = z phi(r / a) / r + C + A t^3 / 3 + B t^4 / 4,   t = max(r - r1, 0)
///
/// with A, B and C so that u, u' and u'' end at 0.
/// @see Ziegler, Biersack & Littmark (1985), The Stopping and Range of Ions in Matter, vol. 1
struct UniversalRepulsion {
  static constexpr std::size_t fields = 7;  // cutoff^2, z, 1 / a, r1, A, B, C
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair) noexcept {
    const P r = sqrt(r2);
    const P inverse = P(1.0) / r;
    const P x = r * of_pair[2];
    P phi(0.0);
    P slope(0.0);  // minus that of phi, by x
    for (int k = 0; k < 4; ++k) {
      const P rate(universal_screening.rate[k]);
      const P term = P(universal_screening.amplitude[k]) * exponential(max(P(0.0) - rate * x, P(-200.0)));
      phi = phi + term;
      slope = slope + rate * term;
    }
    const P t = max(r - of_pair[3], P(0.0));
    const P t2 = t * t;
    const P u = of_pair[1] * inverse * phi;
    const P force = (u + of_pair[1] * of_pair[2] * slope) * inverse - t2 * (of_pair[4] + of_pair[5] * t);
    return {force * inverse, u + of_pair[6] + t2 * t * (P(1.0 / 3.0) * of_pair[4] + P(0.25) * of_pair[5] * t)};
  }
};

}  // namespace tacit::md::kernels
