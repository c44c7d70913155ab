// The terms of a substage for one row of modes, for the loops that are compiled once per instruction set: always
// inline, so that the linker never sees them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#include "tacit/base/pack.hpp"
#include "tacit/solvers/dns/kernels/loops.hpp"

namespace tacit::dns::kernels {

/// One row: three components of `width` complex numbers. All of them are computed, whatever the columns of the block;
/// those beyond are not used.
struct Row {
  double x[2 * width];
  double y[2 * width];
  double z[2 * width];
};

using RowPack = base::Pack<double, base::isa::TACIT_ISA>;
static_assert(2 * width % RowPack::width == 0);

/// Removes the gradient, k (k . f) / k^2, drops what is not kept, and scales.
template <std::size_t fixed>
[[gnu::always_inline]] inline void project(const ColumnNumbers& at, double kz_of_row, double radius2, Row& f) noexcept {
  using P = RowPack;
  const P kx(at.kx);
  const P kz(kz_of_row);
  for (std::size_t j = 0; j < 2 * width; j += P::width) {
    const P ky = P::load(at.ky + j);
    const P x = P::load(f.x + j);
    const P y = P::load(f.y + j);
    const P z = P::load(f.z + j);
    const P k2 = kx * kx + ky * ky + kz * kz;
    const P along = (kx * x + ky * y + kz * z) / select(k2 > P(0.0), k2, P(1.0));
    const P kept = select(P::load(at.radius2 + j) + P(radius2) <= P(at.limit2), P(at.scale), P(0.0));
    ((x - kx * along) * kept).store(f.x + j);
    ((y - ky * along) * kept).store(f.y + j);
    ((z - kz * along) * kept).store(f.z + j);
  }
}

/// f becomes -i f: the factor that a derivative brings. By vectors of the compiler: packs cannot exchange lanes.
template <std::size_t fixed>
[[gnu::always_inline]] inline void times_minus_i(std::size_t /*columns*/, double* f) noexcept {
  using Four [[gnu::vector_size(32)]] = double;
  constexpr Four signs{1.0, -1.0, 1.0, -1.0};
  for (std::size_t j = 0; j < 2 * width; j += 4) {
    Four here;
    std::memcpy(&here, f + j, sizeof(here));
    here = __builtin_shufflevector(here, here, 1, 0, 3, 2) * signs;
    std::memcpy(f + j, &here, sizeof(here));
  }
}

/// What a row's decay over a step and over half of it is made of: factors of its columns and its own.
struct Decay {
  const double* column;
  const double* half_column;
  double row;
  double half_row;
};

/// Pointers to where one component of a mode and its like stand.
struct ModeNumbers {
  const double* f;
  double* u;
  double* base;
  double* acc;
};

/// Advances as many numbers as P holds, the first of which has the index j.
template <Substage substage, class P>
[[gnu::always_inline]] inline void advance_numbers(double step, const Decay& decay, const ModeNumbers& at,
                                                   std::size_t j) noexcept {
  const P whole = P::load(decay.column + j) * P(decay.row);
  const P half = P::load(decay.half_column + j) * P(decay.half_row);
  const P f = P::load(at.f + j);
  if constexpr (substage == Substage::rk2_first) {
    const P u = P::load(at.u + j);
    (whole * (u + P(0.5 * step) * f)).store(at.acc + j);
    (whole * (u + P(step) * f)).store(at.u + j);
  } else if constexpr (substage == Substage::rk4_first) {
    const P u = P::load(at.u + j);
    (whole * (u + P(step / 6.0) * f)).store(at.acc + j);
    (half * u).store(at.base + j);
    (half * (u + P(0.5 * step) * f)).store(at.u + j);
  } else if constexpr (substage == Substage::rk4_second) {
    (P::load(at.acc + j) + P(step / 3.0) * half * f).store(at.acc + j);
    (P::load(at.base + j) + P(0.5 * step) * f).store(at.u + j);
  } else if constexpr (substage == Substage::rk4_third) {
    (P::load(at.acc + j) + P(step / 3.0) * half * f).store(at.acc + j);
    (half * (P::load(at.base + j) + P(step) * f)).store(at.u + j);
  } else if constexpr (substage == Substage::rk2_last) {
    (P::load(at.acc + j) + P(0.5 * step) * f).store(at.u + j);
  } else {
    (P::load(at.acc + j) + P(step / 6.0) * f).store(at.u + j);
  }
}

/// Asks for the row of the block of columns that comes next: rows are too far apart for the processor to guess it.
[[gnu::always_inline]] inline void prefetch_next(const double* row) noexcept {
  constexpr std::size_t line = 64 / sizeof(double);
  for (std::size_t j = 0; j < 2 * width; j += line) __builtin_prefetch(row + 2 * width + j, 1, 2);
}

/// Advances one component of a row. @param fixed  2 * width for a whole block of columns, 0 for one with fewer
template <Substage substage, std::size_t fixed>
[[gnu::always_inline]] inline void advance_row(const ColumnNumbers& at, const Decay& decay, const double* f, double* u,
                                               double* base, double* acc) noexcept {
  const ModeNumbers numbers{f, u, base, acc};
  if constexpr (fixed != 0) {
    constexpr bool has_base =
        substage == Substage::rk4_first || substage == Substage::rk4_second || substage == Substage::rk4_third;
    prefetch_next(u);
    prefetch_next(acc);
    if constexpr (has_base) prefetch_next(base);
    for (std::size_t j = 0; j < fixed; j += RowPack::width)
      advance_numbers<substage, RowPack>(at.dt, decay, numbers, j);
  } else {
    using Single = tacit::base::Pack<double, tacit::base::isa::scalar>;
    for (std::size_t j = 0; j < 2 * at.columns; ++j) advance_numbers<substage, Single>(at.dt, decay, numbers, j);
  }
}

/// What a substage's right-hand side is made of.
enum class Form { stress, lamb };

template <Form form, std::size_t fixed>
[[gnu::always_inline]] inline void right_side(const ColumnNumbers& at, double kz, double radius2,
                                              const double* const* lines, std::size_t place, Row& f) noexcept {
  using P = RowPack;
  const std::size_t offset = place * 2 * width;
  for (std::size_t j = 0; j < 2 * width; j += P::width) {
    const std::size_t i = offset + j;
    if constexpr (form == Form::stress) {
      const P xz = P::load(lines[2] + i);
      const P yz = P::load(lines[3] + i);
      (P::load(lines[0] + i) + P(kz) * xz).store(f.x + j);
      (P::load(lines[1] + i) + P(kz) * yz).store(f.y + j);
      (P(at.kx) * xz + P::load(at.ky + j) * yz).store(f.z + j);
    } else {
      P::load(lines[0] + i).store(f.x + j);
      P::load(lines[1] + i).store(f.y + j);
      P::load(lines[2] + i).store(f.z + j);
    }
  }
  project<fixed>(at, kz, radius2, f);
  if constexpr (form == Form::stress) {
    times_minus_i<fixed>(at.columns, f.x);
    times_minus_i<fixed>(at.columns, f.y);
    times_minus_i<fixed>(at.columns, f.z);
  }
}

}  // namespace tacit::dns::kernels
