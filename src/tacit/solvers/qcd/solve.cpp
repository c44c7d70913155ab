// The frame of iterative solves.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"

namespace tacit::qcd {
namespace {

/// |b - A x|, which is left in `rest`.
double norm_of_rest(const LinearOperator<double>& matrix, const Field<double>& b, const Field<double>& x,
                    Field<double>& rest) {
  matrix.apply(x, rest, Conjugate::no);
  matrix.space().xpay(b, -1.0, rest);
  return matrix.space().norm(rest);
}

/// @throws engine::NumericsError if it fails
void run_to_end(Solve& method) {
  while (method.status() == Solve::Status::running) method.iterate();
  if (method.status() == Solve::Status::failed) {
    throw engine::NumericsError(
        fmt::format("the solve failed in iteration {}: {}", method.iterations(), method.failure()));
  }
}

}  // namespace

Solve::Solve(const LinearOperator<double>& matrix, const SolveOptions& options)
    : x_(matrix.make()),
      r_(matrix.make()),
      matrix_(matrix),
      options_(options),
      b_(matrix.make()),
      rest_(matrix.make()) {
  history_.reserve(options.max_iterations);
}

void Solve::begin(const Field<double>& b) { begin(b, space().norm(b)); }

void Solve::begin(const Field<double>& b, double norm) {
  TACIT_EXPECT(b.size() == b_.size());
  if (norm == 0.0) {
    throw engine::NumericsError("the right-hand side is 0: its solution is 0, and no residual is small relative to it");
  }
  if (!std::isfinite(norm)) throw engine::NumericsError("the right-hand side is not finite");
  // In another unit where products of four such numbers would be too small or too large for a double.
  constexpr int most = 100;
  unit_ = std::abs(std::ilogb(norm)) > most ? std::ilogb(norm) : 0;
  norm_b_ = std::ldexp(norm, -unit_);
  std::ranges::transform(b, b_.begin(), [&](double value) { return std::ldexp(value, -unit_); });
  std::ranges::copy(b_, r_.begin());
  std::ranges::fill(x_, 0.0);
  history_.clear();
  true_residual_ = checked_ = 1.0;
  status_ = Status::running;
  failure_.clear();
  restart();
}

void Solve::iterate() {
  TACIT_EXPECT(status_ == Status::running);
  const double rr = advance();
  if (status_ == Status::failed && rr == 0.0) return;  // there was no iteration
  history_.push_back(std::sqrt(rr) / norm_b_);
  if (status_ == Status::failed) return;
  if (!std::isfinite(rr)) return fail("the residual is not finite");
  if (history_.back() <= options_.tolerance) look_at_true_residual();
  if (status_ == Status::running) look_at_progress();
}

/// The recursion drifts from b - D x by rounding. Where it has, iterations start again from there, as long as that
/// helps.
void Solve::look_at_true_residual() {
  true_residual_ = norm_of_rest(matrix_, b_, x_, rest_) / norm_b_;
  if (true_residual_ <= options_.tolerance) {
    status_ = Status::converged;
    for (double& value : x_) value = std::ldexp(value, unit_);
    return;
  }
  if (!(true_residual_ < 0.5 * checked_)) {
    return fail(
        fmt::format("|b - D x| / |b| stays at {:.3g} while the recursion says {:.3g}: rounding allows no less; "
                    "raise solve.tolerance",
                    true_residual_, history_.back()));
  }
  checked_ = true_residual_;
  std::ranges::copy(rest_, r_.begin());
  restart();
}

double Solve::rest_of(const Field<double>& x, Field<double>& rest) const { return norm_of_rest(matrix_, b_, x, rest); }

void Solve::look_at_progress() {
  const std::size_t n = history_.size();
  if (n > options_.patience && history_.back() > 0.99 * history_[n - 1 - options_.patience]) {
    return fail(fmt::format("|r| / |b| = {:.3g} has not fallen by a hundredth in {} iterations (solve.patience): {}",
                            history_.back(), options_.patience, advice()));
  }
  if (n >= options_.max_iterations) {
    fail(
        fmt::format("|r| / |b| = {:.3g} after {} iterations, above solve.tolerance = {:.3g}: a larger mass, or more "
                    "iterations (solve.max_iterations)",
                    history_.back(), n, options_.tolerance));
  }
}

void Solve::fail(std::string why) {
  status_ = Status::failed;
  failure_ = std::move(why);
}

std::vector<std::pair<std::string, Field<double>*>> Solve::fields() {
  std::vector<std::pair<std::string, Field<double>*>> result{{"x", &x_}, {"r", &r_}};
  add_state(result);
  return result;
}

std::vector<std::pair<std::string, double*>> Solve::numbers() {
  std::vector<std::pair<std::string, double*>> result{{"true residual", &true_residual_}, {"checked", &checked_}};
  add_state(result);
  return result;
}

void Solve::resume(std::vector<double> history) {
  history_.assign(history.begin(), history.end());
  history_.reserve(std::max<std::size_t>(options_.max_iterations, history_.size()));
  // A solve that had failed goes on where its options allow more.
  if (!history_.empty()) look_at_progress();
}

void Solve::resume_converged(std::vector<double> history) {
  history_ = std::move(history);
  status_ = Status::converged;
}

double true_residual(const LinearOperator<double>& matrix, const Field<double>& b, const Field<double>& x,
                     Field<double>& rest) {
  return norm_of_rest(matrix, b, x, rest) / matrix.space().norm(b);
}

Solution solve(const LinearOperator<double>& matrix, const Field<double>& b, const SolveOptions& options) {
  const auto method = make_solve(Method::cgnr, matrix, nullptr, options);
  method->begin(b);
  run_to_end(*method);
  return {.x = method->x(),
          .iterations = method->iterations(),
          .true_residual = method->true_residual(),
          .history = method->history()};
}

Solution solve(const DiracOperator<double>& dirac, const SchurOperator<double>& schur, const Field<double>& b,
               const SolveOptions& options) {
  const auto method = make_solve(Method::cgnr, schur, nullptr, options);
  Field<double> odd = schur.make();
  schur.prepare(b, odd);
  method->begin(odd, dirac.space().norm(b));
  run_to_end(*method);
  Solution found{.x = dirac.make(), .iterations = method->iterations(), .history = method->history()};
  schur.reconstruct(b, method->x(), found.x);
  Field<double> rest = dirac.make();
  found.true_residual = true_residual(dirac, b, found.x, rest);
  return found;
}

}  // namespace tacit::qcd
