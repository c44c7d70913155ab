// Copies between lines that are interleaved, as transforms want them, and rows or lines that are not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>

#include "tacit/base/cpu_features.hpp"
#include "tacit/fft/kernels/lane_copies.hpp"
#include "tacit/fft/lines.hpp"
#include "tacit/fft/modes.hpp"

namespace tacit::fft {

/// Copies by the widest registers of the processor; memory must not overlap. Of interleaved lines the first `count` <=
/// lanes are copied, and the others left alone.
template <class Real>
class LaneCopier {
 public:
  using Complex = std::complex<Real>;

  /// n rows of `count` numbers that begin `stride` apart, to interleaved lines.
  void gather(const Complex* from, std::size_t stride, std::size_t n, std::size_t count, Complex* to) const noexcept {
    if (count == lanes) return copies_.gather(numbers(from), stride, n, numbers(to));
    copy_rows(from, stride, n, count, to, lanes);
  }
  /// The other way.
  void scatter(const Complex* from, std::size_t n, std::size_t count, Complex* to, std::size_t stride) const noexcept {
    if (count == lanes) return copies_.scatter(numbers(from), n, numbers(to), stride);
    copy_rows(from, lanes, n, count, to, stride);
  }
  /// Number i of line `lane`, which stands at from[lane * distance + i], becomes to[i * lanes + lane].
  void interleave(const Complex* from, std::size_t distance, std::size_t n, std::size_t count,
                  Complex* to) const noexcept {
    if (count == lanes) return copies_.interleave(numbers(from), distance, n, numbers(to));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < count; ++lane) to[i * lanes + lane] = from[lane * distance + i];
    }
  }
  /// The other way.
  void separate(const Complex* from, std::size_t n, std::size_t count, Complex* to,
                std::size_t distance) const noexcept {
    if (count == lanes) return copies_.separate(numbers(from), n, numbers(to), distance);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < count; ++lane) to[lane * distance + i] = from[i * lanes + lane];
    }
  }

  /// Columns of kept modes along z, shape (kz, ...) with rows that begin `stride` apart, to lines of all points.
  void gather_columns(const Modes& modes, const Complex* from, std::size_t stride, std::size_t count,
                      Complex* to) const noexcept {
    const auto [gap_begin, gap_end] = modes.gap(2);
    gather(from, stride, gap_begin, count, to);
    gather(from + gap_begin * stride, stride, modes.count(2) - gap_begin, count, to + gap_end * lanes);
  }
  /// The other way, times a factor.
  void scatter_columns(const Modes& modes, Real factor, const Complex* from, std::size_t count, Complex* to,
                       std::size_t stride) const noexcept {
    const auto [gap_begin, gap_end] = modes.gap(2);
    scatter_scaled(factor, from, gap_begin, count, to, stride);
    scatter_scaled(factor, from + gap_end * lanes, modes.count(2) - gap_begin, count, to + gap_begin * stride, stride);
  }

 private:
  static_assert(lanes == kernels::row_length);
  /// Number by number: for so few, a call of memmove takes longer than what it does.
  static void copy_rows(const Complex* from, std::size_t from_row, std::size_t n, std::size_t count, Complex* to,
                        std::size_t to_row) noexcept {
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t i = 0; i < n; ++i) to[i * to_row + lane] = from[i * from_row + lane];
    }
  }
  void scatter_scaled(Real factor, const Complex* from, std::size_t n, std::size_t count, Complex* to,
                      std::size_t stride) const noexcept {
    if (count == lanes) return copies_.scatter_scaled(factor, numbers(from), n, numbers(to), stride);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < count; ++lane) to[i * stride + lane] = factor * from[i * lanes + lane];
    }
  }

  // std::complex is two numbers side by side; the standard says so.
  static const Real* numbers(const Complex* at) noexcept { return reinterpret_cast<const Real*>(at); }
  static Real* numbers(Complex* at) noexcept { return reinterpret_cast<Real*>(at); }

  kernels::LaneCopies<Real> copies_ = kernels::lane_copies_for<Real>(base::chosen_instruction_set());
};

}  // namespace tacit::fft
