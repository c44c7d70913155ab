// Packs of x86-64-v3 (AVX2, FMA): lists of indices, records of four floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "tacit/base/pack_v2.hpp"

namespace tacit::base {

template <>
struct XsimdArchitecture<isa::v3> : XsimdOperations {
  using type = xsimd::fma3<xsimd::avx2>;
  static std::uint32_t bits(const xsimd::batch_bool<float, type>& mask) noexcept {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(mask));
  }
  static std::uint32_t bits(const xsimd::batch_bool<double, type>& mask) noexcept {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(mask));
  }
};

namespace detail {

/// For each mask of eight lanes the lanes in it, first to last, one per byte: 2 KB, which stay in the L1 cache.
struct LanesOf8 {
  std::uint64_t of[256];
  constexpr LanesOf8() noexcept : of{} {
    for (std::uint32_t mask = 0; mask < 256; ++mask) {
      std::uint32_t shift = 0;
      for (std::uint64_t lane = 0; lane < 8; ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        of[mask] |= lane << shift;
        shift += 8;
      }
    }
  }
};
inline constexpr LanesOf8 lanes_of_8;

/// Records index[first] and index[first + 4], side by side.
[[nodiscard, gnu::always_inline]] inline __m256 two_records(const float* records, const std::uint32_t* index) noexcept {
  const __m128 low = _mm_load_ps(records + 4 * std::size_t{index[0]});
  return _mm256_insertf128_ps(_mm256_castps128_ps256(low), _mm_load_ps(records + 4 * std::size_t{index[4]}), 1);
}

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline std::size_t store_indices(std::uint32_t* to, std::uint32_t first,
                                                                   const Mask<float, isa::v3>& mask) noexcept {
  const std::uint32_t set = bits(mask);
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(detail::lanes_of_8.of[set])));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(first))));
  return static_cast<std::size_t>(__builtin_popcount(set));
}

template <class P>
  requires std::same_as<P, Pack<float, isa::v3>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const float* records, const std::uint32_t* index) noexcept {
  const __m256 r0 = detail::two_records(records, index);
  const __m256 r1 = detail::two_records(records, index + 1);
  const __m256 r2 = detail::two_records(records, index + 2);
  const __m256 r3 = detail::two_records(records, index + 3);
  const __m256d ab01 = _mm256_castps_pd(_mm256_unpacklo_ps(r0, r1));
  const __m256d ab23 = _mm256_castps_pd(_mm256_unpacklo_ps(r2, r3));
  const __m256d cd01 = _mm256_castps_pd(_mm256_unpackhi_ps(r0, r1));
  const __m256d cd23 = _mm256_castps_pd(_mm256_unpackhi_ps(r2, r3));
  using Register = typename P::Register;
  return {P(Register(_mm256_castpd_ps(_mm256_unpacklo_pd(ab01, ab23)))),
          P(Register(_mm256_castpd_ps(_mm256_unpackhi_pd(ab01, ab23)))),
          P(Register(_mm256_castpd_ps(_mm256_unpacklo_pd(cd01, cd23)))),
          P(Register(_mm256_castpd_ps(_mm256_unpackhi_pd(cd01, cd23))))};
}

/// @see sum_of of any pack; the same order
[[nodiscard, gnu::always_inline]] inline double sum_of(const Pack<float, isa::v3>& a) noexcept {
  const __m256 lanes = a.value();
  const __m256d fours =
      _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(lanes)), _mm256_cvtps_pd(_mm256_extractf128_ps(lanes, 1)));
  const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(fours), _mm256_extractf128_pd(fours, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs)));
}

/// @see largest_of any pack; the same order
[[nodiscard, gnu::always_inline]] inline float largest_of(const Pack<float, isa::v3>& a) noexcept {
  const __m256 lanes = a.value();
  return detail::largest_of_four(_mm_max_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1)));
}

namespace detail {

/// Two records at `to` and four places on.
[[gnu::always_inline]] inline void store_two(float* to, __m256d records) noexcept {
  const __m256 floats = _mm256_castpd_ps(records);
  _mm_store_ps(to, _mm256_castps256_ps128(floats));
  _mm_store_ps(to + 16, _mm256_extractf128_ps(floats, 1));
}

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::v3> narrow(const Pack<double, isa::v3>& low,
                                                                     const Pack<double, isa::v3>& high) noexcept {
  const __m256 both = _mm256_castps128_ps256(_mm256_cvtpd_ps(low.value()));
  using Register = Pack<float, isa::v3>::Register;
  return Pack<float, isa::v3>(Register(_mm256_insertf128_ps(both, _mm256_cvtpd_ps(high.value()), 1)));
}

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::v3> compressed(const Pack<float, isa::v3>& lanes,
                                                                         const Mask<float, isa::v3>& mask) noexcept {
  const auto kept = static_cast<long long>(detail::lanes_of_8.of[bits(mask)]);
  const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(kept));
  using Register = Pack<float, isa::v3>::Register;
  return Pack<float, isa::v3>(Register(_mm256_permutevar8x32_ps(lanes.value(), order)));
}
[[gnu::always_inline]] inline void store_compressed(float* to, const Pack<float, isa::v3>& lanes,
                                                    const Mask<float, isa::v3>& mask) noexcept {
  compressed(lanes, mask).store(to);
}
[[gnu::always_inline]] inline void store_compressed(std::uint32_t* to, const std::uint32_t* lanes,
                                                    const Mask<float, isa::v3>& mask) noexcept {
  const auto kept = static_cast<long long>(detail::lanes_of_8.of[bits(mask)]);
  const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_permutevar8x32_epi32(numbers, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(kept))));
}

[[gnu::always_inline]] inline void store_records(float* records, const Pack<float, isa::v3>& a,
                                                 const Pack<float, isa::v3>& b, const Pack<float, isa::v3>& c,
                                                 const Pack<float, isa::v3>& d) noexcept {
  const __m256d ab01 = _mm256_castps_pd(_mm256_unpacklo_ps(a.value(), b.value()));
  const __m256d ab23 = _mm256_castps_pd(_mm256_unpackhi_ps(a.value(), b.value()));
  const __m256d cd01 = _mm256_castps_pd(_mm256_unpacklo_ps(c.value(), d.value()));
  const __m256d cd23 = _mm256_castps_pd(_mm256_unpackhi_ps(c.value(), d.value()));
  detail::store_two(records, _mm256_unpacklo_pd(ab01, cd01));
  detail::store_two(records + 4, _mm256_unpackhi_pd(ab01, cd01));
  detail::store_two(records + 8, _mm256_unpacklo_pd(ab23, cd23));
  detail::store_two(records + 12, _mm256_unpackhi_pd(ab23, cd23));
}

}  // namespace tacit::base
