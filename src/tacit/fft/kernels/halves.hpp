// Between the modes of real points and those of half as many complex ones; compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/cpu_features.hpp"

namespace tacit::fft::kernels {

/// The loops of one instruction set. n = 2 h real points x(j) are h complex ones x(2j) + i x(2j + 1), whose modes are
/// Z; X are those of the real points. Complex numbers lie as pairs. A table of factors f(k), k <= h, has their real
/// parts, each twice, and then their imaginary parts, each as its negative and itself.
///
/// Formulas: Press et al., Numerical Recipes, "FFT of real functions". Each number is computed alone, by the same
/// formula wherever it stands, so that all sets give bitwise identical results.
template <class Real>
struct Halves {
  /// X(k) = (Z(k) + Z*(h - k)) / 2 + f(k) (Z(k) - Z*(h - k)) for begin <= k < end, with f(k) = -i/2 exp(-2 pi i k / n).
  /// @param halves  shape (h + 1), where Z(h) = Z(0)   @param modes  X(begin) and on
  void (*split)(std::size_t h, const Real* factors, const Real* halves, std::size_t begin, std::size_t end,
                Real* modes);
  /// Z(k) = X(k) + X*(h - k) + f(k) (X(k) - X*(h - k)) for k < h, with f(k) = i exp(+2 pi i k / n): the way back, twice
  /// as large. The imaginary parts of X(0) and X(h) are taken for zero.
  /// @param modes  shape (h + 1)   @param halves  shape (h)
  void (*join)(std::size_t h, const Real* factors, const Real* modes, Real* halves);
};

template <class Real, class Isa>
[[nodiscard]] Halves<Real> halves_of() noexcept;
/// Those of a set that this processor can use.
template <class Real>
[[nodiscard]] Halves<Real> halves_for(base::InstructionSet set);

}  // namespace tacit::fft::kernels
