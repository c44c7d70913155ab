// Packs of half spinors, links and clover terms: what the loops over sites and those over blocks are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/base/pack.hpp"
#include "tacit/solvers/qcd/kernels/dirac.hpp"

// Every function has the pack, and with it the instruction set, in its name.
namespace tacit::qcd::kernels::packs {

template <class P>
struct Number {
  P re, im;
};

/// a + i^phase b
template <int phase, class P>
[[gnu::always_inline]] inline Number<P> plus(const Number<P>& a, const Number<P>& b) {
  if constexpr (phase == 0) return {a.re + b.re, a.im + b.im};
  if constexpr (phase == 1) return {a.re - b.im, a.im + b.re};
  if constexpr (phase == 2) return {a.re - b.re, a.im - b.im};
  if constexpr (phase == 3) return {a.re + b.im, a.im - b.re};
}

template <class P>
[[gnu::always_inline]] inline Number<P> load(const typename P::value_type* from) {
  return {P::load(from), P::load(from + P::width)};
}

template <class P>
[[gnu::always_inline]] inline void store(const Number<P>& value, typename P::value_type* to) {
  value.re.store(to);
  value.im.store(to + P::width);
}

/// gamma_mu in the chiral basis: row s = 0, 1 has i^phase[s] in column partner[s]; rows 2 and 3 follow, as it is
/// hermitian. gamma_5 = gamma_t gamma_x gamma_y gamma_z = diag(-1, -1, 1, 1).
struct Gamma {
  int partner[2];
  int phase[2];
};
template <int mu>
consteval Gamma gamma_of() {
  if constexpr (mu == 0) return {{2, 3}, {3, 1}};
  if constexpr (mu == 1) return {{3, 2}, {2, 0}};
  if constexpr (mu == 2) return {{3, 2}, {3, 3}};
  if constexpr (mu == 3) return {{2, 3}, {2, 2}};
}

/// The two upper spins of (1 + sign gamma_mu) psi, which say all of it.
template <class P>
struct HalfSpinor {
  Number<P> s[2][3];
};

template <int mu, int sign, class P>
[[gnu::always_inline]] inline HalfSpinor<P> projected(const typename P::value_type* psi) {
  constexpr Gamma gamma = gamma_of<mu>();
  constexpr int turn = sign > 0 ? 0 : 2;
  constexpr std::size_t spin = 6 * P::width;
  HalfSpinor<P> half;
  for (std::size_t colour = 0; colour < 3; ++colour) {
    const auto* const at = psi + 2 * P::width * colour;
    half.s[0][colour] = plus<(gamma.phase[0] + turn) % 4>(load<P>(at), load<P>(at + gamma.partner[0] * spin));
    half.s[1][colour] = plus<(gamma.phase[1] + turn) % 4>(load<P>(at + spin), load<P>(at + gamma.partner[1] * spin));
  }
  return half;
}

template <class P>
struct Spinor {
  Number<P> s[4][3];
};

/// Adds what a half spinor says of all four: row `partner` of sign gamma_mu is sign i^-phase times the upper one.
template <int mu, int sign, class P>
[[gnu::always_inline]] inline void add(const HalfSpinor<P>& half, Spinor<P>& sum) {
  constexpr Gamma gamma = gamma_of<mu>();
  constexpr int turn = sign > 0 ? 0 : 2;
  for (std::size_t c = 0; c < 3; ++c) {
    sum.s[0][c] = plus<0>(sum.s[0][c], half.s[0][c]);
    sum.s[1][c] = plus<0>(sum.s[1][c], half.s[1][c]);
    auto& low = sum.s[gamma.partner[0]][c];
    low = plus<(4 - gamma.phase[0] + turn) % 4>(low, half.s[0][c]);
    auto& high = sum.s[gamma.partner[1]][c];
    high = plus<(4 - gamma.phase[1] + turn) % 4>(high, half.s[1][c]);
  }
}

template <class P>
[[gnu::always_inline]] inline Number<P> times(const Number<P>& a, const Number<P>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// conj(a) b
template <class P>
[[gnu::always_inline]] inline Number<P> conjugate_times(const Number<P>& a, const Number<P>& b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

/// U h, or U^+ h
template <bool is_backward, class P>
[[gnu::always_inline]] inline HalfSpinor<P> transported(const typename P::value_type* link, const HalfSpinor<P>& half) {
  HalfSpinor<P> result;
  for (std::size_t a = 0; a < 3; ++a) {
    Number<P> row[3];
    for (std::size_t b = 0; b < 3; ++b) row[b] = load<P>(link + 2 * P::width * (is_backward ? 3 * b + a : 3 * a + b));
    for (std::size_t s = 0; s < 2; ++s) {
      const auto term = [&](std::size_t b) __attribute__((always_inline)) {
        if constexpr (is_backward) {
          return conjugate_times(row[b], half.s[s][b]);
        } else {
          return times(row[b], half.s[s][b]);
        }
      };
      result.s[s][a] = plus<0>(plus<0>(term(0), term(1)), term(2));
    }
  }
  return result;
}

/// A times six numbers: the diagonal, then the elements below it row by row.
template <class P>
[[gnu::always_inline]] inline void apply_block(const typename P::value_type* block, const Number<P>* in,
                                               Number<P>* out) {
  for (std::size_t i = 0; i < 6; ++i) {
    const P diagonal = P::load(block + i * P::width);
    out[i] = {diagonal * in[i].re, diagonal * in[i].im};
  }
  const auto* element = block + 6 * P::width;
  for (std::size_t i = 1; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j, element += 2 * P::width) {
      const Number<P> a = load<P>(element);
      out[i] = plus<0>(out[i], times(a, in[j]));
      out[j] = plus<0>(out[j], conjugate_times(a, in[i]));
    }
  }
}

template <class P>
[[gnu::always_inline]] inline void apply_clover(const typename P::value_type* clover, const Number<P>* in,
                                                Number<P>* out) {
  apply_block<P>(clover, in, out);
  apply_block<P>(clover + clover_numbers / 2 * P::width, in + 6, out + 6);
}

}  // namespace tacit::qcd::kernels::packs
