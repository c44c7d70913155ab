// Adaptive aggregation multigrid, as a preconditioner: start reading here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"
#include "tacit/solvers/qcd/multigrid/cycle.hpp"
#include "tacit/solvers/qcd/multigrid/interpolation.hpp"
#include "tacit/solvers/qcd/multigrid/levels/coarser_level.hpp"
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
class Multigrid {
 public:
  /// @param space  of the fields that it is applied to, folded as it may be   @param D  in single precision, outlives
  ///               this, as space does. All ranks make it
  /// @throws engine::NumericsError where the set-up fails, with the level and why
  Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings);
  /// The same with a set-up that was made before. @param vectors  test_vectors()
  Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings,
            std::vector<Field<float>> vectors);

  /// z <- an approximate D^-1 r of one field at a time.
  [[nodiscard]] Cycle& cycle() noexcept { return cycle_; }
  /// The same of several at once; made when it is first asked for, by all ranks, with as many as there may be.
  [[nodiscard]] Cycle& cycle_of(std::size_t most);
  [[nodiscard]] Interpolation& interpolation() noexcept { return interpolation_; }
  /// Of which all levels are made; kept where Settings::writes_setup, else none.
  [[nodiscard]] const std::vector<Field<float>>& test_vectors() const noexcept { return test_vectors_; }
  [[nodiscard]] CoarseOperator& coarse() noexcept { return coarse_; }
  [[nodiscard]] const Aggregates& aggregates() const noexcept { return aggregates_; }
  /// The third level and those below it; null: there are two.
  [[nodiscard]] CoarserLevel* coarser() noexcept { return coarser_.get(); }

 private:
  enum class SetUp : std::uint8_t { make, leave };
  Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings, SetUp what);
  void set_up();
  void improve(std::vector<Field<float>>& vectors, std::size_t iteration);
  void keep(std::vector<Field<float>> vectors);
  void make_coarse(const std::vector<Field<float>>& vectors);
  void make_coarser(const std::vector<Field<float>>& vectors);
  void normalise(Field<float>& x);
  [[nodiscard]] Hierarchy hierarchy() noexcept;

  FieldSpace<double>& outer_;
  const DiracOperator<float>& D_;
  FieldSpace<float>& space_;
  Settings settings_;
  BlockLoops loops_;
  Aggregates aggregates_;
  Interpolation interpolation_;
  CoarseOperator coarse_;
  std::unique_ptr<CoarserLevel> coarser_;
  Cycle cycle_;
  std::unique_ptr<Cycle> many_;
  std::size_t most_ = 1;  // fields of that
  std::vector<Field<float>> test_vectors_;
};

}  // namespace tacit::qcd::multigrid
