// The Lennard-Jones potential of a pair, over packs of pairs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/base/pack_scalar.hpp"

namespace tacit::md::kernels {

/// What a potential of pairs says of a pair at the distance r.
template <class P>
struct PairTerms {
  P force_over_r;  ///< -u'(r) / r
  P energy;        ///< u(r)
};

/// A potential of pairs: formulas over packs, with the numbers of a pair of types as a table of `fields` of them, the
/// first of which is the square of its cutoff. Beyond that nothing is taken of what `terms` says.
///
///     struct Gaussian {
///       static constexpr std::size_t fields = 2;  // cutoff^2, height
///       template <class P>
///       [[gnu::always_inline]] static PairTerms<P> terms(const P& r2, const P* of_pair) { ... }
///     };
template <class Potential, class P>
concept PairPotential = requires(const P& r2, const P* of_pair) {
  { Potential::fields } -> std::convertible_to<std::size_t>;
  { Potential::template terms<P>(r2, of_pair) } -> std::same_as<PairTerms<P>>;
};

/// One that also looks into memory: `intervals` of the work, as TabulatedPair.
template <class Potential, class P>
concept TablePotential = requires(const P& r2, const P* of_pair, const double* intervals) {
  { Potential::fields } -> std::convertible_to<std::size_t>;
  { Potential::template terms<P>(r2, of_pair, intervals) } -> std::same_as<PairTerms<P>>;
};

/// How the potential ends at its cutoff.
enum class Truncation : std::uint8_t {
  cut,           ///< u jumps to 0
  shifted,       ///< u(r) - u(rc): the same forces
  force_shifted  ///< u(r) - u(rc) - (r - rc) u'(rc): forces end at 0, too
};

/// Numbers of a pair of types, as `LennardJones` wants them.
struct LennardJonesPair {
  double cutoff2 = 0.0;
  double c12 = 0.0;    ///< 4 epsilon sigma^12
  double c6 = 0.0;     ///< 4 epsilon sigma^6
  double shift = 0.0;  ///< what is subtracted from u, but for `slope`
  double slope = 0.0;  ///< u'(rc), subtracted from u'; 0 but for force_shifted
  double cutoff = 0.0;
};

/// u(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] - shift - slope (r - rc)
struct LennardJones {
  static constexpr std::size_t fields = 6;
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair) noexcept {
    const P inverse2 = P(1.0) / r2;
    const P inverse6 = inverse2 * inverse2 * inverse2;
    const P twelve = of_pair[1] * inverse6;
    return {(P(12.0) * twelve - P(6.0) * of_pair[2]) * inverse6 * inverse2,
            (twelve - of_pair[2]) * inverse6 - of_pair[3]};
  }
};

struct ForceShiftedLennardJones {
  static constexpr std::size_t fields = 6;
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair) noexcept {
    const PairTerms<P> plain = LennardJones::terms(r2, of_pair);
    const P r = sqrt(r2);
    return {plain.force_over_r + of_pair[4] / r, plain.energy - of_pair[4] * (r - of_pair[5])};
  }
};

}  // namespace tacit::md::kernels
