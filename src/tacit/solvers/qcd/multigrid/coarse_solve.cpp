// GMRES on the coarse lattice.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"

namespace tacit::qcd::multigrid {
namespace {

/// a^+ b, in four sums that a compiler may compute at once.
std::complex<double> dot(const CoarseVector& a, const CoarseVector& b) {
  constexpr std::size_t parts = 4;
  std::array<double, parts> re{};
  std::array<double, parts> im{};
  const auto add = [&](std::size_t k, std::size_t part) {
    const auto a_re = static_cast<double>(a[2 * k]);
    const auto a_im = static_cast<double>(a[2 * k + 1]);
    const auto b_re = static_cast<double>(b[2 * k]);
    const auto b_im = static_cast<double>(b[2 * k + 1]);
    re[part] += a_re * b_re + a_im * b_im;
    im[part] += a_re * b_im - a_im * b_re;
  };
  const std::size_t count = a.size() / 2;
  std::size_t k = 0;
  for (; k + parts <= count; k += parts) {
    for (std::size_t part = 0; part < parts; ++part) add(k + part, part);
  }
  for (; k < count; ++k) add(k, 0);
  return {(re[0] + re[1]) + (re[2] + re[3]), (im[0] + im[1]) + (im[2] + im[3])};
}

double norm(const CoarseVector& a) { return std::sqrt(dot(a, a).real()); }

/// y <- y + factor x
void axpy(const std::complex<double>& factor, const CoarseVector& x, CoarseVector& y) {
  const auto re = static_cast<float>(factor.real());
  const auto im = static_cast<float>(factor.imag());
  for (std::size_t k = 0; k < x.size(); k += 2) {
    const float x_re = x[k];
    const float x_im = x[k + 1];
    y[k] += re * x_re - im * x_im;
    y[k + 1] += re * x_im + im * x_re;
  }
}

void scale(double factor, CoarseVector& x) {
  const auto by = static_cast<float>(factor);
  for (float& value : x) value *= by;
}

}  // namespace

CoarseSolve::CoarseSolve(CoarseOperator& matrix, const CoarseOptions& options)
    : matrix_(matrix),
      options_(options),
      v_(options.restart + 1, CoarseVector(2 * matrix.size())),
      r_(2 * matrix.size()),
      h_(options.restart, std::vector<Complex>(options.restart + 1)),
      cosines_(options.restart),
      sines_(options.restart),
      g_(options.restart + 1),
      y_(options.restart) {
  history_.reserve(options.iterations);
}

std::size_t CoarseSolve::run(const CoarseVector& b, CoarseVector& x) {
  history_.clear();
  x.assign(2 * matrix_.size(), 0.0F);
  const double norm_b = norm(b);
  if (norm_b == 0.0) return 0;
  r_ = b;
  double beta = norm_b;
  while (!run_cycle(beta, norm_b, x)) {
    matrix_.apply(x, r_);
    for (std::size_t k = 0; k < r_.size(); ++k) r_[k] = b[k] - r_[k];
    beta = norm(r_);
  }
  return history_.size();
}

/// From r_, whose norm is beta, on. @return whether it was the last
bool CoarseSolve::run_cycle(double beta, double norm_b, CoarseVector& x) {
  std::ranges::copy(r_, v_[0].begin());
  scale(1.0 / beta, v_[0]);
  std::ranges::fill(g_, 0.0);
  g_[0] = beta;
  std::size_t count = 0;
  bool is_last = false;
  while (count < options_.restart && !is_last) {
    const std::size_t j = count++;
    CoarseVector& w = v_[j + 1];
    matrix_.apply(v_[j], w);
    for (std::size_t i = 0; i <= j; ++i) {
      h_[j][i] = dot(v_[i], w);
      axpy(-h_[j][i], v_[i], w);
    }
    const double left = norm(w);
    rotate(j, left);
    history_.push_back(std::sqrt(std::norm(g_[j + 1])) / norm_b);
    // What is left of A v may be 0: then x is exact.
    is_last = !(history_.back() > options_.tolerance) || history_.size() >= options_.iterations || left == 0.0;
    if (!is_last) scale(1.0 / left, w);
  }
  for (std::size_t i = count; i-- > 0;) {
    Complex sum = g_[i];
    for (std::size_t k = i + 1; k < count; ++k) sum -= h_[k][i] * y_[k];
    y_[i] = h_[i][i] == 0.0 ? 0.0 : sum / h_[i][i];
    axpy(y_[i], v_[i], x);
  }
  return is_last;
}

/// Turns column j of the Hessenberg matrix, below which `norm` is, into one of a triangle, and g with it.
void CoarseSolve::rotate(std::size_t j, double norm) {
  std::vector<Complex>& column = h_[j];
  for (std::size_t i = 0; i < j; ++i) {
    const Complex upper = cosines_[i] * column[i] + std::conj(sines_[i]) * column[i + 1];
    column[i + 1] = -sines_[i] * column[i] + cosines_[i] * column[i + 1];
    column[i] = upper;
  }
  const double size = std::sqrt(std::norm(column[j]));
  const double length = std::sqrt(size * size + norm * norm);
  const Complex phase = size > 0.0 ? column[j] / size : Complex(1.0);
  cosines_[j] = length > 0.0 ? size / length : 1.0;
  sines_[j] = length > 0.0 ? std::conj(phase) * (norm / length) : Complex(0.0);
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
  return fmt::format("on level 2, of {} unknowns, |r| / |b| is {:.3g} after {} iterations (history:{})", matrix_.size(),
                     history_.empty() ? 1.0 : history_.back(), history_.size(), text);
}

}  // namespace tacit::qcd::multigrid
