// Copies between lines that are interleaved, as transforms want them, and rows or lines that are not; compiled once per
// instruction set. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/cpu_features.hpp"

namespace tacit::fft::kernels {

/// Complex numbers that stand side by side in interleaved lines.
inline constexpr std::size_t row_length = 8;

/// The loops of one instruction set. Complex numbers lie as pairs; strides, distances and n count complex numbers.
/// Memory must not overlap. Of rows that are apart those behind them are asked for ahead, since they come next.
template <class Real>
struct LaneCopies {
  /// n rows of row_length, the first numbers of which are `stride` apart, to rows one behind the other.
  void (*gather)(const Real* from, std::size_t stride, std::size_t n, Real* to);
  /// The way back.
  void (*scatter)(const Real* from, std::size_t n, Real* to, std::size_t stride);
  /// Likewise, times a factor.
  void (*scatter_scaled)(Real factor, const Real* from, std::size_t n, Real* to, std::size_t stride);
  /// Number i < n of line j < row_length, at from[j * distance + i], becomes to[i * row_length + j].
  void (*interleave)(const Real* from, std::size_t distance, std::size_t n, Real* to);
  /// The way back.
  void (*separate)(const Real* from, std::size_t n, Real* to, std::size_t distance);
};

template <class Real, class Isa>
[[nodiscard]] LaneCopies<Real> lane_copies_of() noexcept;
/// Those of a set that this processor can use.
template <class Real>
[[nodiscard]] LaneCopies<Real> lane_copies_for(base::InstructionSet set);

}  // namespace tacit::fft::kernels
