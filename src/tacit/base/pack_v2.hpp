// Packs of x86-64-v2 (SSE4.2): lists of indices, records of four floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "tacit/base/pack_simd.hpp"

namespace tacit::base {

template <>
struct XsimdArchitecture<isa::v2> : XsimdOperations {
  using type = xsimd::sse4_2;
  static std::uint32_t bits(const xsimd::batch_bool<float, type>& mask) noexcept {
    return static_cast<std::uint32_t>(_mm_movemask_ps(mask));
  }
  static std::uint32_t bits(const xsimd::batch_bool<double, type>& mask) noexcept {
    return static_cast<std::uint32_t>(_mm_movemask_pd(mask));
  }
};

namespace detail {

/// For each mask of four lanes the lanes in it, first to last, one per byte.
struct LanesOf4 {
  std::uint32_t of[16];
  constexpr LanesOf4() noexcept : of{} {
    for (std::uint32_t mask = 0; mask < 16; ++mask) {
      std::uint32_t shift = 0;
      for (std::uint32_t lane = 0; lane < 4; ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        of[mask] |= lane << shift;
        shift += 8;
      }
    }
  }
};
inline constexpr LanesOf4 lanes_of_4;

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline std::size_t store_indices(std::uint32_t* to, std::uint32_t first,
                                                                   const Mask<float, isa::v2>& mask) noexcept {
  const std::uint32_t set = bits(mask);
  const __m128i lanes = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(detail::lanes_of_4.of[set])));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_add_epi32(lanes, _mm_set1_epi32(static_cast<int>(first))));
  return static_cast<std::size_t>(__builtin_popcount(set));
}

template <class P>
  requires std::same_as<P, Pack<float, isa::v2>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const float* records, const std::uint32_t* index) noexcept {
  const __m128 r0 = _mm_load_ps(records + 4 * std::size_t{index[0]});
  const __m128 r1 = _mm_load_ps(records + 4 * std::size_t{index[1]});
  const __m128 r2 = _mm_load_ps(records + 4 * std::size_t{index[2]});
  const __m128 r3 = _mm_load_ps(records + 4 * std::size_t{index[3]});
  const __m128 ab01 = _mm_unpacklo_ps(r0, r1);
  const __m128 ab23 = _mm_unpacklo_ps(r2, r3);
  const __m128 cd01 = _mm_unpackhi_ps(r0, r1);
  const __m128 cd23 = _mm_unpackhi_ps(r2, r3);
  using Register = typename P::Register;
  return {P(Register(_mm_movelh_ps(ab01, ab23))), P(Register(_mm_movehl_ps(ab23, ab01))),
          P(Register(_mm_movelh_ps(cd01, cd23))), P(Register(_mm_movehl_ps(cd23, cd01)))};
}

/// @see sum_of of any pack; the same order
[[nodiscard, gnu::always_inline]] inline double sum_of(const Pack<float, isa::v2>& a) noexcept {
  const __m128 lanes = a.value();
  const __m128d pairs = _mm_add_pd(_mm_cvtps_pd(lanes), _mm_cvtps_pd(_mm_movehl_ps(lanes, lanes)));
  return _mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs)));
}

namespace detail {

[[nodiscard, gnu::always_inline]] inline float largest_of_four(__m128 lanes) noexcept {
  const __m128 pairs = _mm_max_ps(lanes, _mm_movehl_ps(lanes, lanes));
  return _mm_cvtss_f32(_mm_max_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}

}  // namespace detail

/// @see largest_of any pack; the same order
[[nodiscard, gnu::always_inline]] inline float largest_of(const Pack<float, isa::v2>& a) noexcept {
  return detail::largest_of_four(a.value());
}

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::v2> narrow(const Pack<double, isa::v2>& low,
                                                                     const Pack<double, isa::v2>& high) noexcept {
  using Register = Pack<float, isa::v2>::Register;
  return Pack<float, isa::v2>(Register(_mm_movelh_ps(_mm_cvtpd_ps(low.value()), _mm_cvtpd_ps(high.value()))));
}

namespace detail {

/// The lanes in the mask, moved to the front.
[[nodiscard, gnu::always_inline]] inline __m128i compressed(__m128i lanes, const Mask<float, isa::v2>& mask) noexcept {
  // Bytes 4 l + 0, 1, 2, 3 for every lane l to keep.
  const __m128i kept = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(lanes_of_4.of[bits(mask)])));
  const __m128i bytes = _mm_add_epi32(_mm_mullo_epi32(kept, _mm_set1_epi32(0x04040404)), _mm_set1_epi32(0x03020100));
  return _mm_shuffle_epi8(lanes, bytes);
}

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::v2> compressed(const Pack<float, isa::v2>& lanes,
                                                                         const Mask<float, isa::v2>& mask) noexcept {
  using Register = Pack<float, isa::v2>::Register;
  const __m128i front = detail::compressed(_mm_castps_si128(lanes.value()), mask);
  return Pack<float, isa::v2>(Register(_mm_castsi128_ps(front)));
}
[[gnu::always_inline]] inline void store_compressed(float* to, const Pack<float, isa::v2>& lanes,
                                                    const Mask<float, isa::v2>& mask) noexcept {
  compressed(lanes, mask).store(to);
}
[[gnu::always_inline]] inline void store_compressed(std::uint32_t* to, const std::uint32_t* lanes,
                                                    const Mask<float, isa::v2>& mask) noexcept {
  const __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), detail::compressed(numbers, mask));
}

[[gnu::always_inline]] inline void store_records(float* records, const Pack<float, isa::v2>& a,
                                                 const Pack<float, isa::v2>& b, const Pack<float, isa::v2>& c,
                                                 const Pack<float, isa::v2>& d) noexcept {
  const __m128 ab01 = _mm_unpacklo_ps(a.value(), b.value());
  const __m128 ab23 = _mm_unpackhi_ps(a.value(), b.value());
  const __m128 cd01 = _mm_unpacklo_ps(c.value(), d.value());
  const __m128 cd23 = _mm_unpackhi_ps(c.value(), d.value());
  _mm_store_ps(records, _mm_movelh_ps(ab01, cd01));
  _mm_store_ps(records + 4, _mm_movehl_ps(cd01, ab01));
  _mm_store_ps(records + 8, _mm_movelh_ps(ab23, cd23));
  _mm_store_ps(records + 12, _mm_movehl_ps(cd23, ab23));
}

}  // namespace tacit::base
