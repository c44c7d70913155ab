// The loops over folded sites; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/kernels/dirac.hpp"

#include <utility>

#include "tacit/base/pack.hpp"
#include "tacit/solvers/qcd/kernels/half_spinor.hpp"

namespace tacit::qcd::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using namespace packs;

using Isa = base::isa::TACIT_ISA;
template <class T>
using Wide = base::Pack<T, Isa>;

constexpr std::uint32_t crossing = 0x80000000U;  // Neighbour::crossing
constexpr std::uint32_t ghost = 0x40000000U;     // Neighbour::ghost

/// Lanes that differ by `stride` in their number are exchanged.
template <int stride, class P, std::size_t... lane>
[[gnu::always_inline]] inline P exchanged(const P& a, std::index_sequence<lane...>) {
  const auto lanes = a.value().data;
  return P(typename P::Register(__builtin_shufflevector(lanes, lanes, (static_cast<int>(lane) ^ stride)...)));
}

template <int stride, class P>
[[gnu::always_inline]] inline void exchange_lanes(HalfSpinor<P>& half) {
  constexpr auto lanes = std::make_index_sequence<P::width>{};
  for (auto& spin : half.s) {
    for (Number<P>& number : spin) {
      number = {exchanged<stride>(number.re, lanes), exchanged<stride>(number.im, lanes)};
    }
  }
}

template <class P>
[[gnu::always_inline]] inline void exchange_lanes(HalfSpinor<P>& half, std::uint32_t stride) {
  if constexpr (P::width > 1) {
    if (stride == 1) return exchange_lanes<1>(half);
  }
  if constexpr (P::width > 2) {
    if (stride == 2) return exchange_lanes<2>(half);
  }
  if constexpr (P::width > 4) {
    if (stride == 4) return exchange_lanes<4>(half);
  }
  if constexpr (P::width > 8) {
    if (stride == 8) return exchange_lanes<8>(half);
  }
}

template <class P>
[[gnu::always_inline]] inline HalfSpinor<P> load_half(const typename P::value_type* from) {
  HalfSpinor<P> half;
  for (std::size_t i = 0; i < 6; ++i) half.s[i / 3][i % 3] = load<P>(from + 2 * i * P::width);
  return half;
}

/// The lanes of `other` where the bit `stride` of their number is set, or is not; else those of `own`.
template <int stride, bool where_set, class P, std::size_t... lane>
[[gnu::always_inline]] inline P blended(const P& own, const P& other, std::index_sequence<lane...>) {
  const auto a = own.value().data;
  const auto b = other.value().data;
  constexpr int width = static_cast<int>(P::width);
  return P(typename P::Register(__builtin_shufflevector(
      a, b, (static_cast<int>(lane) + (((static_cast<int>(lane) & stride) != 0) == where_set ? width : 0))...)));
}

template <int stride, bool where_set, class P>
[[gnu::always_inline]] inline void blend(HalfSpinor<P>& half, const HalfSpinor<P>& other) {
  constexpr auto lanes = std::make_index_sequence<P::width>{};
  for (std::size_t i = 0; i < 6; ++i) {
    Number<P>& own = half.s[i / 3][i % 3];
    const Number<P>& theirs = other.s[i / 3][i % 3];
    own = {blended<stride, where_set>(own.re, theirs.re, lanes), blended<stride, where_set>(own.im, theirs.im, lanes)};
  }
}

/// Takes from other ranks the lanes at the high end, or at the low one; all, where the axis is not folded.
template <bool is_high, class P>
[[gnu::always_inline]] inline void take_ghost(HalfSpinor<P>& half, const typename P::value_type* from,
                                              std::uint32_t stride) {
  const HalfSpinor<P> other = load_half<P>(from);
  if (stride == 0) {
    half = other;
    return;
  }
  if constexpr (P::width > 1) {
    if (stride == 1) return blend<1, is_high>(half, other);
  }
  if constexpr (P::width > 2) {
    if (stride == 2) return blend<2, is_high>(half, other);
  }
  if constexpr (P::width > 4) {
    if (stride == 4) return blend<4, is_high>(half, other);
  }
  if constexpr (P::width > 8) {
    if (stride == 8) return blend<8, is_high>(half, other);
  }
}

/// Whether sites have neighbours on other ranks.
enum class At : std::uint8_t { interior, rim };

/// The two terms of an axis. The link backward lies at the neighbour, in its lanes: they are exchanged afterwards, and
/// half spinors that come from other ranks have been multiplied by it there.
template <int mu, bool is_conjugate, At at, class T, class P>
[[gnu::always_inline]] inline void add_axis(const Hopping<T>& by, std::size_t site, Spinor<P>& sum) {
  constexpr int forward_sign = is_conjugate ? 1 : -1;
  constexpr std::size_t spinor = spinor_numbers * P::width;
  constexpr std::size_t link = link_numbers * P::width;
  constexpr std::size_t ghost_numbers = half_spinor_numbers * P::width;
  constexpr std::uint32_t flags = at == At::rim ? crossing | ghost : crossing;
  const std::uint32_t* const next = by.neighbours + 8 * site + 2 * mu;
  const std::size_t forward = next[0] & ~flags;
  auto half = projected<mu, forward_sign, P>(by.in + (forward - by.first_in) * spinor);
  if ((next[0] & crossing) != 0) exchange_lanes(half, by.strides[mu]);
  if constexpr (at == At::rim) {
    if ((next[0] & ghost) != 0) {
      take_ghost<true>(half, by.ghosts + by.ghost_places[8 * site + 2 * mu] * ghost_numbers, by.strides[mu]);
    }
  }
  add<mu, forward_sign>(transported<false>(by.links + (4 * site + mu) * link, half), sum);
  const std::size_t backward = next[1] & ~flags;
  half = transported<true>(by.links + (4 * backward + mu) * link,
                           projected<mu, -forward_sign, P>(by.in + (backward - by.first_in) * spinor));
  if ((next[1] & crossing) != 0) exchange_lanes(half, by.strides[mu]);
  if constexpr (at == At::rim) {
    if ((next[1] & ghost) != 0) {
      take_ghost<false>(half, by.ghosts + by.ghost_places[8 * site + 2 * mu + 1] * ghost_numbers, by.strides[mu]);
    }
  }
  add<mu, -forward_sign>(half, sum);
}

template <class T, class P>
[[gnu::always_inline]] inline void finish(const Hopping<T>& by, std::size_t site, const Spinor<P>& sum) {
  constexpr std::size_t width = P::width;
  const std::size_t place = (site - by.first_out) * spinor_numbers * width;
  const P weight(by.hopping);
  Number<P> value[12];
  for (std::size_t i = 0; i < 12; ++i) value[i] = {weight * sum.s[i / 3][i % 3].re, weight * sum.s[i / 3][i % 3].im};
  if (by.term == LocalTerm::mass) {
    const P mass(by.mass);
    for (std::size_t i = 0; i < 12; ++i) {
      const Number<P> local = load<P>(by.local + place + 2 * width * i);
      value[i] = {mass * local.re + value[i].re, mass * local.im + value[i].im};
    }
  } else if (by.term != LocalTerm::none) {
    Number<P> in[12];
    Number<P> out[12];
    const bool is_after = by.term == LocalTerm::after;
    for (std::size_t i = 0; i < 12; ++i) in[i] = is_after ? value[i] : load<P>(by.local + place + 2 * width * i);
    apply_clover<P>(by.clover + site * clover_numbers * width, in, out);
    for (std::size_t i = 0; i < 12; ++i) value[i] = is_after ? out[i] : plus<0>(out[i], value[i]);
  }
  for (std::size_t i = 0; i < 12; ++i) store(value[i], by.out + place + 2 * width * i);
}

template <class T, bool is_conjugate, At at>
void hop_sites(const Hopping<T>& by, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  for (std::size_t site = first; site < last; ++site) {
    Spinor<P> sum;
    for (auto& spin : sum.s) {
      for (Number<P>& number : spin) number = {P(0), P(0)};
    }
    add_axis<0, is_conjugate, at>(by, site, sum);
    add_axis<1, is_conjugate, at>(by, site, sum);
    add_axis<2, is_conjugate, at>(by, site, sum);
    add_axis<3, is_conjugate, at>(by, site, sum);
    finish(by, site, sum);
  }
}

template <class T>
void hop(const Hopping<T>& by, Conjugate conjugate, std::size_t first, std::size_t last) {
  const bool is_conjugate = conjugate == Conjugate::yes;
  if (by.ghosts != nullptr) {
    return is_conjugate ? hop_sites<T, true, At::rim>(by, first, last) : hop_sites<T, false, At::rim>(by, first, last);
  }
  return is_conjugate ? hop_sites<T, true, At::interior>(by, first, last)
                      : hop_sites<T, false, At::interior>(by, first, last);
}

template <int mu, bool is_high, bool is_conjugate, class T>
void pack_sites(const Hopping<T>& by, const FaceSites& face, T* to) {
  using P = Wide<T>;
  // At a low end the site is the neighbour forward, at a high end the one backward.
  constexpr int sign = is_conjugate != is_high ? 1 : -1;
  alignas(64) T numbers[half_spinor_numbers * P::width];
  const std::uint32_t stride = by.strides[mu];
  for (std::size_t k = 0; k < face.count; ++k) {
    const std::size_t site = face.sites[k];
    auto half = projected<mu, sign, P>(by.in + (site - by.first_in) * spinor_numbers * P::width);
    if constexpr (is_high) half = transported<true>(by.links + (4 * site + mu) * link_numbers * P::width, half);
    for (std::size_t i = 0; i < 6; ++i) store(half.s[i / 3][i % 3], numbers + 2 * i * P::width);
    for (std::size_t i = 0; i < half_spinor_numbers; ++i) {
      for (std::size_t lane = 0; lane < P::width; ++lane) {
        if (stride == 0 || ((lane & stride) != 0) == is_high) *to++ = numbers[i * P::width + lane];
      }
    }
  }
}

template <int mu, class T>
void pack_axis(const Hopping<T>& by, Conjugate conjugate, const FaceSites& face, T* to) {
  const bool is_conjugate = conjugate == Conjugate::yes;
  if (face.is_high) {
    return is_conjugate ? pack_sites<mu, true, true>(by, face, to) : pack_sites<mu, true, false>(by, face, to);
  }
  return is_conjugate ? pack_sites<mu, false, true>(by, face, to) : pack_sites<mu, false, false>(by, face, to);
}

template <class T>
void pack_face(const Hopping<T>& by, Conjugate conjugate, const FaceSites& face, T* to) {
  constexpr void (*of_axis[])(const Hopping<T>&, Conjugate, const FaceSites&, T*){&pack_axis<0, T>, &pack_axis<1, T>,
                                                                                  &pack_axis<2, T>, &pack_axis<3, T>};
  of_axis[face.axis](by, conjugate, face, to);
}

template <class T>
void local(const T* clover, T factor, T* psi, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  for (std::size_t site = first; site < last; ++site) {
    T* const at = psi + site * spinor_numbers * P::width;
    Number<P> in[12];
    Number<P> out[12];
    for (std::size_t i = 0; i < 12; ++i) {
      in[i] = load<P>(at + 2 * i * P::width);
      out[i] = {P(factor) * in[i].re, P(factor) * in[i].im};
    }
    if (clover != nullptr) apply_clover<P>(clover + site * clover_numbers * P::width, in, out);
    for (std::size_t i = 0; i < 12; ++i) store(out[i], at + 2 * i * P::width);
  }
}

/// Numbers of a half block per lane.
constexpr std::size_t half_block = 8 * spinor_numbers;

/// Stores a pack as doubles.
template <class P>
[[gnu::always_inline]] inline void store_sum(const P& sum, double* to) {
  typename P::value_type lanes[P::width];
  sum.store(lanes);
  for (std::size_t lane = 0; lane < P::width; ++lane) to[lane] = static_cast<double>(lanes[lane]);
}

template <class T>
void norm2(const T* x, double* sums, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  for (std::size_t block = first; block < last; ++block) {
    const T* const from = x + block * half_block * P::width;
    P sum(0);
    for (std::size_t i = 0; i < half_block; ++i) {
      const P value = P::load(from + i * P::width);
      sum += value * value;
    }
    store_sum(sum, sums + block * P::width);
  }
}

template <class T>
void dot(const T* x, const T* y, double* real, double* imaginary, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  for (std::size_t block = first; block < last; ++block) {
    const std::size_t place = block * half_block * P::width;
    Number<P> sum{P(0), P(0)};
    for (std::size_t i = 0; i < half_block; i += 2) {
      const std::size_t at = place + i * P::width;
      sum = plus<0>(sum, conjugate_times(load<P>(x + at), load<P>(y + at)));
    }
    store_sum(sum.re, real + block * P::width);
    store_sum(sum.im, imaginary + block * P::width);
  }
}

template <class T>
void axpy(T a_real, T a_imaginary, const T* x, T* y, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  const Number<P> a{P(a_real), P(a_imaginary)};
  for (std::size_t i = first * half_block; i < last * half_block; i += 2) {
    const std::size_t at = i * P::width;
    store(plus<0>(load<P>(y + at), times(a, load<P>(x + at))), y + at);
  }
}

template <class T>
void xpay(const T* x, T a_real, T a_imaginary, T* y, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  const Number<P> a{P(a_real), P(a_imaginary)};
  for (std::size_t i = first * half_block; i < last * half_block; i += 2) {
    const std::size_t at = i * P::width;
    store(plus<0>(load<P>(x + at), times(a, load<P>(y + at))), y + at);
  }
}

template <class T>
void advance(T a, const T* p, const T* w, T* x, T* r, double* sums, std::size_t first, std::size_t last) {
  using P = Wide<T>;
  const P factor(a);
  for (std::size_t block = first; block < last; ++block) {
    P sum(0);
    for (std::size_t i = 0; i < half_block; ++i) {
      const std::size_t at = (block * half_block + i) * P::width;
      (P::load(x + at) + factor * P::load(p + at)).store(x + at);
      const P left = P::load(r + at) - factor * P::load(w + at);
      left.store(r + at);
      sum += left * left;
    }
    store_sum(sum, sums + block * P::width);
  }
}

}  // namespace

template <class T, class>
Loops<T> loops_of() noexcept {
  return {Wide<T>::width, &hop<T>, &pack_face<T>, &local<T>, &norm2<T>, &dot<T>, &axpy<T>, &xpay<T>, &advance<T>};
}
template Loops<double> loops_of<double, Isa>() noexcept;
template Loops<float> loops_of<float, Isa>() noexcept;

}  // namespace tacit::qcd::kernels
