// What goes between fine and coarse: test vectors, orthonormal in each aggregate and chirality.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/qcd/at_once/fields_at_once.hpp"
#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"

namespace tacit::qcd::multigrid {

/// P, whose columns in an aggregate are the test vectors there, of each chirality apart: column 2 v + c of vector v, on
/// spins 0 and 1 (c = 0) or 2 and 3. So gamma_5 P = P sigma_3, and P^+ D P is gamma_5-hermitian as D is.
/// @see Babich et al. (2010), Phys. Rev. Lett. 105, 201602; Frommer et al. (2014), SIAM J. Sci. Comput. 36, A1581
class Interpolation {
 public:
  /// @param space, aggregates  outlive this
  Interpolation(FieldSpace<float>& space, const Aggregates& aggregates, const BlockLoops& loops, std::size_t vectors);

  [[nodiscard]] std::size_t width() const noexcept { return chiralities * fields_.size(); }
  /// Takes these vectors, and makes them orthonormal by Gram-Schmidt. All ranks call it.
  /// @throws engine::NumericsError if on an aggregate one is a combination of those before it
  void take(const std::vector<Field<float>>& vectors);
  /// The vectors, orthonormal on each aggregate and chirality.
  [[nodiscard]] const std::vector<Field<float>>& fields() const noexcept { return fields_; }
  /// coarse <- P^+ psi: of the aggregates of this rank
  void restrict_to(const Field<float>& psi, CoarseVector& coarse);
  /// psi <- psi + P coarse
  void prolong(const CoarseVector& coarse, Field<float>& psi);
  /// The same of several fields at once, for each of which a block of P is read once. @param on  for several vectors,
  /// of which as many are chosen as there are fields: their places in `coarse`
  void restrict_to(InFields<float> psi, const CoarseOperator& on, CoarseVector& coarse);
  void prolong(const CoarseVector& coarse, const CoarseOperator& on, OutFields<float> psi);
  /// The matrices of the aggregates of this rank become those of P^+ D P. All ranks call it.
  /// @throws as CoarseOperator::complete
  /// @param block  the operator inside of blocks, as D has it
  void project(const DiracOperator<float>& D, const BlockOperator& block, CoarseOperator& coarse);

 private:
  [[nodiscard]] Columns columns(std::size_t first, std::size_t count) const noexcept;
  void sum_blocks(const Columns& by, std::uint32_t sites, const Field<float>& psi);
  void restrict_by(const Columns& by, const Field<float>& psi, std::span<float> coarse);
  void prolong_by(const Columns& by, std::span<const float> coarse, float sign, Field<float>& psi);
  [[nodiscard]] std::size_t room_for(std::size_t fields);
  [[nodiscard]] double normalise(std::size_t vector);
  void add_column(std::size_t column, std::size_t direction, CoarseOperator& coarse);

  FieldSpace<float>& space_;
  const Aggregates& aggregates_;
  BlockLoops loops_;
  std::vector<Field<float>> fields_;
  std::vector<const float*> pointers_;
  base::PackVector<float> sums_;     // of blocks: [block][column][chirality][re, im][lane]
  base::PackVector<float> many_;     // the same of several fields: [field]...
  base::PackVector<float> factors_;  // [block][chirality][lane]
  std::vector<float> overlaps_;      // of aggregates: [aggregate][column][re, im]
  base::PackVector<float> inside_;   // of aggregates, while D is projected: hops forward that stay in them
};

}  // namespace tacit::qcd::multigrid
