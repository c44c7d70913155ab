// The pack of one number on a device of NVIDIA: for kernels it is one more instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/pack_scalar.hpp"

namespace tacit::gpu::cuda {

/// One thread of a device.
struct Isa {};

}  // namespace tacit::gpu::cuda

namespace tacit::base {

template <>
class Mask<double, gpu::cuda::Isa> {
 public:
  __device__ explicit Mask(bool value) noexcept : value_(value) {}
  [[nodiscard]] __device__ bool value() const noexcept { return value_; }
  friend __device__ Mask operator&(Mask a, Mask b) noexcept { return Mask(a.value_ && b.value_); }
  friend __device__ Mask operator|(Mask a, Mask b) noexcept { return Mask(a.value_ || b.value_); }
  friend __device__ Mask operator!(Mask a) noexcept { return Mask(!a.value_); }
  friend __device__ bool any(Mask a) noexcept { return a.value_; }
  friend __device__ std::size_t count(Mask a) noexcept { return a.value_ ? 1U : 0U; }

 private:
  bool value_;
};

/// Each operation rounds once, to the nearest, by functions that no compiler contracts: the bits are those of the
/// processor. Only fma rounds once where packs without it round twice.
template <>
class Pack<double, gpu::cuda::Isa> {
 public:
  using value_type = double;
  using mask_type = Mask<double, gpu::cuda::Isa>;
  static constexpr std::size_t width = 1;

  Pack() = default;
  __device__ explicit Pack(double value) noexcept : value_(value) {}
  [[nodiscard]] __device__ double value() const noexcept { return value_; }

  [[nodiscard]] static __device__ Pack load(const double* from) noexcept { return Pack(*from); }
  __device__ void store(double* to) const noexcept { *to = value_; }

  friend __device__ Pack operator+(Pack a, Pack b) noexcept { return Pack(__dadd_rn(a.value_, b.value_)); }
  friend __device__ Pack operator-(Pack a, Pack b) noexcept { return Pack(__dsub_rn(a.value_, b.value_)); }
  friend __device__ Pack operator*(Pack a, Pack b) noexcept { return Pack(__dmul_rn(a.value_, b.value_)); }
  friend __device__ Pack operator/(Pack a, Pack b) noexcept { return Pack(__ddiv_rn(a.value_, b.value_)); }
  friend __device__ Pack operator-(Pack a) noexcept { return Pack(-a.value_); }
  __device__ Pack& operator+=(Pack b) noexcept { return *this = *this + b; }
  __device__ Pack& operator-=(Pack b) noexcept { return *this = *this - b; }
  __device__ Pack& operator*=(Pack b) noexcept { return *this = *this * b; }
  friend __device__ mask_type operator<(Pack a, Pack b) noexcept { return mask_type(a.value_ < b.value_); }
  friend __device__ mask_type operator<=(Pack a, Pack b) noexcept { return mask_type(a.value_ <= b.value_); }
  friend __device__ mask_type operator>(Pack a, Pack b) noexcept { return mask_type(a.value_ > b.value_); }
  friend __device__ mask_type operator>=(Pack a, Pack b) noexcept { return mask_type(a.value_ >= b.value_); }
  friend __device__ mask_type operator==(Pack a, Pack b) noexcept { return mask_type(a.value_ == b.value_); }
  friend __device__ Pack select(mask_type where, Pack yes, Pack no) noexcept { return where.value() ? yes : no; }
  friend __device__ Pack fma(Pack a, Pack b, Pack c) noexcept { return Pack(__fma_rn(a.value_, b.value_, c.value_)); }
  friend __device__ Pack min(Pack a, Pack b) noexcept { return a.value_ < b.value_ ? a : b; }
  friend __device__ Pack max(Pack a, Pack b) noexcept { return a.value_ > b.value_ ? a : b; }
  friend __device__ Pack sqrt(Pack a) noexcept { return Pack(__dsqrt_rn(a.value_)); }
  friend __device__ Pack reciprocal(Pack a) noexcept { return Pack(__ddiv_rn(1.0, a.value_)); }

 private:
  double value_;
};

}  // namespace tacit::base
