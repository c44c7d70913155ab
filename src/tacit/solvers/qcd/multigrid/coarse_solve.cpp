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
constexpr std::size_t most_vectors = 40;

/// Sums of an equation: the projections, |w|^2, |v_0|^2 and |b|^2.
constexpr std::size_t sums_of(std::size_t directions) { return 2 * (directions + 1) + 2; }

}  // namespace

CoarseSolve::CoarseSolve(CoarseOperator& matrix, const CoarseOptions& options, CoarsePreconditioner* preconditioner)
    : matrix_(matrix),
      options_(options),
      preconditioner_(preconditioner),
      sums_(matrix.ranks(), matrix.vectors() * sums_of(options.restart), matrix.transport().add),
      v_(options.restart + 1, matrix.make_solved()),
      z_(preconditioner != nullptr ? options.restart : 0, matrix.make_solved()),
      y_(matrix.make_solved()),
      rhs_(matrix.make_solved()),
      equations_(matrix.vectors()),
      factors_(matrix.vectors() * 2 * (options.restart + 1)) {
  TACIT_EXPECT(options.restart < most_vectors);
  chosen_.reserve(matrix.vectors());
  running_.reserve(matrix.vectors());
  for (Equation& one : equations_) {
    one.h.assign(options.restart, std::vector<Complex>(options.restart + 1));
    one.cosines.resize(options.restart);
    one.sines.resize(options.restart);
    one.g.resize(options.restart + 1);
    one.c.resize(options.restart);
    one.history.reserve(options.iterations);
  }
}

std::size_t CoarseSolve::run(const CoarseVector& b, CoarseVector& x) {
  matrix_.prepare(b, rhs_);
  const std::size_t iterations = run_cycles(rhs_, &b, y_);
  x.resize(b.size());
  matrix_.reconstruct(b, y_, x);
  return iterations;
}

std::size_t CoarseSolve::run_solved(const CoarseVector& rhs, CoarseVector& y) { return run_cycles(rhs, nullptr, y); }

bool CoarseSolve::is_running() const noexcept {
  return std::ranges::any_of(equations_, [](const Equation& one) { return one.state == State::running; });
}

void CoarseSolve::choose_running() {
  running_.clear();
  for (const std::uint32_t which : chosen_) {
    if (equations_[which].state == State::running) running_.push_back(which);
  }
  matrix_.choose(running_);
}

/// @param b  of which the norm counts; null: rhs   @return iterations
std::size_t CoarseSolve::run_cycles(const CoarseVector& rhs, const CoarseVector* b, CoarseVector& y) {
  chosen_.assign(matrix_.chosen().begin(), matrix_.chosen().end());
  for (Equation& one : equations_) {
    one.history.clear();
    one.state = State::over;
  }
  for (const std::uint32_t which : chosen_) equations_[which].state = State::running;
  std::ranges::fill(y, 0.0F);
  std::ranges::copy(rhs, v_[0].begin());
  run_cycle(b, y);
  while (is_running()) {
    matrix_.apply_solved(y, v_[0]);
    for (std::size_t k = 0; k < v_[0].size(); ++k) v_[0][k] = rhs[k] - v_[0][k];
    run_cycle(nullptr, y);
  }
  matrix_.choose(chosen_);
  std::size_t iterations = 0;
  for (const Equation& one : equations_) iterations += one.history.size();
  return iterations;
}

/// From the residual on, which is in v_[0]. All equations that are not over have as many directions.
/// @param b  in the first cycle alone
void CoarseSolve::run_cycle(const CoarseVector* b, CoarseVector& y) {
  for (Equation& one : equations_) {
    std::ranges::fill(one.g, 0.0);
    one.count = 0;
  }
  for (std::size_t j = 0; j < options_.restart && is_running(); ++j) {
    if (preconditioner_ != nullptr) preconditioner_->apply(v_[j], z_[j]);
    matrix_.apply_solved(preconditioner_ != nullptr ? z_[j] : v_[j], v_[j + 1]);
    measure({.j = j, .has_first = j == 0, .b = b});
    b = nullptr;
    if (j == 0) begin_directions();
    subtract(j);
    for (std::size_t which = 0; which < equations_.size(); ++which) {
      Equation& one = equations_[which];
      if (one.state == State::over) continue;
      end_iteration(one, j);
      if (one.state == State::over || j + 1 == options_.restart) combine(which, y);
    }
    choose_running();
  }
}

bool CoarseSolve::takes_part(const Equation& one, bool is_again) const noexcept {
  return one.state == State::running && (!is_again || one.is_short);
}

/// One sum over ranks: h_[j] <- v_i^+ w for all i <= j, and behind them |w|^2, for w = v_[j + 1], of each equation.
void CoarseSolve::measure(const Measured& what) {
  const CoarseShape& shape = matrix_.shape();
  const std::size_t begin = matrix_.first_solved();
  const std::size_t dots = what.j + 2;
  const std::size_t of_first = 2 * dots;
  const std::size_t of_b = of_first + 1;
  const std::size_t sums = what.b != nullptr ? of_b + 1 : what.has_first ? of_b : of_first;
  sums_.begin(sums * equations_.size());
  const auto add_terms = [&](std::size_t first, std::size_t last) {
    CoarseSums::Terms terms(sums_);
    std::array<const float*, most_vectors> v{};
    std::array<float, 2 * most_vectors> found{};
    const auto add_square = [&](const float* of, std::size_t sum) {
      matrix_.loops().dots(shape, &of, 1, of, found.data());
      terms.add(sum, static_cast<double>(found[0]));
    };
    for (std::size_t which = 0; which < equations_.size(); ++which) {
      if (!takes_part(equations_[which], what.is_again)) continue;
      const std::size_t sum = which * sums;
      for (std::size_t k = first; k < last; ++k) {
        if (what.b != nullptr) {
          add_square(what.b->data() + k * matrix_.numbers() + which * shape.vector(), sum + of_b);
        }
        if (k < begin) continue;
        const std::size_t at = (k - begin) * matrix_.numbers() + which * shape.vector();
        for (std::size_t i = 0; i < dots; ++i) v[i] = v_[i].data() + at;
        if (what.has_first) add_square(v[0], sum + of_first);
        matrix_.loops().dots(shape, v.data(), dots, v[dots - 1], found.data());
        for (std::size_t i = 0; i < 2 * dots; ++i) terms.add(sum + i, static_cast<double>(found[i]));
      }
    }
    sums_.merge(terms);
  };
  tasks::parallel_for(matrix_.scheduler(), what.b != nullptr ? 0 : begin, matrix_.aggregates().count(), add_terms);
  sums_.run();
  for (std::size_t which = 0; which < equations_.size(); ++which) {
    Equation& one = equations_[which];
    if (!takes_part(one, what.is_again)) continue;
    const std::size_t sum = which * sums;
    for (std::size_t i = 0; i < dots; ++i) one.h[what.j][i] = {sums_.value(sum + 2 * i), sums_.value(sum + 2 * i + 1)};
    if (!what.has_first) continue;
    one.g[0] = std::sqrt(sums_.value(sum + of_first));
    one.square = sums_.value(sum + of_first);
    if (one.history.empty()) {
      one.norm_b = what.b != nullptr ? std::sqrt(sums_.value(sum + of_b)) : one.g[0].real();
    }
  }
}

/// The length of the first direction, which is not 1 yet, has come with its projections: all are then as if it were 1.
void CoarseSolve::begin_directions() {
  for (Equation& one : equations_) {
    if (one.state == State::over) continue;
    const double length = one.g[0].real();
    if (length == 0.0 || !std::isfinite(length)) {
      if (length != 0.0) one.history.push_back(length);
      one.state = State::over;
      continue;
    }
    one.h[0][0] /= one.square;
    one.h[0][1] /= one.square;
    one.scale = static_cast<float>(1.0 / length);
  }
  const std::size_t numbers = matrix_.shape().vector();
  const std::size_t count = matrix_.aggregates().count() - matrix_.first_solved();
  tasks::parallel_for(matrix_.scheduler(), 0, count, [&](std::size_t k) {
    for (std::size_t which = 0; which < equations_.size(); ++which) {
      if (equations_[which].state == State::over) continue;
      const std::size_t at = k * matrix_.numbers() + which * numbers;
      for (std::size_t i = at; i < at + numbers; ++i) {
        v_[0][i] *= equations_[which].scale;
        v_[1][i] *= equations_[which].scale;
        if (preconditioner_ != nullptr) z_[0][i] *= equations_[which].scale;
      }
    }
  });
}

/// |w|^2 of w - sum_i h_i v_i, by Pythagoras.
void CoarseSolve::find_rest(Equation& one, std::size_t j) {
  one.square = one.h[j][j + 1].real();
  for (std::size_t i = 0; i <= j; ++i) one.square -= std::norm(one.h[j][i]);
  const double left = std::sqrt(std::max(one.square, 0.0));
  one.scale = left > 0.0 ? static_cast<float>(1.0 / left) : 1.0F;
}

/// w <- w - sum_i h_i v_i, made of length 1 where it is not projected once more.
void CoarseSolve::take_away(std::size_t j, bool is_again) {
  for (std::size_t which = 0; which < equations_.size(); ++which) {
    const Equation& one = equations_[which];
    if (!takes_part(one, is_again)) continue;
    float* const factors = factors_of(which);
    for (std::size_t i = 0; i <= j; ++i) {
      factors[2 * i] = static_cast<float>(-one.h[j][i].real());
      factors[2 * i + 1] = static_cast<float>(-one.h[j][i].imag());
    }
  }
  const CoarseShape& shape = matrix_.shape();
  const std::size_t count = matrix_.aggregates().count() - matrix_.first_solved();
  tasks::parallel_for(matrix_.scheduler(), 0, count, [&](std::size_t k) {
    std::array<const float*, most_vectors> v{};
    for (std::size_t which = 0; which < equations_.size(); ++which) {
      const Equation& one = equations_[which];
      if (!takes_part(one, is_again)) continue;
      const std::size_t at = k * matrix_.numbers() + which * shape.vector();
      for (std::size_t i = 0; i <= j; ++i) v[i] = v_[i].data() + at;
      float* const w = v_[j + 1].data() + at;
      matrix_.loops().add(shape, v.data(), factors_of(which), j + 1, w);
      if (one.is_short && !is_again) continue;
      for (std::size_t i = 0; i < shape.vector(); ++i) w[i] *= one.scale;
    }
  });
}

/// w <- what is left of it, of length 1, with what `measure` has found; projected once more where that is short.
void CoarseSolve::subtract(std::size_t j) {
  constexpr double short_square = 1e-3;  // of |w|^2: rounding is then 2e-6 of what is left
  bool is_any_short = false;
  for (Equation& one : equations_) {
    one.is_short = false;
    if (one.state == State::over) continue;
    find_rest(one, j);
    one.is_short = one.square <= short_square * one.h[j][j + 1].real();
    if (!one.is_short) continue;
    is_any_short = true;
    std::copy_n(one.h[j].begin(), j + 1, one.c.begin());
  }
  take_away(j, false);
  if (!is_any_short) return;
  measure({.j = j, .is_again = true});
  for (Equation& one : equations_) {
    if (takes_part(one, true)) find_rest(one, j);
  }
  take_away(j, true);
  for (Equation& one : equations_) {
    if (!takes_part(one, true)) continue;
    for (std::size_t i = 0; i <= j; ++i) one.h[j][i] += one.c[i];
  }
}

void CoarseSolve::end_iteration(Equation& one, std::size_t j) {
  const double left = std::sqrt(std::max(one.square, 0.0));
  one.count = j + 1;
  rotate(one, j, left);
  one.history.push_back(std::abs(one.g[j + 1]) / one.norm_b);
  // What is left of A v may be 0: then y is exact.
  const bool is_last =
      !(one.history.back() > options_.tolerance) || one.history.size() >= options_.iterations || left == 0.0;
  if (is_last) one.state = State::over;
}

/// to <- to + sum_i factors_i of_i over so many directions of an equation
void CoarseSolve::add_directions(const std::vector<CoarseVector>& of, std::size_t which, std::size_t directions,
                                 CoarseVector& to) {
  const CoarseShape& shape = matrix_.shape();
  const std::size_t count = matrix_.aggregates().count() - matrix_.first_solved();
  tasks::parallel_for(matrix_.scheduler(), 0, count, [&](std::size_t k) {
    std::array<const float*, most_vectors> v{};
    const std::size_t at = k * matrix_.numbers() + which * shape.vector();
    for (std::size_t i = 0; i < directions; ++i) v[i] = of[i].data() + at;
    matrix_.loops().add(shape, v.data(), factors_of(which), directions, to.data() + at);
  });
}

/// y <- y + sum_i c_i v_i, where c solves the triangle; of M v_i where there is a preconditioner.
void CoarseSolve::combine(std::size_t which, CoarseVector& y) {
  Equation& one = equations_[which];
  for (std::size_t i = one.count; i-- > 0;) {
    Complex sum = one.g[i];
    for (std::size_t k = i + 1; k < one.count; ++k) sum -= one.h[k][i] * one.c[k];
    one.c[i] = one.h[i][i] == 0.0 ? 0.0 : sum / one.h[i][i];
    factors_of(which)[2 * i] = static_cast<float>(one.c[i].real());
    factors_of(which)[2 * i + 1] = static_cast<float>(one.c[i].imag());
  }
  add_directions(preconditioner_ != nullptr ? z_ : v_, which, one.count, y);
}

/// Turns column j of the Hessenberg matrix, below which `norm` is, into one of a triangle, and g with it.
void CoarseSolve::rotate(Equation& one, std::size_t j, double norm) {
  std::vector<Complex>& column = one.h[j];
  column[j + 1] = norm;
  for (std::size_t i = 0; i < j; ++i) {
    const Complex upper = one.cosines[i] * column[i] + std::conj(one.sines[i]) * column[i + 1];
    column[i + 1] = -one.sines[i] * column[i] + one.cosines[i] * column[i + 1];
    column[i] = upper;
  }
  const double size = std::abs(column[j]);
  const double length = std::sqrt(size * size + norm * norm);
  const Complex phase = size > 0.0 ? column[j] / size : Complex(1.0);
  // A column of zeros makes nothing of the residual smaller.
  one.cosines[j] = length > 0.0 ? size / length : 0.0;
  one.sines[j] = length > 0.0 ? std::conj(phase) * (norm / length) : Complex(1.0);
  column[j] = phase * length;
  one.g[j + 1] = -one.sines[j] * one.g[j];
  one.g[j] *= one.cosines[j];
}

bool CoarseSolve::stagnates(std::size_t which) const noexcept {
  constexpr double hardly = 0.95;
  const std::vector<double>& history = equations_[which].history;
  return !history.empty() && !(history.back() <= hardly);
}

std::string CoarseSolve::report(std::size_t which) const {
  const std::vector<double>& history = equations_[which].history;
  std::string text;
  const std::size_t stride = std::max<std::size_t>(1, history.size() / 8);
  for (std::size_t k = stride - 1; k < history.size(); k += stride) text += fmt::format(" {:.3g}", history[k]);
  return fmt::format("on level {}, of {} unknowns, |r| / |b| is {:.3g} after {} iterations (history:{})",
                     matrix_.level() + 1, matrix_.size(), history.empty() ? 1.0 : history.back(), history.size(), text);
}

}  // namespace tacit::qcd::multigrid
