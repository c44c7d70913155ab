// What goes between a coarse lattice and the next coarser one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"

namespace tacit::qcd::multigrid {

/// P of a coarse lattice, as Interpolation is that of the fine one: column 2 v + c of an aggregate is test vector v on
/// rows of chirality c, the even ones or the odd ones, so that sigma_3 P = P sigma_3. Columns are orthonormal on each
/// aggregate.
class CoarseInterpolation {
 public:
  /// @param fine        the operator on the finer of both lattices, outlives this
  /// @param aggregates  of its sites, outlives this
  CoarseInterpolation(CoarseOperator& fine, const Aggregates& aggregates, std::size_t vectors);

  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  /// Takes these vectors, and makes them orthonormal by Gram-Schmidt in double precision. All ranks call it.
  /// @throws engine::NumericsError if on an aggregate one is a combination of those before it, with the level
  void take(const std::vector<CoarseVector>& vectors);
  /// coarse <- P^+ fine, of this rank
  void restrict_to(const CoarseVector& fine, CoarseVector& coarse) const { restrict_to(fine_, fine, coarse); }
  /// fine <- fine + P coarse
  void prolong(const CoarseVector& coarse, CoarseVector& fine) const { prolong(fine_, coarse, fine); }
  /// The same of those vectors that are chosen in an operator for several at once, on the finer lattice.
  void restrict_to(const CoarseOperator& on, const CoarseVector& fine, CoarseVector& coarse) const;
  void prolong(const CoarseOperator& on, const CoarseVector& coarse, CoarseVector& fine) const;
  /// The matrices of the coarser operator become those of P^+ D P. All ranks call it.
  /// @throws as CoarseOperator::complete
  void project(CoarseOperator& coarse);

 private:
  [[nodiscard]] float* column(std::size_t site, std::size_t number) noexcept {
    return columns_.data() + (site * width_ + number) * fine_.shape().vector();
  }
  [[nodiscard]] const float* column(std::size_t site, std::size_t number) const noexcept {
    return columns_.data() + (site * width_ + number) * fine_.shape().vector();
  }
  void add_products(std::size_t site, const float* fine, std::span<double> sums) const;
  [[nodiscard]] std::size_t make_orthonormal(std::size_t aggregate, const std::vector<CoarseVector>& vectors);

  CoarseOperator& fine_;
  const Aggregates& aggregates_;
  std::size_t width_;
  base::PackVector<float>
      columns_;  // [site of the finer lattice][column][re, im][row], 0 in rows of the other chirality
};

}  // namespace tacit::qcd::multigrid
