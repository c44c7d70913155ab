// Several right-hand sides that are solved for at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tacit/solvers/qcd/at_once/dirac_at_once.hpp"
#include "tacit/solvers/qcd/at_once/gcr_moves.hpp"
#include "tacit/solvers/qcd/solve.hpp"

namespace tacit::qcd {

/// Solves of D x = b for several b by GCR with a preconditioner, iteration by iteration: those that still run are
/// advanced together, with one message for each face and one sum in place of one for each of them. Each has the bits of
/// a solve by itself (make_solve with Method::multigrid); one that has converged or failed drops out.
///
///     SolvesAtOnce solves(D, multigrid.cycle_of(12), 12, options);
///     solves.begin(b);
///     while (solves.is_running()) solves.iterate();
///     use(solves[0].x());
///
/// Memory: of each solve four fields, and two for each direction, of which there are up to 24.
///
/// Solve::fields() of one are those of the directions that its numbers() say: these are to be read first.
class SolvesAtOnce {
 public:
  /// @param D, preconditioner  outlive this; the latter is for as many fields   @param most  solves at most. All ranks
  ///        make it; on several ranks one at a time
  SolvesAtOnce(const DiracOperator<double>& D, Preconditioner<double>& preconditioner, std::size_t most,
               const SolveOptions& options);
  ~SolvesAtOnce();
  SolvesAtOnce(const SolvesAtOnce&) = delete;
  SolvesAtOnce& operator=(const SolvesAtOnce&) = delete;

  /// Begins all at x = 0. @throws as Solve::begin
  void begin(std::span<const Field<double>> b);
  /// An iteration of each that runs. All ranks call it. @pre one runs
  void iterate();
  [[nodiscard]] bool is_running() const noexcept { return running() > 0; }
  [[nodiscard]] std::size_t running() const noexcept;
  /// Of how many right-hand sides `begin` was given.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] Solve& operator[](std::size_t which) noexcept;
  [[nodiscard]] const Solve& operator[](std::size_t which) const noexcept;

 private:
  class One;
  std::vector<std::unique_ptr<One>> all_;
  std::size_t count_ = 0;
  DiracAtOnce<double> D_;
  GcrMoves<double> moves_;
  std::vector<GcrMove<double>> moving_;
  std::vector<One*> of_;  // which solve each of these is
};

}  // namespace tacit::qcd
