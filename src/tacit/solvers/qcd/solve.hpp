// Iterative solution of D x = b: one iteration at a time, or to the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/solvers/qcd/dirac_operator.hpp"

namespace tacit::qcd {

/// When a solve ends.
struct SolveOptions {
  double tolerance = 1e-10;              ///< of |b - D x| / |b|
  std::uint64_t max_iterations = 10000;  ///< then it has failed
  std::uint64_t patience = 1000;         ///< it has failed if |r| has not fallen by a hundredth in so many
};

/// One solve, iteration by iteration.
///
///     const auto solve = make_solve(Method::cgnr, D, nullptr, options);
///     solve->begin(b);
///     while (solve->status() == Solve::Status::running) solve->iterate();
///
/// The residual of the recursion decides when b - D x itself is computed; where that is not small enough, iterations go
/// on from there. Memory: four fields and those of the method; `iterate` allocates nothing.
class Solve {
 public:
  enum class Status : std::uint8_t { running, converged, failed };

  /// @param matrix  outlives this
  Solve(const LinearOperator<double>& matrix, const SolveOptions& options);
  virtual ~Solve() = default;
  Solve(const Solve&) = delete;
  Solve& operator=(const Solve&) = delete;

  /// Begins at x = 0. @throws engine::NumericsError if b is 0 or not finite
  void begin(const Field<double>& b);
  /// The same with residuals relative to another norm, as of the b from which that of a Schur complement was made.
  void begin(const Field<double>& b, double norm);
  /// @pre it is running
  void iterate();

  [[nodiscard]] Status status() const noexcept { return status_; }
  /// Why it has failed.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  /// @pre it has converged
  [[nodiscard]] const Field<double>& x() const noexcept { return x_; }
  [[nodiscard]] std::uint64_t iterations() const noexcept { return history_.size(); }
  /// |r| / |b| of the recursion after each iteration.
  [[nodiscard]] const std::vector<double>& history() const noexcept { return history_; }
  [[nodiscard]] double residual() const noexcept { return history_.empty() ? 1.0 : history_.back(); }
  /// |b - D x| / |b|, when it was computed last; 1 before.
  [[nodiscard]] double true_residual() const noexcept { return true_residual_; }

  /// Fields and numbers that a solve goes on from, beside b and the history, each by its name.
  [[nodiscard]] std::vector<std::pair<std::string, Field<double>*>> fields();
  [[nodiscard]] std::vector<std::pair<std::string, double*>> numbers();
  /// Those in single precision; both they and `fields` are of the same sites.
  [[nodiscard]] virtual std::vector<std::pair<std::string, Field<float>*>> single_fields() { return {}; }
  /// All of these have been read. @pre begin was called with the same b
  void resume(std::vector<double> history);
  /// The same of one that had converged: x is the solution.
  void resume_converged(std::vector<double> history);

 protected:
  [[nodiscard]] const LinearOperator<double>& matrix() const noexcept { return matrix_; }
  [[nodiscard]] FieldSpace<double>& space() const noexcept { return matrix_.space(); }
  void fail(std::string why);
  /// What to do where the residual does not fall.
  [[nodiscard]] virtual std::string_view advice() const = 0;
  /// |r| at which a solve ends.
  [[nodiscard]] double target() const noexcept { return options_.tolerance * norm_b_; }
  /// |b - D x|. @param rest  becomes b - D x
  [[nodiscard]] double rest_of(const Field<double>& x, Field<double>& rest) const;
  /// The method's own fields and numbers.
  virtual void add_state(std::vector<std::pair<std::string, Field<double>*>>& fields) = 0;
  virtual void add_state(std::vector<std::pair<std::string, double*>>& numbers) = 0;
  /// Starts again from x and r, without the directions so far.
  virtual void restart() = 0;
  /// Advances x and r. @return |r|^2
  [[nodiscard]] virtual double advance() = 0;

  Field<double> x_;
  Field<double> r_;

 private:
  void look_at_true_residual();
  void look_at_progress();

  const LinearOperator<double>& matrix_;
  SolveOptions options_;
  Status status_ = Status::running;
  std::string failure_;
  Field<double> b_;
  Field<double> rest_;
  int unit_ = 0;         // b, x and r are in units of this power of two until it has converged
  double norm_b_ = 0.0;  // in that unit
  double true_residual_ = 1.0;
  double checked_ = 1.0;  // the true residual from which iterations went on
  std::vector<double> history_;
};

/// How a solve is done.
enum class Method : std::uint8_t { cgnr, bicgstab, gcr, multigrid, apply };
/// In which precision its iterations are: in mixed, single, with reliable updates in double.
enum class Precision : std::uint8_t { whole, mixed };

template <class T>
class Preconditioner;

/// @pre method is one that solves
/// @param single  the same operator in single precision, of a solve in mixed precision: it outlives that; else null
/// @param preconditioner  of Method::multigrid, whose iterations are in double precision: outlives it; else null
[[nodiscard]] std::unique_ptr<Solve> make_solve(Method method, const LinearOperator<double>& matrix,
                                                const LinearOperator<float>* single, const SolveOptions& options,
                                                Preconditioner<double>* preconditioner = nullptr);
/// Fields that a checkpoint has of an unfinished one.
[[nodiscard]] std::size_t kept_fields(Method method, Precision precision) noexcept;

/// What came of a solve.
struct Solution {
  Field<double> x;
  std::uint64_t iterations = 0;
  double true_residual = 0.0;   ///< |b - D x| / |b| in double precision
  std::vector<double> history;  ///< |r| / |b| after each iteration
};

/// Solves D x = b.
///
///     FieldSpace<double> space(field.extents, kernels::loops_for<double>(most_lanes(field.extents)), scheduler);
///     const DiracOperator<double> D(space, field, {.mass = -0.5});
///     const Solution found = solve(D, b, {.tolerance = 1e-10});
///
/// @throws engine::NumericsError if b is 0, the operator is singular, or the residual does not fall
[[nodiscard]] Solution solve(const LinearOperator<double>& matrix, const Field<double>& b,
                             const SolveOptions& options = {});
/// The same by way of its Schur complement: some half of the iterations.
[[nodiscard]] Solution solve(const DiracOperator<double>& dirac, const SchurOperator<double>& schur,
                             const Field<double>& b, const SolveOptions& options = {});

/// |b - D x| / |b|. @param rest  becomes b - D x
[[nodiscard]] double true_residual(const LinearOperator<double>& matrix, const Field<double>& b, const Field<double>& x,
                                   Field<double>& rest);

}  // namespace tacit::qcd
