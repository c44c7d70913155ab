// What multipoles add to a local expansion, as formulas over packs of any width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "tacit/fmm/kernels/derivatives.hpp"

namespace tacit::fmm::kernels {

namespace detail {

template <std::size_t n, class P, std::size_t... m>
[[gnu::always_inline]] inline void add_term(const P* M, const P* d, P* L,
                                            std::index_sequence<m...> /*terms*/) noexcept {
  P sum = L[n];
  ((sum = fma(M[m], d[place_of_sum<n, m>], sum)), ...);
  L[n] = sum;
}

template <int p, class P, std::size_t... n>
[[gnu::always_inline]] inline void add_terms(const P* M, const P* d, P* L,
                                             std::index_sequence<n...> /*terms*/) noexcept {
  (add_term<n>(M, d, L, std::make_index_sequence<terms(p - order_at<n>)>()), ...);
}

template <class P, std::size_t... n>
[[gnu::always_inline]] inline void flip_odd(P* M, std::index_sequence<n...> /*terms*/) noexcept {
  ((M[n] = order_at<n> % 2 == 0 ? M[n] : -M[n]), ...);
}

}  // namespace detail

/// L_n += sum_(|m| <= p - |n|) M_m D_(n + m), for all |n| <= p.
///
/// @param M, d, L  shape (terms(p)); d up to order p
template <int p, class P>
[[gnu::always_inline]] inline void contract(const P* M, const P* d, P* L) noexcept {
  detail::add_terms<p>(M, d, L, std::make_index_sequence<terms(p)>());
}

/// M_m -> (-1)^|m| M_m: a source's multipoles as they enter where derivatives are taken at the sink.
template <int p, class P>
[[gnu::always_inline]] inline void flip_odd_orders(P* M) noexcept {
  detail::flip_odd(M, std::make_index_sequence<terms(p)>());
}

}  // namespace tacit::fmm::kernels
