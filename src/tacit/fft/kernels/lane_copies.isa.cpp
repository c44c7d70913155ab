// Copies of interleaved lines; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/kernels/lane_copies.hpp"

#include <utility>

#include "tacit/base/pack.hpp"

namespace tacit::fft::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

constexpr std::size_t cache_line = 64;

template <class Real>
[[gnu::always_inline]] inline void prefetch_row(const Real* row) noexcept {
  for (std::size_t i = 0; i < 2 * row_length; i += cache_line / sizeof(Real)) __builtin_prefetch(row + i, 1, 2);
}

template <class Real>
[[gnu::always_inline]] inline void copy_row(const Real* from, Real* to) noexcept {
  using P = base::Pack<Real, Isa>;
  for (std::size_t i = 0; i < 2 * row_length; i += P::width) P::load(from + i).store(to + i);
}

template <class Real>
void gather(const Real* from, std::size_t stride, std::size_t n, Real* to) {
  for (std::size_t i = 0; i < n; ++i, from += 2 * stride, to += 2 * row_length) {
    prefetch_row(from + 2 * row_length);
    copy_row(from, to);
  }
}

template <class Real>
void scatter(const Real* from, std::size_t n, Real* to, std::size_t stride) {
  for (std::size_t i = 0; i < n; ++i, from += 2 * row_length, to += 2 * stride) {
    prefetch_row(to + 2 * row_length);
    copy_row(from, to);
  }
}

template <class Real>
void scatter_scaled(Real factor, const Real* from, std::size_t n, Real* to, std::size_t stride) {
  using P = base::Pack<Real, Isa>;
  for (std::size_t i = 0; i < n; ++i, from += 2 * row_length, to += 2 * stride) {
    prefetch_row(to + 2 * row_length);
    for (std::size_t j = 0; j < 2 * row_length; j += P::width) (P(factor) * P::load(from + j)).store(to + j);
  }
}

/// @see transpose, number by number
template <class Real>
[[gnu::always_inline]] inline void transpose_each(const Real* from, std::size_t from_row, std::size_t rows,
                                                  std::size_t columns, Real* to, std::size_t to_row) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      __builtin_memcpy(to + 2 * (j * to_row + i), from + 2 * (i * from_row + j), 2 * sizeof(Real));
    }
  }
}

/// A square of complex numbers, a row in each register.
template <class Real>
class Square {
 public:
  using P = base::Pack<Real, Isa>;
  static constexpr std::size_t side = P::width / 2;

  /// Reads it at `from`, whose rows are `from_row` apart, and writes it with rows for columns.
  [[gnu::always_inline]] static void transpose(const Real* from, std::size_t from_row, Real* to,
                                               std::size_t to_row) noexcept {
    Register rows[side];
    for (std::size_t i = 0; i < side; ++i) rows[i] = P::load(from + 2 * i * from_row).value().data;
    exchange_all(rows);
    for (std::size_t i = 0; i < side; ++i) P(typename P::Register(rows[i])).store(to + 2 * i * to_row);
  }

 private:
  using Register = decltype(P().value().data);

  template <std::size_t step = 1>
  [[gnu::always_inline]] static void exchange_all(Register* rows) noexcept {
    if constexpr (step < side) {
      for (std::size_t i = 0; i < side; ++i) {
        if ((i & step) == 0) exchange<step>(rows[i], rows[i + step], std::make_index_sequence<P::width>());
      }
      exchange_all<2 * step>(rows);
    }
  }
  /// The numbers of a with the bit `step` in their place, for those of b without.
  template <std::size_t step, std::size_t... i>
  [[gnu::always_inline]] static void exchange(Register& a, Register& b, std::index_sequence<i...> /*lanes*/) noexcept {
    constexpr std::size_t bit = 2 * step;  // a complex number has two lanes
    const auto upper = Register(__builtin_shufflevector(a, b, ((i & bit) == 0 ? i : P::width + i - bit)...));
    b = Register(__builtin_shufflevector(a, b, ((i & bit) == 0 ? i + bit : P::width + i)...));
    a = upper;
  }
};

/// Element (i, j) at from[i * from_row + j] becomes to[j * to_row + i]. One of the two sides is row_length.
template <class Real>
[[gnu::always_inline]] inline void transpose(const Real* from, std::size_t from_row, std::size_t rows,
                                             std::size_t columns, Real* to, std::size_t to_row) noexcept {
  if (rows == 0 || columns == 0) return;  // then there may be no memory at all
  std::size_t i = 0;
  std::size_t j = 0;
  if constexpr (base::Pack<Real, Isa>::width > 2) {
    constexpr std::size_t side = Square<Real>::side;
    for (; i + side <= rows; i += side) {
      for (j = 0; j + side <= columns; j += side) {
        Square<Real>::transpose(from + 2 * (i * from_row + j), from_row, to + 2 * (j * to_row + i), to_row);
      }
    }
    transpose_each(from + 2 * j, from_row, i, columns - j, to + 2 * j * to_row, to_row);
  }
  transpose_each(from + 2 * i * from_row, from_row, rows - i, columns, to + 2 * i, to_row);
}

template <class Real>
void interleave(const Real* from, std::size_t distance, std::size_t n, Real* to) {
  transpose(from, distance, row_length, n, to, row_length);
}

template <class Real>
void separate(const Real* from, std::size_t n, Real* to, std::size_t distance) {
  transpose(from, row_length, n, row_length, to, distance);
}

}  // namespace

template <class Real, class>
LaneCopies<Real> lane_copies_of() noexcept {
  return {&gather<Real>, &scatter<Real>, &scatter_scaled<Real>, &interleave<Real>, &separate<Real>};
}
template LaneCopies<double> lane_copies_of<double, Isa>() noexcept;
template LaneCopies<float> lane_copies_of<float, Isa>() noexcept;

}  // namespace tacit::fft::kernels
