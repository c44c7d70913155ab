// Packs of several numbers on xsimd's registers; what xsimd lacks comes from the file of each instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xsimd/xsimd.hpp>

#include "tacit/base/pack_scalar.hpp"

namespace tacit::base {

/// Operations as xsimd does them; where it falls short, the specialisation for the instruction set hides them.
struct XsimdOperations {
  template <class Batch>
  static Batch fma(const Batch& a, const Batch& b, const Batch& c) noexcept {
    return xsimd::fma(a, b, c);
  }
  template <class Batch>
  static Batch divide(const Batch& a, const Batch& b) noexcept {
    return a / b;
  }
  template <class Batch>
  static Batch sqrt(const Batch& a) noexcept {
    return xsimd::sqrt(a);
  }
};

/// What xsimd calls an instruction set, and what it lacks or does badly there; one specialisation in the file of each.
template <class Isa>
struct XsimdArchitecture;

template <class T, class Isa>
class Mask {
 public:
  using Register = xsimd::batch_bool<T, typename XsimdArchitecture<Isa>::type>;
  explicit Mask(const Register& value) noexcept : value_(value) {}
  [[nodiscard]] const Register& value() const noexcept { return value_; }
  friend Mask operator&(const Mask& a, const Mask& b) noexcept { return Mask(a.value_ & b.value_); }
  friend Mask operator|(const Mask& a, const Mask& b) noexcept { return Mask(a.value_ | b.value_); }
  friend Mask operator!(const Mask& a) noexcept { return Mask(~a.value_); }
  friend bool any(const Mask& a) noexcept { return bits(a) != 0; }
  friend std::size_t count(const Mask& a) noexcept { return static_cast<std::size_t>(__builtin_popcount(bits(a))); }
  /// Lane l in bit l.
  friend std::uint32_t bits(const Mask& a) noexcept { return XsimdArchitecture<Isa>::bits(a.value_); }

 private:
  Register value_;
};

template <class T, class Isa>
class Pack {
 public:
  using value_type = T;
  using mask_type = Mask<T, Isa>;
  using isa_type = Isa;
  using Register = xsimd::batch<T, typename XsimdArchitecture<Isa>::type>;
  static constexpr std::size_t width = Register::size;

  Pack() = default;  // undefined, as a plain number is
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  explicit Pack(Number value) noexcept : value_(static_cast<T>(value)) {}
  explicit Pack(const Register& value) noexcept : value_(value) {}
  [[nodiscard]] const Register& value() const noexcept { return value_; }

  [[nodiscard]] static Pack load(const T* from) noexcept { return Pack(Register::load_unaligned(from)); }
  void store(T* to) const noexcept { value_.store_unaligned(to); }
  /// The first n <= width numbers; 0 in the lanes beyond. Reads and writes no other memory.
  [[nodiscard]] static Pack load_first(const T* from, std::size_t n) noexcept {
    T lanes[width] = {};
    for (std::size_t lane = 0; lane < n; ++lane) lanes[lane] = from[lane];
    return load(lanes);
  }
  void store_first(T* to, std::size_t n) const noexcept {
    T lanes[width];
    store(lanes);
    for (std::size_t lane = 0; lane < n; ++lane) to[lane] = lanes[lane];
  }

  friend Pack operator+(const Pack& a, const Pack& b) noexcept { return Pack(a.value_ + b.value_); }
  friend Pack operator-(const Pack& a, const Pack& b) noexcept { return Pack(a.value_ - b.value_); }
  friend Pack operator*(const Pack& a, const Pack& b) noexcept { return Pack(a.value_ * b.value_); }
  friend Pack operator/(const Pack& a, const Pack& b) noexcept {
    return Pack(XsimdArchitecture<Isa>::divide(a.value_, b.value_));
  }
  // xsimd 8.1 subtracts from +0 where it has AVX-512, which turns -(+0) into +0.
  friend Pack operator-(const Pack& a) noexcept { return Pack(T(-0.0)) - a; }
  Pack& operator+=(const Pack& b) noexcept { return *this = *this + b; }
  Pack& operator-=(const Pack& b) noexcept { return *this = *this - b; }
  Pack& operator*=(const Pack& b) noexcept { return *this = *this * b; }
  friend mask_type operator<(const Pack& a, const Pack& b) noexcept { return mask_type(a.value_ < b.value_); }
  friend mask_type operator<=(const Pack& a, const Pack& b) noexcept { return mask_type(a.value_ <= b.value_); }
  friend mask_type operator>(const Pack& a, const Pack& b) noexcept { return mask_type(a.value_ > b.value_); }
  friend mask_type operator>=(const Pack& a, const Pack& b) noexcept { return mask_type(a.value_ >= b.value_); }
  friend mask_type operator==(const Pack& a, const Pack& b) noexcept { return mask_type(a.value_ == b.value_); }
  friend Pack select(const mask_type& where, const Pack& yes, const Pack& no) noexcept {
    return Pack(xsimd::select(where.value(), yes.value_, no.value_));
  }
  /// a * b + c
  friend Pack fma(const Pack& a, const Pack& b, const Pack& c) noexcept {
    return Pack(XsimdArchitecture<Isa>::fma(a.value_, b.value_, c.value_));
  }
  friend Pack min(const Pack& a, const Pack& b) noexcept { return Pack(xsimd::min(a.value_, b.value_)); }
  friend Pack max(const Pack& a, const Pack& b) noexcept { return Pack(xsimd::max(a.value_, b.value_)); }
  friend Pack sqrt(const Pack& a) noexcept { return Pack(XsimdArchitecture<Isa>::sqrt(a.value_)); }
  // A division: approximations with a Newton step measured no faster, and round differently on each processor.
  friend Pack reciprocal(const Pack& a) noexcept { return Pack(1) / a; }

 private:
  Register value_;
};

/// Sum over the lanes in double precision, always in this order: halves are added to each other until one is left.
template <class T, class Isa>
[[nodiscard]] inline double sum_of(const Pack<T, Isa>& a) noexcept {
  constexpr std::size_t width = Pack<T, Isa>::width;
  T lanes[width];
  a.store(lanes);
  double sums[width];
  for (std::size_t lane = 0; lane < width; ++lane) sums[lane] = static_cast<double>(lanes[lane]);
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

/// Largest of the lanes; halves are compared as max does, until one is left.
template <class T, class Isa>
[[nodiscard]] inline T largest_of(const Pack<T, Isa>& a) noexcept {
  constexpr std::size_t width = Pack<T, Isa>::width;
  T lanes[width];
  a.store(lanes);
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      lanes[lane] = lanes[lane] > lanes[lane + half] ? lanes[lane] : lanes[lane + half];
    }
  }
  return lanes[0];
}

/// `width` doubles, each after `map` (from packs of doubles to such), rounded to floats.
template <class P, class Map>
  requires(P::width > 1)
[[nodiscard, gnu::always_inline]] inline P narrowed(const double* from, const Map& map) noexcept {
  using Doubles = Pack<double, typename P::isa_type>;
  return narrow(map(Doubles::load(from)), map(Doubles::load(from + Doubles::width)));
}

}  // namespace tacit::base
