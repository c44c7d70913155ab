// Records of four doubles, gathered into packs: of the pack of one number see pack_scalar.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/pack.hpp"

namespace tacit::base {

// Lane l of the four packs gets the four numbers records[4 * index[l] + 0, ... + 3]; records aligned to 32 bytes.

#if defined(__SSE4_2__)
template <class P>
  requires std::same_as<P, Pack<double, isa::v2>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const double* records, const std::uint32_t* index) noexcept {
  const double* r0 = records + 4 * std::size_t{index[0]};
  const double* r1 = records + 4 * std::size_t{index[1]};
  const __m128d ab0 = _mm_load_pd(r0);
  const __m128d ab1 = _mm_load_pd(r1);
  const __m128d cd0 = _mm_load_pd(r0 + 2);
  const __m128d cd1 = _mm_load_pd(r1 + 2);
  using Register = typename P::Register;
  return {P(Register(_mm_unpacklo_pd(ab0, ab1))), P(Register(_mm_unpackhi_pd(ab0, ab1))),
          P(Register(_mm_unpacklo_pd(cd0, cd1))), P(Register(_mm_unpackhi_pd(cd0, cd1)))};
}
#endif

#if defined(__AVX2__) && defined(__FMA__)
template <class P>
  requires std::same_as<P, Pack<double, isa::v3>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const double* records, const std::uint32_t* index) noexcept {
  const __m256d r0 = _mm256_load_pd(records + 4 * std::size_t{index[0]});
  const __m256d r1 = _mm256_load_pd(records + 4 * std::size_t{index[1]});
  const __m256d r2 = _mm256_load_pd(records + 4 * std::size_t{index[2]});
  const __m256d r3 = _mm256_load_pd(records + 4 * std::size_t{index[3]});
  const __m256d ac01 = _mm256_unpacklo_pd(r0, r1);
  const __m256d bd01 = _mm256_unpackhi_pd(r0, r1);
  const __m256d ac23 = _mm256_unpacklo_pd(r2, r3);
  const __m256d bd23 = _mm256_unpackhi_pd(r2, r3);
  using Register = typename P::Register;
  return {P(Register(_mm256_permute2f128_pd(ac01, ac23, 0x20))), P(Register(_mm256_permute2f128_pd(bd01, bd23, 0x20))),
          P(Register(_mm256_permute2f128_pd(ac01, ac23, 0x31))), P(Register(_mm256_permute2f128_pd(bd01, bd23, 0x31)))};
}
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
namespace detail {

/// Records index[0] and index[4], side by side.
[[nodiscard, gnu::always_inline]] inline __m512d two_records_of_doubles(const double* records,
                                                                        const std::uint32_t* index) noexcept {
  const __m256d low = _mm256_load_pd(records + 4 * std::size_t{index[0]});
  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), _mm256_load_pd(records + 4 * std::size_t{index[4]}), 1);
}

}  // namespace detail

template <class P>
  requires std::same_as<P, Pack<double, isa::v4>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const double* records, const std::uint32_t* index) noexcept {
  const __m512d r0 = detail::two_records_of_doubles(records, index);
  const __m512d r1 = detail::two_records_of_doubles(records, index + 1);
  const __m512d r2 = detail::two_records_of_doubles(records, index + 2);
  const __m512d r3 = detail::two_records_of_doubles(records, index + 3);
  const __m512d ac01 = _mm512_unpacklo_pd(r0, r1);  // a0 a1 c0 c1 a4 a5 c4 c5
  const __m512d bd01 = _mm512_unpackhi_pd(r0, r1);
  const __m512d ac23 = _mm512_unpacklo_pd(r2, r3);
  const __m512d bd23 = _mm512_unpackhi_pd(r2, r3);
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  using Register = typename P::Register;
  return {
      P(Register(_mm512_permutex2var_pd(ac01, first, ac23))), P(Register(_mm512_permutex2var_pd(bd01, first, bd23))),
      P(Register(_mm512_permutex2var_pd(ac01, second, ac23))), P(Register(_mm512_permutex2var_pd(bd01, second, bd23)))};
}
#endif

#if defined(__aarch64__)
template <class P>
  requires std::same_as<P, Pack<double, isa::neon64>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const double* records, const std::uint32_t* index) noexcept {
  const double* r0 = records + 4 * std::size_t{index[0]};
  const double* r1 = records + 4 * std::size_t{index[1]};
  const float64x2_t ab0 = vld1q_f64(r0);
  const float64x2_t ab1 = vld1q_f64(r1);
  const float64x2_t cd0 = vld1q_f64(r0 + 2);
  const float64x2_t cd1 = vld1q_f64(r1 + 2);
  using Register = typename P::Register;
  return {P(Register(vzip1q_f64(ab0, ab1))), P(Register(vzip2q_f64(ab0, ab1))), P(Register(vzip1q_f64(cd0, cd1))),
          P(Register(vzip2q_f64(cd0, cd1)))};
}
#endif

}  // namespace tacit::base
