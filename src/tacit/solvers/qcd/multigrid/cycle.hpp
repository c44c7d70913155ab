// The cycle of multigrid, for one field or for several at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/at_once/gcr_moves.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_solve.hpp"
#include "tacit/solvers/qcd/multigrid/interpolation.hpp"
#include "tacit/solvers/qcd/multigrid/levels/coarser_level.hpp"
#include "tacit/solvers/qcd/multigrid/schwarz.hpp"
#include "tacit/solvers/qcd/multigrid/settings.hpp"

namespace tacit::qcd::multigrid {

/// What a cycle works with on the fine lattice and the first coarse one; all of it outlives the cycle.
struct Hierarchy {
  FieldSpace<double>& outer;
  const DiracOperator<float>& D;
  const Settings& settings;
  const BlockLoops& loops;
  const Aggregates& aggregates;
  Interpolation& interpolation;
  CoarseOperator& coarse;
  CoarserLevel* coarser;  ///< null: there are two levels
};

/// What D^-1 does to a field, approximately (Multigrid). Of several at once the coarse equations are solved together,
/// and D, P and the smoother read links and test vectors once for all of them; each has the bits that it has alone.
class Cycle final : public Preconditioner<double> {
 public:
  /// @param most  fields at once at most, as DiracAtOnce has it. All ranks make it
  Cycle(const Hierarchy& on, std::size_t most);

  /// z <- an approximate D^-1 r of each. All ranks call it with as many.
  void apply(InFields<double> r, OutFields<double> z) override;
  [[nodiscard]] const std::string& failure(std::size_t which) const noexcept override { return failures_[which]; }
  /// The same in single precision, of fields whose norms are some 1.
  void run(InFields<float> b, OutFields<float> x);
  /// x <- P y, smoothed as an approximate solution of D x = b, of each vector that is chosen in operators().
  void correct(InFields<float> b, const CoarseVector& y, OutFields<float> x);

  [[nodiscard]] Schwarz& smoother() noexcept { return smoother_; }
  [[nodiscard]] CoarseSolve& coarse_solve() noexcept { return coarse_solve_; }
  /// Of the coarse lattice, for as many.
  [[nodiscard]] CoarseOperator& coarse() noexcept { return coarse_; }
  /// Iterations on the first coarse lattice, and cycles, of all fields.
  [[nodiscard]] std::uint64_t coarse_iterations() const noexcept { return coarse_iterations_; }
  [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }

 private:
  Hierarchy on_;
  FieldSpace<float>& space_;
  FieldsAtOnce<double> outer_;
  Schwarz smoother_;
  std::optional<CoarseOperator> many_;
  CoarseOperator& coarse_;
  std::unique_ptr<LevelCycle> coarser_;
  CoarseSolve coarse_solve_;
  CoarseVector b_;
  CoarseVector y_;
  std::vector<Field<float>> in_;
  std::vector<Field<float>> out_;
  std::vector<Field<float>> r_;
  // Of the present call, here so that it allocates nothing.
  std::vector<const Field<float>*> ins_;
  std::vector<Field<float>*> outs_;
  std::vector<const Field<float>*> of_x_;
  std::vector<Field<float>*> of_r_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::string> failures_;
  std::uint64_t coarse_iterations_ = 0;
  std::uint64_t cycles_ = 0;
};

}  // namespace tacit::qcd::multigrid
