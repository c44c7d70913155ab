// Iterations of BiCGstab, GCR, and of conjugate gradients in mixed precision.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tacit/base/error.hpp"

namespace tacit::qcd {
namespace {

/// A scalar product that is smaller than this part of what it may be is rounding.
constexpr double breakdown = 1e-14;

}  // namespace

Bicgstab::Bicgstab(const LinearOperator<double>& matrix, const SolveOptions& options)
    : Solve(matrix, options), shadow_(matrix.make()), p_(matrix.make()), v_(matrix.make()), t_(matrix.make()) {}

void Bicgstab::add_state(std::vector<std::pair<std::string, Field<double>*>>& fields) {
  fields.emplace_back("shadow", &shadow_);
  fields.emplace_back("p", &p_);
}

void Bicgstab::add_state(std::vector<std::pair<std::string, double*>>& numbers) {
  numbers.emplace_back("rho, real", rho_.data());
  numbers.emplace_back("rho, imaginary", rho_.data() + 1);
  numbers.emplace_back("shadow squared", &shadow2_);
}

void Bicgstab::restart() {
  std::ranges::copy(r_, shadow_.begin());
  std::ranges::copy(r_, p_.begin());
  shadow2_ = space().norm2(r_);
  rho_ = {shadow2_, 0.0};
}

double Bicgstab::advance() {
  const Complex rho(rho_[0], rho_[1]);
  matrix().apply(p_, v_, Conjugate::no);
  const Complex along = space().dot(shadow_, v_);
  if (std::abs(along) == 0.0) {
    fail("(r~, D p) = 0: BiCGstab cannot go on; take solve.method = \"cgnr\"");
    return 0.0;
  }
  const Complex alpha = rho / along;
  space().axpy(alpha, p_, x_);
  space().axpy(-alpha, v_, r_);
  matrix().apply(r_, t_, Conjugate::no);
  const double tt = space().norm2(t_);
  const Complex omega = tt > 0.0 ? space().dot(t_, r_) / tt : Complex(0.0);
  space().axpy(omega, r_, x_);
  space().axpy(-omega, t_, r_);
  const double rr = space().norm2(r_);
  const Complex next = space().dot(shadow_, r_);
  if (std::abs(next) <= breakdown * std::sqrt(rr * shadow2_) || std::abs(omega) == 0.0) {
    restart();
    return rr;
  }
  const Complex beta = next / rho * (alpha / omega);
  space().axpy(-omega, v_, p_);
  space().xpay(r_, beta, p_);
  rho_ = {next.real(), next.imag()};
  return rr;
}

Gcr::Gcr(const LinearOperator<double>& matrix, const SolveOptions& options) : Solve(matrix, options) {
  for (std::size_t k = 0; k < directions; ++k) {
    p_.push_back(matrix.make());
    q_.push_back(matrix.make());
  }
}

void Gcr::add_state(std::vector<std::pair<std::string, Field<double>*>>& fields) {
  for (std::size_t k = 0; k < directions; ++k) {
    fields.emplace_back(fmt::format("p{}", k), &p_[k]);
    fields.emplace_back(fmt::format("q{}", k), &q_[k]);
  }
}

void Gcr::add_state(std::vector<std::pair<std::string, double*>>& numbers) {
  for (std::size_t k = 0; k < directions; ++k) numbers.emplace_back(fmt::format("qq{}", k), &qq_[k]);
  numbers.emplace_back("directions", &count_);
}

void Gcr::restart() { count_ = 0.0; }

double Gcr::advance() {
  const auto k = static_cast<std::size_t>(count_) % directions;
  std::ranges::copy(r_, p_[k].begin());
  matrix().apply(p_[k], q_[k], Conjugate::no);
  for (std::size_t j = 0; j < k; ++j) {
    const Complex part = space().dot(q_[j], q_[k]) / qq_[j];
    space().axpy(-part, q_[j], q_[k]);
    space().axpy(-part, p_[j], p_[k]);
  }
  qq_[k] = space().norm2(q_[k]);
  if (!(qq_[k] > 0.0)) {
    fail(
        "D r is 0 or spanned by earlier directions: the operator is singular, or GCR cannot go on; take solve.method = "
        "\"cgnr\"");
    return 0.0;
  }
  const Complex step = space().dot(q_[k], r_) / qq_[k];
  space().axpy(step, p_[k], x_);
  space().axpy(-step, q_[k], r_);
  count_ = static_cast<double>((k + 1) % directions);
  return space().norm2(r_);
}

MixedPrecisionCg::MixedPrecisionCg(const LinearOperator<double>& matrix, const LinearOperator<float>& single,
                                   const SolveOptions& options)
    : Solve(matrix, options),
      single_(single),
      sum_(matrix.make()),
      xs_(single.make()),
      rs_(single.make()),
      ps_(single.make()),
      ws_(single.make()) {}

void MixedPrecisionCg::add_state(std::vector<std::pair<std::string, Field<double>*>>& /*fields*/) {}

std::vector<std::pair<std::string, Field<float>*>> MixedPrecisionCg::single_fields() {
  return {{"x, single", &xs_}, {"r, single", &rs_}, {"p, single", &ps_}};
}

void MixedPrecisionCg::add_state(std::vector<std::pair<std::string, double*>>& numbers) {
  numbers.emplace_back("scale", &scale_);
  numbers.emplace_back("zz", &zz_);
}

void MixedPrecisionCg::restart() {
  scale_ = std::sqrt(space().norm2(r_));
  convert(space(), r_, 1.0 / scale_, single_.space(), rs_);
  std::ranges::fill(xs_, 0.0F);
  single_.apply(rs_, ps_, Conjugate::yes);
  zz_ = single_.space().norm2(ps_);
}

double MixedPrecisionCg::advance() {
  FieldSpace<float>& narrow = single_.space();
  single_.apply(ps_, ws_, Conjugate::no);
  const double ww = narrow.norm2(ws_);
  if (!(ww > 0.0)) {
    fail("D^+ r = 0 though r is not: the operator is singular; take another mass");
    return 0.0;
  }
  double rr = narrow.advance(zz_ / ww, ps_, ws_, xs_, rs_) * scale_ * scale_;
  double before = 1.0;  // scale_ over the new one
  if (rr <= std::max(part * part * scale_ * scale_, target() * target())) {
    const double old = scale_;
    rr = update();
    if (rr == 0.0) return rr;
    before = old / scale_;
  }
  single_.apply(rs_, ws_, Conjugate::yes);
  const double zz = narrow.norm2(ws_);
  narrow.xpay(ws_, zz / (zz_ * before), ps_);
  zz_ = zz;
  return rr;
}

/// Adds what there is in single precision to x, and computes r. @return |r|^2
double MixedPrecisionCg::update() {
  convert(single_.space(), xs_, scale_, space(), sum_);
  space().axpy(1.0, sum_, x_);
  std::ranges::fill(xs_, 0.0F);
  const double norm = rest_of(x_, r_);
  if (norm == 0.0) return 0.0;
  scale_ = norm;
  convert(space(), r_, 1.0 / scale_, single_.space(), rs_);
  return norm * norm;
}

std::unique_ptr<Solve> make_solve(Method method, const LinearOperator<double>& matrix,
                                  const LinearOperator<float>* single, const SolveOptions& options) {
  switch (method) {
    case Method::bicgstab:
      return std::make_unique<Bicgstab>(matrix, options);
    case Method::gcr:
      return std::make_unique<Gcr>(matrix, options);
    case Method::mixed:
      TACIT_EXPECT(single != nullptr);
      return std::make_unique<MixedPrecisionCg>(matrix, *single, options);
    case Method::cgnr:
    case Method::apply:
      break;
  }
  TACIT_EXPECT(method == Method::cgnr);
  return std::make_unique<NormalEquationsCg>(matrix, options);
}

}  // namespace tacit::qcd
