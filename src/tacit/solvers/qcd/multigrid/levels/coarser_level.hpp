// A coarse lattice below a coarse one: the K-cycle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/multigrid/coarse_solve.hpp"
#include "tacit/solvers/qcd/multigrid/levels/coarse_interpolation.hpp"
#include "tacit/solvers/qcd/multigrid/settings.hpp"

namespace tacit::qcd::multigrid {

/// The next coarser lattice of a coarse one, with P and operator, and those below it.
class CoarserLevel {
 public:
  /// @param fine  the operator on the finer of both lattices, of level fine.level(); outlives this, as division does
  /// @param blocks  extents of aggregates of it, then of its coarser one, and so on: at least one
  CoarserLevel(CoarseOperator& fine, const Division& division, const Settings& settings,
               std::span<const Coordinates> blocks);

  /// Makes P and all coarser operators of test vectors of the finer lattice, which are smoothed before. All ranks call
  /// it. @throws engine::NumericsError where it fails, with the level and why
  void set_up(std::vector<CoarseVector> vectors);

  [[nodiscard]] const Aggregates& aggregates() const noexcept { return aggregates_; }
  [[nodiscard]] CoarseInterpolation& interpolation() noexcept { return interpolation_; }
  [[nodiscard]] CoarseOperator& coarse() noexcept { return coarse_; }
  /// Null: this is the coarsest.
  [[nodiscard]] CoarserLevel* next() noexcept { return next_.get(); }
  /// Iterations on this lattice so far, in cycles.
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  void count(std::size_t iterations) noexcept { iterations_ += iterations; }

 private:
  void smooth(CoarseVector& vector);
  void normalise(CoarseVector& vector);

  CoarseOperator& fine_;
  std::size_t setup_smoothing_;
  Aggregates aggregates_;
  CoarseInterpolation interpolation_;
  CoarseOperator coarse_;
  std::unique_ptr<CoarserLevel> next_;
  CoarseSolve smoother_;
  CoarseSums sums_;
  CoarseVector whole_;  // of all sites of the finer lattice
  std::uint64_t iterations_ = 0;
};

/// What multigrid does for the solve of a coarse lattice, by a coarser one and those below it. What is solved are the
/// odd sites of the finer of both, S y = r; for these
///
///     P^+ D P c = P^+ (0, r)  by a solve of the coarser lattice, of a few iterations;
///     y = D_oo (P c)_o;    y <- y + M (r - S y)
///
/// where M, the smoother, is some iterations of GMRES. The solve of the coarser lattice has the next level as its
/// preconditioner, if there is one, and so on down (K-cycle); the coarsest is solved to multigrid.coarse_tolerance.
///
/// Of several vectors at once those are solved for that are chosen in the operator on the finer lattice.
/// @see Notay & Vassilevski (2008), Numer. Linear Algebra Appl. 15, 473; Frommer et al. (2014), SIAM J. Sci. Comput.
///      36, A1581
class LevelCycle final : public CoarsePreconditioner {
 public:
  /// @param level  outlives this   @param fine  the operator that it is for, for any number of vectors: outlives this
  LevelCycle(CoarserLevel& level, CoarseOperator& fine, const Division& division, const Settings& settings);

  void apply(const CoarseVector& r, CoarseVector& z) override;
  /// Why a solve of this level or of a coarser one was of no use to a vector since `forget_failures`; else empty.
  [[nodiscard]] const std::string& failure(std::size_t which) const noexcept;
  void forget_failures() noexcept;

 private:
  CoarserLevel& level_;
  CoarseOperator& fine_;
  std::optional<CoarseOperator> many_;  // for several vectors at once
  CoarseOperator& coarse_;
  std::unique_ptr<LevelCycle> next_;
  CoarseSolve solve_;
  CoarseSolve smoother_;
  CoarseVector whole_;  // of all sites of the finer lattice
  CoarseVector r_;      // of what is solved there
  CoarseVector e_;
  CoarseVector b_;  // of the coarser lattice
  CoarseVector c_;
  std::vector<std::string> failures_;
};

/// For so many vectors at once: the operator itself, or one that is made of it.
[[nodiscard]] CoarseOperator& operator_for(CoarseOperator& of, const Division& division, std::size_t vectors,
                                           std::optional<CoarseOperator>& made);

/// How a coarse solve ends: by iterations alone where it has a coarser level, as that of a K-cycle.
[[nodiscard]] CoarseOptions coarse_options(const Settings& settings, bool is_coarsest);

/// What to say of a coarse solve that stagnates.
[[nodiscard]] std::string stagnation(const CoarseSolve& solve, std::size_t which = 0);

}  // namespace tacit::qcd::multigrid
