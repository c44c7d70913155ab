// GMRES on the coarse lattice.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {
namespace {

/// Directions, and what is projected on them.
constexpr std::size_t most_vectors = CoarseSums::most / 2 - 1;

}  // namespace

CoarseSolve::CoarseSolve(CoarseOperator& matrix, const CoarseOptions& options)
    : matrix_(matrix),
      options_(options),
      sums_(matrix.ranks(), matrix.transport().add),
      v_(options.restart + 1, matrix.make_solved()),
      y_(matrix.make_solved()),
      rhs_(matrix.make_solved()),
      h_(options.restart, std::vector<Complex>(options.restart + 1)),
      cosines_(options.restart),
      sines_(options.restart),
      g_(options.restart + 1),
      z_(options.restart),
      factors_(2 * (options.restart + 1)) {
  TACIT_EXPECT(options.restart < most_vectors);
  history_.reserve(options.iterations);
}

std::size_t CoarseSolve::run(const CoarseVector& b, CoarseVector& x) {
  history_.clear();
  std::ranges::fill(y_, 0.0F);
  matrix_.prepare(b, rhs_);
  std::ranges::copy(rhs_, v_[0].begin());
  End end = run_cycle(b);
  while (end == End::goes_on) {
    matrix_.apply_solved(y_, v_[0]);
    for (std::size_t k = 0; k < v_[0].size(); ++k) v_[0][k] = rhs_[k] - v_[0][k];
    end = run_cycle(b);
  }
  x.resize(b.size());
  matrix_.reconstruct(b, y_, x);
  return history_.size();
}

/// From the residual on, which is in v_[0].
CoarseSolve::End CoarseSolve::run_cycle(const CoarseVector& b) {
  std::ranges::fill(g_, 0.0);
  End end = End::goes_on;
  count_ = 0;
  while (count_ < options_.restart && end == End::goes_on) {
    const std::size_t j = count_++;
    matrix_.apply_solved(v_[j], v_[j + 1]);
    project(j, j == 0 && history_.empty() ? &b : nullptr);
    if (j == 0) {
      const double length = std::abs(g_[0]);
      if (length == 0.0 || !std::isfinite(length)) {
        count_ = 0;
        if (length != 0.0) history_.push_back(length);
        return End::nothing;
      }
    }
    const double left = subtract(j);
    rotate(j, left);
    history_.push_back(std::abs(g_[j + 1]) / norm_b_);
    // What is left of A v may be 0: then y is exact.
    const bool is_last =
        !(history_.back() > options_.tolerance) || history_.size() >= options_.iterations || left == 0.0;
    if (is_last) end = End::last;
  }
  combine();
  return end;
}

/// One sum over ranks: h_[j] <- v_i^+ w for all i <= j, and behind them |w|^2, for w = v_[j + 1].
/// @param with_first  also |v_0|^2   @param b  also |b|^2, unless null
void CoarseSolve::measure(std::size_t j, bool with_first, const CoarseVector* b) {
  const CoarseShape& shape = matrix_.shape();
  const std::size_t numbers = shape.vector();
  const std::size_t begin = matrix_.first_solved();
  const std::size_t dots = j + 2;
  const std::size_t of_first = 2 * dots;
  const std::size_t of_b = of_first + 1;
  sums_.begin(b != nullptr ? of_b + 1 : with_first ? of_b : of_first);
  const auto add_terms = [&](std::size_t first, std::size_t last) {
    CoarseSums::Terms terms;
    std::array<const float*, most_vectors> v{};
    std::array<float, 2 * most_vectors> found{};
    const auto add_square = [&](const float* of, std::size_t sum) {
      matrix_.loops().dots(shape, &of, 1, of, found.data());
      terms.add(sum, static_cast<double>(found[0]));
    };
    for (std::size_t k = first; k < last; ++k) {
      if (b != nullptr) add_square(b->data() + k * numbers, of_b);
      if (k < begin) continue;
      for (std::size_t i = 0; i < dots; ++i) v[i] = v_[i].data() + (k - begin) * numbers;
      if (with_first) add_square(v[0], of_first);
      matrix_.loops().dots(shape, v.data(), dots, v[dots - 1], found.data());
      for (std::size_t i = 0; i < 2 * dots; ++i) terms.add(i, static_cast<double>(found[i]));
    }
    sums_.merge(terms);
  };
  tasks::parallel_for(matrix_.scheduler(), b != nullptr ? 0 : begin, matrix_.aggregates().count(), add_terms);
  sums_.run();
  for (std::size_t i = 0; i < dots; ++i) h_[j][i] = {sums_.value(2 * i), sums_.value(2 * i + 1)};
  if (b != nullptr) norm_b_ = std::sqrt(sums_.value(of_b));
}

/// The length of the first direction, which is not 1 yet, comes with its projections, as g_[0]: all are then as if it
/// were 1.
void CoarseSolve::project(std::size_t j, const CoarseVector* b) {
  measure(j, j == 0, b);
  if (j != 0) return;
  const double square = sums_.value(4);
  const double length = std::sqrt(square);
  g_[0] = length;
  if (length == 0.0) return;
  h_[0][0] /= square;
  h_[0][1] /= square;
  scale(0, 1.0 / length);
  scale(1, 1.0 / length);
}

/// w <- w - sum_i h_i v_i. @return |w|^2 then, by Pythagoras
double CoarseSolve::take_away(std::size_t j) {
  double square = h_[j][j + 1].real();
  for (std::size_t i = 0; i <= j; ++i) {
    square -= std::norm(h_[j][i]);
    factors_[2 * i] = static_cast<float>(-h_[j][i].real());
    factors_[2 * i + 1] = static_cast<float>(-h_[j][i].imag());
  }
  add_directions(j + 1, v_[j + 1]);
  return square;
}

/// w <- what is left of it, of length 1, with what `project` has found; projected once more where that is short.
/// @return its length before
double CoarseSolve::subtract(std::size_t j) {
  constexpr double short_square = 1e-3;  // of |w|^2: rounding is then 2e-6 of what is left
  const double whole = h_[j][j + 1].real();
  double square = take_away(j);
  if (square <= short_square * whole) {
    std::ranges::copy(std::span(h_[j]).first(j + 1), z_.begin());
    measure(j, false, nullptr);
    square = take_away(j);
    for (std::size_t i = 0; i <= j; ++i) h_[j][i] += z_[i];
  }
  const double left = std::sqrt(std::max(square, 0.0));
  if (left > 0.0) scale(j + 1, 1.0 / left);
  return left;
}

/// to <- to + sum_i factors_i v_i over so many directions
void CoarseSolve::add_directions(std::size_t directions, CoarseVector& to) {
  const CoarseShape& shape = matrix_.shape();
  const std::size_t count = matrix_.aggregates().count() - matrix_.first_solved();
  tasks::parallel_for(matrix_.scheduler(), 0, count, [&](std::size_t k) {
    std::array<const float*, most_vectors> v{};
    const std::size_t at = k * shape.vector();
    for (std::size_t i = 0; i < directions; ++i) v[i] = v_[i].data() + at;
    matrix_.loops().add(shape, v.data(), factors_.data(), directions, to.data() + at);
  });
}

void CoarseSolve::scale(std::size_t v, double factor) {
  const auto by = static_cast<float>(factor);
  for (float& value : v_[v]) value *= by;
}

/// y <- y + sum_i z_i v_i, where z solves the triangle.
void CoarseSolve::combine() {
  for (std::size_t i = count_; i-- > 0;) {
    Complex sum = g_[i];
    for (std::size_t k = i + 1; k < count_; ++k) sum -= h_[k][i] * z_[k];
    z_[i] = h_[i][i] == 0.0 ? 0.0 : sum / h_[i][i];
    factors_[2 * i] = static_cast<float>(z_[i].real());
    factors_[2 * i + 1] = static_cast<float>(z_[i].imag());
  }
  add_directions(count_, y_);
}

/// Turns column j of the Hessenberg matrix, below which `norm` is, into one of a triangle, and g with it.
void CoarseSolve::rotate(std::size_t j, double norm) {
  std::vector<Complex>& column = h_[j];
  column[j + 1] = norm;
  for (std::size_t i = 0; i < j; ++i) {
    const Complex upper = cosines_[i] * column[i] + std::conj(sines_[i]) * column[i + 1];
    column[i + 1] = -sines_[i] * column[i] + cosines_[i] * column[i + 1];
    column[i] = upper;
  }
  const double size = std::abs(column[j]);
  const double length = std::sqrt(size * size + norm * norm);
  const Complex phase = size > 0.0 ? column[j] / size : Complex(1.0);
  // A column of zeros makes nothing of the residual smaller.
  cosines_[j] = length > 0.0 ? size / length : 0.0;
  sines_[j] = length > 0.0 ? std::conj(phase) * (norm / length) : Complex(1.0);
  column[j] = phase * length;
  g_[j + 1] = -sines_[j] * g_[j];
  g_[j] *= cosines_[j];
}

bool CoarseSolve::stagnates() const noexcept {
  constexpr double hardly = 0.95;
  return !history_.empty() && !(history_.back() <= hardly);
}

std::string CoarseSolve::report() const {
  std::string text;
  const std::size_t stride = std::max<std::size_t>(1, history_.size() / 8);
  for (std::size_t k = stride - 1; k < history_.size(); k += stride) text += fmt::format(" {:.3g}", history_[k]);
  return fmt::format("on level {}, of {} unknowns, |r| / |b| is {:.3g} after {} iterations (history:{})",
                     matrix_.level() + 1, matrix_.size(), history_.empty() ? 1.0 : history_.back(), history_.size(),
                     text);
}

}  // namespace tacit::qcd::multigrid
