// Packs of AArch64's Advanced SIMD: lists of indices, records of four floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include "tacit/base/pack_simd.hpp"

namespace tacit::base {

template <>
struct XsimdArchitecture<isa::neon64> : XsimdOperations {
  using type = xsimd::neon64;
  // Version 8.1 approximates these, as processors before AArch64 had to.
  static xsimd::batch<float, type> divide(const xsimd::batch<float, type>& a,
                                          const xsimd::batch<float, type>& b) noexcept {
    return vdivq_f32(a, b);
  }
  static xsimd::batch<float, type> sqrt(const xsimd::batch<float, type>& a) noexcept { return vsqrtq_f32(a); }
  static xsimd::batch<double, type> divide(const xsimd::batch<double, type>& a,
                                           const xsimd::batch<double, type>& b) noexcept {
    return vdivq_f64(a, b);
  }
  static xsimd::batch<double, type> sqrt(const xsimd::batch<double, type>& a) noexcept { return vsqrtq_f64(a); }
  static std::uint32_t bits(const xsimd::batch_bool<float, type>& mask) noexcept {
    const uint32x4_t weights = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(mask, weights));
  }
  static std::uint32_t bits(const xsimd::batch_bool<double, type>& mask) noexcept {
    const uint64x2_t weights = {1, 2};
    return static_cast<std::uint32_t>(vaddvq_u64(vandq_u64(mask, weights)));
  }
};

namespace detail {

/// For each mask of four lanes the lanes in it, first to last.
struct LanesOf4 {
  std::uint32_t of[16][4];
  constexpr LanesOf4() noexcept : of{} {
    for (std::uint32_t mask = 0; mask < 16; ++mask) {
      std::uint32_t count = 0;
      for (std::uint32_t lane = 0; lane < 4; ++lane) {
        if ((mask >> lane & 1U) != 0) of[mask][count++] = lane;
      }
    }
  }
};
inline constexpr LanesOf4 lanes_of_4;

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline std::size_t store_indices(std::uint32_t* to, std::uint32_t first,
                                                                   const Mask<float, isa::neon64>& mask) noexcept {
  const std::uint32_t set = bits(mask);
  vst1q_u32(to, vaddq_u32(vld1q_u32(detail::lanes_of_4.of[set]), vdupq_n_u32(first)));
  return static_cast<std::size_t>(__builtin_popcount(set));
}

template <class P>
  requires std::same_as<P, Pack<float, isa::neon64>>
[[nodiscard, gnu::always_inline]] inline Pack4<P> gather4(const float* records, const std::uint32_t* index) noexcept {
  const float32x4_t r0 = vld1q_f32(records + 4 * std::size_t{index[0]});
  const float32x4_t r1 = vld1q_f32(records + 4 * std::size_t{index[1]});
  const float32x4_t r2 = vld1q_f32(records + 4 * std::size_t{index[2]});
  const float32x4_t r3 = vld1q_f32(records + 4 * std::size_t{index[3]});
  const float64x2_t ab01 = vreinterpretq_f64_f32(vzip1q_f32(r0, r1));
  const float64x2_t ab23 = vreinterpretq_f64_f32(vzip1q_f32(r2, r3));
  const float64x2_t cd01 = vreinterpretq_f64_f32(vzip2q_f32(r0, r1));
  const float64x2_t cd23 = vreinterpretq_f64_f32(vzip2q_f32(r2, r3));
  using Register = typename P::Register;
  return {P(Register(vreinterpretq_f32_f64(vzip1q_f64(ab01, ab23)))),
          P(Register(vreinterpretq_f32_f64(vzip2q_f64(ab01, ab23)))),
          P(Register(vreinterpretq_f32_f64(vzip1q_f64(cd01, cd23)))),
          P(Register(vreinterpretq_f32_f64(vzip2q_f64(cd01, cd23))))};
}

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::neon64> narrow(
    const Pack<double, isa::neon64>& low, const Pack<double, isa::neon64>& high) noexcept {
  using Register = Pack<float, isa::neon64>::Register;
  return Pack<float, isa::neon64>(Register(vcvt_high_f32_f64(vcvt_f32_f64(low.value()), high.value())));
}

namespace detail {

/// The lanes in the mask, moved to the front.
[[nodiscard, gnu::always_inline]] inline uint8x16_t compressed(uint8x16_t lanes,
                                                               const Mask<float, isa::neon64>& mask) noexcept {
  // Bytes 4 l + 0, 1, 2, 3 for every lane l to keep.
  const uint32x4_t kept = vld1q_u32(lanes_of_4.of[bits(mask)]);
  const uint32x4_t bytes = vaddq_u32(vmulq_n_u32(kept, 0x04040404U), vdupq_n_u32(0x03020100U));
  return vqtbl1q_u8(lanes, vreinterpretq_u8_u32(bytes));
}

}  // namespace detail

[[nodiscard, gnu::always_inline]] inline Pack<float, isa::neon64> compressed(
    const Pack<float, isa::neon64>& lanes, const Mask<float, isa::neon64>& mask) noexcept {
  using Register = Pack<float, isa::neon64>::Register;
  const uint8x16_t front = detail::compressed(vreinterpretq_u8_f32(lanes.value()), mask);
  return Pack<float, isa::neon64>(Register(vreinterpretq_f32_u8(front)));
}
[[gnu::always_inline]] inline void store_compressed(float* to, const Pack<float, isa::neon64>& lanes,
                                                    const Mask<float, isa::neon64>& mask) noexcept {
  compressed(lanes, mask).store(to);
}
[[gnu::always_inline]] inline void store_compressed(std::uint32_t* to, const std::uint32_t* lanes,
                                                    const Mask<float, isa::neon64>& mask) noexcept {
  vst1q_u32(to, vreinterpretq_u32_u8(detail::compressed(vreinterpretq_u8_u32(vld1q_u32(lanes)), mask)));
}

[[gnu::always_inline]] inline void store_records(float* records, const Pack<float, isa::neon64>& a,
                                                 const Pack<float, isa::neon64>& b, const Pack<float, isa::neon64>& c,
                                                 const Pack<float, isa::neon64>& d) noexcept {
  const float32x4x4_t fields = {{a.value(), b.value(), c.value(), d.value()}};
  vst4q_f32(records, fields);
}

}  // namespace tacit::base
