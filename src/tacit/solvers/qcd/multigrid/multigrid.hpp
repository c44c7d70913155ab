// Adaptive aggregation multigrid, as a preconditioner: start reading here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/methods.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_solve.hpp"
#include "tacit/solvers/qcd/multigrid/interpolation.hpp"
#include "tacit/solvers/qcd/multigrid/levels/coarser_level.hpp"
#include "tacit/solvers/qcd/multigrid/schwarz.hpp"
#include "tacit/solvers/qcd/multigrid/settings.hpp"

namespace tacit::qcd::multigrid {

/// What D^-1 does to a field, approximately: the coarse equations P^+ D P y = P^+ b are solved to a tolerance, x = P y,
/// and x is smoothed by Schwarz's procedure. Where there are more than two levels, the coarse equations are solved to
/// that tolerance with the help of coarser lattices (CoarserLevel). All of it is in single precision.
///
/// Set-up: random vectors, keyed by site, to which the smoother alone is applied as inverse iteration, become the test
/// vectors; then some times the cycle of two levels is applied to all at once, and P is made again from what comes. In
/// the end their restrictions are the test vectors of the next level, and so on.
/// @see Frommer, Kahl, Krieg, Leder & Rottmann (2014), SIAM J. Sci. Comput. 36, A1581
class Multigrid final : public Preconditioner<double> {
 public:
  /// @param space  of the fields that it is applied to, folded as it may be   @param D  in single precision, outlives
  ///               this, as space does. All ranks make it
  /// @throws engine::NumericsError where the set-up fails, with the level and why
  Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings);
  /// The same with a set-up that was made before. @param vectors  test_vectors()
  Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings,
            std::vector<Field<float>> vectors);

  /// z <- an approximate D^-1 r. All ranks call it.
  void apply(const Field<double>& r, Field<double>& z) override;
  [[nodiscard]] const std::string& failure() const noexcept override { return failure_; }

  /// The same in single precision, of a field whose norm is some 1.
  void cycle(const Field<float>& b, Field<float>& x);
  [[nodiscard]] Interpolation& interpolation() noexcept { return interpolation_; }
  /// Of which all levels are made; kept where Settings::writes_setup, else none.
  [[nodiscard]] const std::vector<Field<float>>& test_vectors() const noexcept { return test_vectors_; }
  [[nodiscard]] CoarseOperator& coarse() noexcept { return coarse_; }
  [[nodiscard]] const Aggregates& aggregates() const noexcept { return aggregates_; }
  [[nodiscard]] Schwarz& smoother() noexcept { return smoother_; }
  [[nodiscard]] CoarseSolve& coarse_solve() noexcept { return coarse_solve_; }
  /// The third level and those below it; null: there are two.
  [[nodiscard]] CoarserLevel* coarser() noexcept { return coarser_.get(); }
  /// Iterations on the first coarse lattice, and cycles, since the set-up.
  [[nodiscard]] std::uint64_t coarse_iterations() const noexcept { return coarse_iterations_; }
  [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }

 private:
  enum class SetUp : std::uint8_t { make, leave };
  Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings, SetUp what);
  void set_up();
  void improve(std::vector<Field<float>>& vectors, std::size_t iteration);
  void correct(const Field<float>& b, const CoarseVector& y, Field<float>& x);
  void keep(std::vector<Field<float>> vectors);
  void make_coarse(const std::vector<Field<float>>& vectors);
  void make_coarser(const std::vector<Field<float>>& vectors);
  void normalise(Field<float>& x);

  FieldSpace<double>& outer_;
  const DiracOperator<float>& D_;
  FieldSpace<float>& space_;
  Settings settings_;
  BlockLoops loops_;
  Aggregates aggregates_;
  Schwarz smoother_;
  Interpolation interpolation_;
  CoarseOperator coarse_;
  std::unique_ptr<CoarserLevel> coarser_;
  CoarseSolve coarse_solve_;
  CoarseVector b_;
  CoarseVector y_;
  Field<float> in_;
  Field<float> out_;
  Field<float> r_;
  std::vector<Field<float>> test_vectors_;
  std::string failure_;
  std::uint64_t coarse_iterations_ = 0;
  std::uint64_t cycles_ = 0;
};

}  // namespace tacit::qcd::multigrid
