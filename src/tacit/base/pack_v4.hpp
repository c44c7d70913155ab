// Packs of x86-64-v4 (AVX-512 F, BW, DQ, VL): lists of indices, records of four floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "tacit/base/pack_v2.hpp"

namespace tacit::base {

template <>
struct XsimdArchitecture<isa::v4> : XsimdOperations {
  using type = xsimd::avx512bw;
  // Version 8.1 multiplies and then adds.
  static xsimd::batch<float, type> fma(const xsimd::batch<float, type>& a, const xsimd::batch<float, type>& b,
                                       const xsimd::batch<float, type>& c) noexcept {
    return _mm512_fmadd_ps(a, b, c);
  }
  static xsimd::batch<double, type> fma(const xsimd::batch<double, type>& a, const xsimd::batch<double, type>& b,
                                        const xsimd::batch<double, type>& c) noexcept {
    return _mm512_fmadd_pd(a, b, c);
  }
  template <class T>
  static std::uint32_t bits(const xsimd::batch_bool<T, type>& mask) noexcept {
    return static_cast<std::uint32_t>(mask.data);
  }
};

namespace detail {

/// Records index[0], index[4], index[8] and index[12], side by side.
[[nodiscard, gnu::always_inline]] inline __m512 four_records(const float* records,
                                                             const std::uint32_t* index) noexcept {
  const __m512 first = _mm512_castps128_ps512(_mm_load_ps(records + 4 * std::size_t{index[0]}));
  const __m512 two = _mm512_insertf32x4(first, _mm_load_ps(records + 4 * std::size_t{index[4]}), 1);
  const __m512 three = _mm512_insertf32x4(two, _mm_load_ps(records + 4 * std::size_t{index[8]}), 2);
  return _mm512_insertf32x4(three, _mm_load_ps(records + 4 * std::size_t{index[12]}), 3);
}

}  // namespace detail

// The compressed register is stored whole: compressing straight into memory takes over a hundred cycles on Zen 4.
[[nodiscard, gnu::always_inline]] inline std::size_t store_indices(std::uint32_t* to, std::uint32_t first,
                                                                   const Mask<float, isa::v4>& mask) noexcept {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i indices = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first)));
  const std::uint32_t set = bits(mask);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(set), indices));
  return static_cast<std::size_t>(__builtin_popcount(set));
}

template <class P>
  requires std::same_as<P, Pack<float, isa::v4>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const float* records, const std::uint32_t* index) noexcept {
  const __m512 r0 = detail::four_records(records, index);
  const __m512 r1 = detail::four_records(records, index + 1);
  const __m512 r2 = detail::four_records(records, index + 2);
  const __m512 r3 = detail::four_records(records, index + 3);
  const __m512d ab01 = _mm512_castps_pd(_mm512_unpacklo_ps(r0, r1));
  const __m512d ab23 = _mm512_castps_pd(_mm512_unpacklo_ps(r2, r3));
  const __m512d cd01 = _mm512_castps_pd(_mm512_unpackhi_ps(r0, r1));
  const __m512d cd23 = _mm512_castps_pd(_mm512_unpackhi_ps(r2, r3));
  using Register = typename P::Register;
  return {P(Register(_mm512_castpd_ps(_mm512_unpacklo_pd(ab01, ab23)))),
          P(Register(_mm512_castpd_ps(_mm512_unpackhi_pd(ab01, ab23)))),
          P(Register(_mm512_castpd_ps(_mm512_unpacklo_pd(cd01, cd23)))),
          P(Register(_mm512_castpd_ps(_mm512_unpackhi_pd(cd01, cd23))))};
}

/// @see sum_of of any pack; the same order
[[nodiscard, gnu::always_inline]] inline double sum_of(const Pack<float, isa::v4>& a) noexcept {
  const __m512 lanes = a.value();
  const __m512d eights =
      _mm512_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(lanes)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(lanes, 1)));
  const __m256d fours = _mm256_add_pd(_mm512_castpd512_pd256(eights), _mm512_extractf64x4_pd(eights, 1));
  const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(fours), _mm256_extractf128_pd(fours, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs)));
}

/// @see largest_of any pack; the same order
[[nodiscard, gnu::always_inline]] inline float largest_of(const Pack<float, isa::v4>& a) noexcept {
  const __m512 lanes = a.value();
  const __m256 eights = _mm256_max_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1));
  return detail::largest_of_four(_mm_max_ps(_mm256_castps256_ps128(eights), _mm256_extractf128_ps(eights, 1)));
}

namespace detail {

/// Four records, each four places on from the one before.
[[gnu::always_inline]] inline void store_four(float* to, __m512d records) noexcept {
  const __m512 floats = _mm512_castpd_ps(records);
  _mm_store_ps(to, _mm512_castps512_ps128(floats));
  _mm_store_ps(to + 16, _mm512_extractf32x4_ps(floats, 1));
  _mm_store_ps(to + 32, _mm512_extractf32x4_ps(floats, 2));
  _mm_store_ps(to + 48, _mm512_extractf32x4_ps(floats, 3));
}

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::v4> narrow(const Pack<double, isa::v4>& low,
                                                                     const Pack<double, isa::v4>& high) noexcept {
  const __m512 both = _mm512_castps256_ps512(_mm512_cvtpd_ps(low.value()));
  using Register = Pack<float, isa::v4>::Register;
  return Pack<float, isa::v4>(Register(_mm512_insertf32x8(both, _mm512_cvtpd_ps(high.value()), 1)));
}

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::v4> compressed(const Pack<float, isa::v4>& lanes,
                                                                         const Mask<float, isa::v4>& mask) noexcept {
  using Register = Pack<float, isa::v4>::Register;
  return Pack<float, isa::v4>(Register(_mm512_maskz_compress_ps(static_cast<__mmask16>(bits(mask)), lanes.value())));
}
[[gnu::always_inline]] inline void store_compressed(float* to, const Pack<float, isa::v4>& lanes,
                                                    const Mask<float, isa::v4>& mask) noexcept {
  compressed(lanes, mask).store(to);
}
[[gnu::always_inline]] inline void store_compressed(std::uint32_t* to, const std::uint32_t* lanes,
                                                    const Mask<float, isa::v4>& mask) noexcept {
  const auto kept = static_cast<__mmask16>(bits(mask));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(kept, _mm512_loadu_si512(lanes)));
}

[[gnu::always_inline]] inline void store_records(float* records, const Pack<float, isa::v4>& a,
                                                 const Pack<float, isa::v4>& b, const Pack<float, isa::v4>& c,
                                                 const Pack<float, isa::v4>& d) noexcept {
  const __m512d ab01 = _mm512_castps_pd(_mm512_unpacklo_ps(a.value(), b.value()));
  const __m512d ab23 = _mm512_castps_pd(_mm512_unpackhi_ps(a.value(), b.value()));
  const __m512d cd01 = _mm512_castps_pd(_mm512_unpacklo_ps(c.value(), d.value()));
  const __m512d cd23 = _mm512_castps_pd(_mm512_unpackhi_ps(c.value(), d.value()));
  detail::store_four(records, _mm512_unpacklo_pd(ab01, cd01));
  detail::store_four(records + 4, _mm512_unpackhi_pd(ab01, cd01));
  detail::store_four(records + 8, _mm512_unpacklo_pd(ab23, cd23));
  detail::store_four(records + 12, _mm512_unpackhi_pd(ab23, cd23));
}

}  // namespace tacit::base
