// The gamma matrices, one element in each row: what measurements and the clover term compute with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "tacit/solvers/qcd/lattice.hpp"
#include "tacit/solvers/qcd/su3.hpp"

namespace tacit::qcd {

/// Row s has `value[s]` in column `column[s]`, and zeros. The matrix is hermitian.
struct GammaRows {
  std::array<std::size_t, 4> column;
  std::array<Complex, 4> value;
};

/// gamma_x, gamma_y, gamma_z, gamma_t in the chiral basis of kernels/dirac.isa.cpp.
[[nodiscard]] inline std::array<GammaRows, axes> gamma_rows() {
  const Complex i(0.0, 1.0);
  return {{{{2, 3, 0, 1}, {-i, i, i, -i}},
           {{3, 2, 1, 0}, {-1.0, 1.0, 1.0, -1.0}},
           {{3, 2, 1, 0}, {-i, -i, i, i}},
           {{2, 3, 0, 1}, {-1.0, -1.0, -1.0, -1.0}}}};
}

/// The diagonal of gamma_5.
inline constexpr std::array<double, 4> gamma5{-1.0, -1.0, 1.0, 1.0};

}  // namespace tacit::qcd
