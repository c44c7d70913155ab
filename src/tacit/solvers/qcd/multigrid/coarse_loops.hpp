// The loops over the coarse lattice: matrices of an aggregate times vectors, and what Krylov's method does to vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tacit::qcd::multigrid {

/// So many rows are computed with at once in every instruction set: vectors are filled up with zeros to a multiple.
inline constexpr std::size_t coarse_lanes = 16;

/// Rows of a vector of an aggregate with what fills it up.
[[nodiscard]] constexpr std::size_t padded(std::size_t width) noexcept {
  return (width + coarse_lanes - 1) / coarse_lanes * coarse_lanes;
}

/// Complex numbers of an aggregate: so many, of which `width` count and the others are 0.
struct CoarseShape {
  std::size_t width = 0;
  std::size_t rows = 0;  ///< padded(width)
  /// Numbers of a vector: [re, im][row].
  [[nodiscard]] std::size_t vector() const noexcept { return 2 * rows; }
  /// Numbers of a matrix: [column][re, im][row].
  [[nodiscard]] std::size_t matrix() const noexcept { return width * 2 * rows; }
};

/// The loops of one instruction set, all of one aggregate. Sums are in the order of columns, or of coarse_lanes partial
/// sums that are added in pairs: the same bits in each set.
struct CoarseLoops {
  std::size_t lanes = 1;
  /// y <- A x
  void (*multiply)(const CoarseShape&, const float* a, const float* x, float* y);
  /// y <- sigma_3 A^+ sigma_3 x, where sigma_3 is 1 on even rows and -1 on odd ones: what gamma_5 is to P.
  void (*multiply_back)(const CoarseShape&, const float* a, const float* x, float* y);
  /// Both of several vectors, each as by itself: A is read once for as many as registers hold.
  void (*multiply_all)(const CoarseShape&, const float* a, const float* const* x, float* const* y, std::size_t count);
  void (*multiply_back_all)(const CoarseShape&, const float* a, const float* const* x, float* const* y,
                            std::size_t count);
  /// sums <- v_k^+ w for `count` vectors v_k: [k][re, im]
  void (*dots)(const CoarseShape&, const float* const* v, std::size_t count, const float* w, float* sums);
  /// w <- w + sum_k factor_k v_k, factors [k][re, im]
  void (*add)(const CoarseShape&, const float* const* v, const float* factors, std::size_t count, float* w);
};

template <class Isa>
[[nodiscard]] CoarseLoops coarse_loops_of() noexcept;

/// Those of the widest packs, or of at most so many lanes.
[[nodiscard]] CoarseLoops coarse_loops(std::size_t most_lanes = coarse_lanes);

}  // namespace tacit::qcd::multigrid
