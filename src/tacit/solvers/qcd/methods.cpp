// Iterations of conjugate gradients, BiCGstab and GCR.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>

#include "tacit/base/error.hpp"

namespace tacit::qcd {
namespace {

/// |D^+ r| below this part of |r| is rounding of double precision: |D| is below 8 + m0. In single precision D^+ r is
/// never as exact, so that singular operators show as solves that do not progress.
constexpr double singular_part = 1e-13;

/// A scalar product that is smaller than this part of what it may be is rounding.
template <class T>
constexpr double breakdown = 45.0 * static_cast<double>(std::numeric_limits<T>::epsilon());

constexpr std::string_view advice_of_cg = "the operator is singular or nearly so; a larger mass helps";
constexpr std::string_view advice_of_others =
    "so it may be where D is indefinite or nearly singular; solve.method = \"cgnr\" converges wherever D is not "
    "singular";

}  // namespace

template <class T>
std::string_view NormalEquationsCg<T>::advice() const {
  return advice_of_cg;
}

template <class T>
std::string_view Bicgstab<T>::advice() const {
  return advice_of_others;
}

template <class T>
std::string_view Gcr<T>::advice() const {
  return preconditioner_ != nullptr ? advice_of_multigrid : advice_of_others;
}

template <class T>
NormalEquationsCg<T>::NormalEquationsCg(const LinearOperator<T>& matrix)
    : Recursion<T>(matrix), p_(matrix.make()), w_(matrix.make()) {}

template <class T>
void NormalEquationsCg<T>::add_state(NamedFields<T>& fields) {
  fields.emplace_back("p", &p_);
}

template <class T>
void NormalEquationsCg<T>::add_state(NamedNumbers& numbers) {
  numbers.emplace_back("zz", &zz_);
}

template <class T>
void NormalEquationsCg<T>::restart(const Field<T>& r) {
  this->forget_failure();
  this->matrix().apply(r, p_, Conjugate::yes);
  zz_ = this->space().norm2(p_);
}

template <class T>
double NormalEquationsCg<T>::move(Field<T>& x, Field<T>& r) {
  this->matrix().apply(p_, w_, Conjugate::no);
  const double ww = this->space().norm2(w_);
  if (!(ww > 0.0)) {
    this->fail("D^+ r = 0 though r is not: the operator is singular; take another mass");
    return 0.0;
  }
  rr_ = this->space().advance(zz_ / ww, p_, w_, x, r);
  return rr_;
}

template <class T>
void NormalEquationsCg<T>::turn(const Field<T>& r, double before) {
  this->matrix().apply(r, w_, Conjugate::yes);
  const double zz = this->space().norm2(w_);
  if (std::is_same_v<T, double> && rr_ > 0.0 && zz <= singular_part * singular_part * rr_) {
    this->fail(
        fmt::format("|D^+ r| / |r| = {:.3g}: what is left of b is orthogonal to all that D can reach, as the operator "
                    "is singular; take another mass",
                    std::sqrt(zz / rr_)));
  }
  this->space().xpay(w_, zz / (zz_ * before), p_);
  zz_ = zz;
}

template <class T>
Bicgstab<T>::Bicgstab(const LinearOperator<T>& matrix)
    : Recursion<T>(matrix), shadow_(matrix.make()), p_(matrix.make()), v_(matrix.make()), t_(matrix.make()) {}

template <class T>
void Bicgstab<T>::add_state(NamedFields<T>& fields) {
  fields.emplace_back("shadow", &shadow_);
  fields.emplace_back("p", &p_);
}

template <class T>
void Bicgstab<T>::add_state(NamedNumbers& numbers) {
  numbers.emplace_back("rho, real", rho_.data());
  numbers.emplace_back("rho, imaginary", rho_.data() + 1);
  numbers.emplace_back("shadow squared", &shadow2_);
}

template <class T>
void Bicgstab<T>::restart(const Field<T>& r) {
  this->forget_failure();
  std::ranges::copy(r, shadow_.begin());
  std::ranges::copy(r, p_.begin());
  shadow2_ = this->space().norm2(r);
  rho_ = {shadow2_, 0.0};
}

template <class T>
double Bicgstab<T>::move(Field<T>& x, Field<T>& r) {
  FieldSpace<T>& space = this->space();
  this->matrix().apply(p_, v_, Conjugate::no);
  const Complex along = space.dot(shadow_, v_);
  if (std::abs(along) == 0.0) {
    this->fail("(r~, D p) = 0: BiCGstab cannot go on; take solve.method = \"cgnr\"");
    return 0.0;
  }
  alpha_ = Complex(rho_[0], rho_[1]) / along;
  space.axpy(alpha_, p_, x);
  space.axpy(-alpha_, v_, r);
  this->matrix().apply(r, t_, Conjugate::no);
  const double tt = space.norm2(t_);
  omega_ = tt > 0.0 ? space.dot(t_, r) / tt : Complex(0.0);
  space.axpy(omega_, r, x);
  space.axpy(-omega_, t_, r);
  rr_ = space.norm2(r);
  return rr_;
}

/// Units need no care: beta has r in the new one over rho in the old one, which is that of p and v.
template <class T>
void Bicgstab<T>::turn(const Field<T>& r, double before) {
  FieldSpace<T>& space = this->space();
  const Complex next = space.dot(shadow_, r);
  if (std::abs(next) <= breakdown<T> * before * std::sqrt(rr_ * shadow2_) || std::abs(omega_) == 0.0) {
    restart(r);
    return;
  }
  const Complex beta = next / Complex(rho_[0], rho_[1]) * (alpha_ / omega_);
  space.axpy(-omega_, v_, p_);
  space.xpay(r, beta, p_);
  rho_ = {next.real(), next.imag()};
}

namespace {

/// Room for so many directions, of which there are none yet.
template <class T>
GcrDirections<T> make_directions(const LinearOperator<T>& matrix, std::size_t count) {
  GcrDirections<T> result{.p = {}, .q = {}, .qq = std::vector<double>(count)};
  for (std::size_t k = 0; k < count; ++k) {
    result.p.push_back(matrix.make());
    result.q.push_back(matrix.make());
  }
  return result;
}

}  // namespace

template <class T>
void add_directions(GcrDirections<T>& directions, std::size_t count, NamedFields<T>& fields) {
  for (std::size_t k = 0; k < count; ++k) {
    fields.emplace_back(fmt::format("p{}", k), &directions.p[k]);
    fields.emplace_back(fmt::format("q{}", k), &directions.q[k]);
  }
}
template void add_directions(GcrDirections<double>&, std::size_t, NamedFields<double>&);

void add_directions(std::vector<double>& qq, double& count, NamedNumbers& numbers) {
  for (std::size_t k = 0; k < qq.size(); ++k) numbers.emplace_back(fmt::format("qq{}", k), &qq[k]);
  numbers.emplace_back("directions", &count);
}

template <class T>
Gcr<T>::Gcr(const LinearOperator<T>& matrix, Preconditioner<T>* preconditioner)
    : Recursion<T>(matrix),
      preconditioner_(preconditioner),
      directions_(make_directions(matrix, preconditioner != nullptr ? preconditioned_directions : directions)),
      moves_(
          matrix.space(), 1,
          [&matrix](InFields<T> in, OutFields<T> out) {
            for (std::size_t i = 0; i < in.size(); ++i) matrix.apply(*in[i], *out[i], Conjugate::no);
          },
          preconditioner) {}

template <class T>
void Gcr<T>::add_state(NamedFields<T>& fields) {
  add_directions(directions_, directions_.qq.size(), fields);
}

template <class T>
void Gcr<T>::add_state(NamedNumbers& numbers) {
  add_directions(directions_.qq, directions_.count, numbers);
}

template <class T>
void Gcr<T>::restart(const Field<T>& /*r*/) {
  this->forget_failure();
  directions_.count = 0.0;
}

template <class T>
double Gcr<T>::move(Field<T>& x, Field<T>& r) {
  GcrMove<T> one{.directions = &directions_, .x = &x, .r = &r};
  moves_.move({&one, 1});
  if (!one.failure.empty()) this->fail(one.failure);
  return one.rr;
}

/// The next direction is r itself, and a direction may be in any unit.
template <class T>
void Gcr<T>::turn(const Field<T>& /*r*/, double /*before*/) {}

template <class T>
std::unique_ptr<Recursion<T>> make_recursion(Method method, const LinearOperator<T>& matrix,
                                             Preconditioner<T>* preconditioner) {
  TACIT_EXPECT((method == Method::multigrid) == (preconditioner != nullptr));
  switch (method) {
    case Method::bicgstab:
      return std::make_unique<Bicgstab<T>>(matrix);
    case Method::gcr:
    case Method::multigrid:
      return std::make_unique<Gcr<T>>(matrix, preconditioner);
    case Method::cgnr:
    case Method::apply:
      break;
  }
  TACIT_EXPECT(method == Method::cgnr);
  return std::make_unique<NormalEquationsCg<T>>(matrix);
}

template std::unique_ptr<Recursion<double>> make_recursion(Method, const LinearOperator<double>&,
                                                           Preconditioner<double>*);
template std::unique_ptr<Recursion<float>> make_recursion(Method, const LinearOperator<float>&, Preconditioner<float>*);

}  // namespace tacit::qcd
