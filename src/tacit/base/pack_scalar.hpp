// What a pack offers, and the pack of one number, which every wider one must agree with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tacit/base/cpu_features.hpp"

namespace tacit::base {

/// `width` numbers of type T in one register of the instruction set Isa.
///
/// Arithmetic, comparisons and functions act on each lane alone, as on plain numbers; no operation is contracted,
/// reordered or approximated, so that every lane gives the bits of the scalar expression (fma is one rounding where the
/// set has it, two elsewhere).
///
///     using P = base::Pack<float, Isa>;
///     for (std::size_t k = 0; k < n; k += P::width) {
///       const P q = sqrt(P::load(r2 + k)) * P(inverse_H);
///       sum += select(q < P(1), P::load(m + k) * Kernel::w(q), P(0));
///     }
///     const double total = sum_of(sum);
template <class T, class Isa>
class Pack;

/// One truth per lane; what comparisons of packs give.
template <class T, class Isa>
class Mask;

/// Four packs, as gather4 fills them.
template <class P>
struct Pack4 {
  P a, b, c, d;
};

/// The power x_+^n = max(x, 0)^n, by multiplication.
template <int n, class T, class Isa>
[[nodiscard]] inline Pack<T, Isa> positive_power(const Pack<T, Isa>& x) noexcept {
  static_assert(n >= 0);
  const Pack<T, Isa> base = max(x, Pack<T, Isa>(0));
  if constexpr (n == 0) {
    return Pack<T, Isa>(1);
  } else {
    Pack<T, Isa> power = base;
    for (int i = 1; i < n; ++i) power = power * base;
    return power;
  }
}

template <class T>
class Mask<T, isa::scalar> {
 public:
  explicit Mask(bool value) noexcept : value_(value) {}
  [[nodiscard]] bool value() const noexcept { return value_; }
  friend Mask operator&(Mask a, Mask b) noexcept { return Mask(a.value_ && b.value_); }
  friend Mask operator|(Mask a, Mask b) noexcept { return Mask(a.value_ || b.value_); }
  friend Mask operator!(Mask a) noexcept { return Mask(!a.value_); }
  friend bool any(Mask a) noexcept { return a.value_; }
  friend std::size_t count(Mask a) noexcept { return a.value_ ? 1U : 0U; }
  /// Lane l in bit l.
  friend std::uint32_t bits(Mask a) noexcept { return a.value_ ? 1U : 0U; }

 private:
  bool value_;
};

template <class T>
class Pack<T, isa::scalar> {
 public:
  using value_type = T;
  using mask_type = Mask<T, isa::scalar>;
  static constexpr std::size_t width = 1;

  Pack() = default;  // undefined, as a plain number is
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  explicit Pack(Number value) noexcept : value_(static_cast<T>(value)) {}
  [[nodiscard]] T value() const noexcept { return value_; }

  [[nodiscard]] static Pack load(const T* from) noexcept { return Pack(*from); }
  void store(T* to) const noexcept { *to = value_; }
  /// The first n <= width numbers; 0 in the lanes beyond. Reads and writes no other memory.
  [[nodiscard]] static Pack load_first(const T* from, std::size_t n) noexcept { return Pack(n > 0 ? *from : T(0)); }
  void store_first(T* to, std::size_t n) const noexcept {
    if (n > 0) *to = value_;
  }

  friend Pack operator+(Pack a, Pack b) noexcept { return Pack(a.value_ + b.value_); }
  friend Pack operator-(Pack a, Pack b) noexcept { return Pack(a.value_ - b.value_); }
  friend Pack operator*(Pack a, Pack b) noexcept { return Pack(a.value_ * b.value_); }
  friend Pack operator/(Pack a, Pack b) noexcept { return Pack(a.value_ / b.value_); }
  friend Pack operator-(Pack a) noexcept { return Pack(-a.value_); }
  Pack& operator+=(Pack b) noexcept { return *this = *this + b; }
  Pack& operator-=(Pack b) noexcept { return *this = *this - b; }
  Pack& operator*=(Pack b) noexcept { return *this = *this * b; }
  friend mask_type operator<(Pack a, Pack b) noexcept { return mask_type(a.value_ < b.value_); }
  friend mask_type operator<=(Pack a, Pack b) noexcept { return mask_type(a.value_ <= b.value_); }
  friend mask_type operator>(Pack a, Pack b) noexcept { return mask_type(a.value_ > b.value_); }
  friend mask_type operator>=(Pack a, Pack b) noexcept { return mask_type(a.value_ >= b.value_); }
  friend mask_type operator==(Pack a, Pack b) noexcept { return mask_type(a.value_ == b.value_); }
  friend Pack select(mask_type where, Pack yes, Pack no) noexcept { return where.value() ? yes : no; }
  /// a * b + c
  friend Pack fma(Pack a, Pack b, Pack c) noexcept { return a * b + c; }
  /// As x86 does: b where they compare neither way.
  friend Pack min(Pack a, Pack b) noexcept { return a.value_ < b.value_ ? a : b; }
  friend Pack max(Pack a, Pack b) noexcept { return a.value_ > b.value_ ? a : b; }
  friend Pack sqrt(Pack a) noexcept {
    if constexpr (sizeof(T) == sizeof(float)) {
      return Pack(__builtin_sqrtf(a.value_));
    } else {
      return Pack(__builtin_sqrt(a.value_));
    }
  }
  friend Pack reciprocal(Pack a) noexcept { return Pack(T(1) / a.value_); }
  /// Sum over the lanes in double precision, always in this order: halves are added to each other until one is left.
  friend double sum_of(Pack a) noexcept { return static_cast<double>(a.value_); }
  friend T largest_of(Pack a) noexcept { return a.value_; }

 private:
  T value_;
};

/// Writes first + l for every lane l in the mask, in order, and says how many. May write up to `width` numbers, so
/// there must be room for that; what lies beyond the count is undefined.
[[nodiscard]] inline std::size_t store_indices(std::uint32_t* to, std::uint32_t first,
                                               Mask<float, isa::scalar> mask) noexcept {
  *to = first;
  return mask.value() ? 1U : 0U;
}

/// Lane l of the four packs gets the four numbers records[4 * index[l] + 0, ... + 3]; records aligned to 16 bytes.
template <class P>
[[nodiscard]] Pack4<P> gather4(const typename P::value_type* records, const std::uint32_t* index) noexcept
  requires(P::width == 1)
{
  const auto* record = records + 4 * std::size_t{*index};
  return {P(record[0]), P(record[1]), P(record[2]), P(record[3])};
}

/// The inverse of gather4: record l gets the numbers of lane l; records aligned to 16 bytes.
template <class T>
inline void store_records(T* records, const Pack<T, isa::scalar>& a, const Pack<T, isa::scalar>& b,
                          const Pack<T, isa::scalar>& c, const Pack<T, isa::scalar>& d) noexcept {
  a.store(records);
  b.store(records + 1);
  c.store(records + 2);
  d.store(records + 3);
}

/// The lanes in the mask, in order and from the first on; those behind them are undefined.
[[nodiscard]] inline Pack<float, isa::scalar> compressed(const Pack<float, isa::scalar>& lanes,
                                                         Mask<float, isa::scalar> /*mask*/) noexcept {
  return lanes;
}

/// Writes the lanes in the mask, as store_indices does their numbers; the same room is needed.
inline void store_compressed(float* to, const Pack<float, isa::scalar>& lanes,
                             Mask<float, isa::scalar> /*mask*/) noexcept {
  lanes.store(to);
}
inline void store_compressed(std::uint32_t* to, const std::uint32_t* lanes,
                             Mask<float, isa::scalar> /*mask*/) noexcept {
  *to = *lanes;
}

/// `width` doubles, each after `map` (from packs of doubles to such), rounded to floats.
template <class P, class Map>
  requires(P::width == 1)
[[nodiscard]] inline P narrowed(const double* from, const Map& map) noexcept {
  return P(map(Pack<double, isa::scalar>::load(from)).value());
}

}  // namespace tacit::base
