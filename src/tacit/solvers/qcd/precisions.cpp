// Solves whose recursion is in double precision, or in single precision with reliable updates.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/solvers/qcd/methods.hpp"

namespace tacit::qcd {
namespace {

class SolveInDouble final : public Solve {
 public:
  SolveInDouble(Method method, const LinearOperator<double>& matrix, const SolveOptions& options,
                Preconditioner<double>* preconditioner)
      : Solve(matrix, options), recursion_(make_recursion(method, matrix, preconditioner)) {}

 private:
  void add_state(NamedFields<double>& fields) override { recursion_->add_state(fields); }
  void add_state(NamedNumbers& numbers) override { recursion_->add_state(numbers); }
  [[nodiscard]] std::string_view advice() const override { return recursion_->advice(); }
  void restart() override { recursion_->restart(r_); }
  [[nodiscard]] double advance() override {
    const double rr = recursion_->move(x_, r_);
    if (recursion_->failure().empty()) recursion_->turn(r_, 1.0);
    if (!recursion_->failure().empty()) fail(recursion_->failure());
    return rr;
  }

  std::unique_ptr<Recursion<double>> recursion_;
};

/// Reliable updates: whenever |r| has fallen to a tenth of what it was at most since the last one, what the recursion
/// has found is added to x, and r is computed from x, in double precision, while the direction is kept. So rounding of
/// single precision is relative to a residual that falls, and the last one is as small as in double precision.
/// @see Sleijpen & van der Vorst (1996), Computing 56, 141; Clark et al. (2010), Comput. Phys. Commun. 181, 1517
class SolveInMixed final : public Solve {
 public:
  SolveInMixed(Method method, const LinearOperator<double>& matrix, const LinearOperator<float>& single,
               const SolveOptions& options)
      : Solve(matrix, options),
        single_(single),
        recursion_(make_recursion(method, single)),
        sum_(matrix.make()),
        xs_(single.make()),
        rs_(single.make()) {}

  [[nodiscard]] NamedFields<float> single_fields() override {
    NamedFields<float> fields{{"x", &xs_}, {"r", &rs_}};
    recursion_->add_state(fields);
    for (auto& field : fields) field.first += ", single";
    return fields;
  }

 private:
  static constexpr double part = 0.1;

  void add_state(NamedFields<double>& /*fields*/) override {}
  void add_state(NamedNumbers& numbers) override {
    recursion_->add_state(numbers);
    numbers.emplace_back("scale", &scale_);
    numbers.emplace_back("most", &most_);
  }
  [[nodiscard]] std::string_view advice() const override { return recursion_->advice(); }
  void restart() override {
    take_residual(std::sqrt(space().norm2(r_)));
    std::ranges::fill(xs_, 0.0F);
    recursion_->restart(rs_);
  }
  [[nodiscard]] double advance() override {
    double rr = recursion_->move(xs_, rs_) * scale_ * scale_;
    double before = 1.0;  // scale_ over the new one
    if (recursion_->failure().empty()) {
      most_ = std::max(most_, std::sqrt(rr));
      if (rr <= std::max(part * part * most_ * most_, target() * target())) {
        const double old = scale_;
        rr = update();
        if (rr == 0.0) return rr;
        before = old / scale_;
      }
      recursion_->turn(rs_, before);
    }
    if (!recursion_->failure().empty()) fail(recursion_->failure());
    return rr;
  }
  /// @return |b - D x|^2
  [[nodiscard]] double update() {
    convert(single_.space(), xs_, scale_, space(), sum_);
    space().axpy(1.0, sum_, x_);
    std::ranges::fill(xs_, 0.0F);
    const double norm = rest_of(x_, r_);
    if (norm > 0.0) take_residual(norm);
    return norm * norm;
  }
  /// rs_ <- r_ in a unit in which it is 1. @param norm  |r_|
  void take_residual(double norm) {
    scale_ = most_ = norm;
    convert(space(), r_, 1.0 / scale_, single_.space(), rs_);
  }

  const LinearOperator<float>& single_;
  std::unique_ptr<Recursion<float>> recursion_;
  Field<double> sum_;  // what is added to x
  Field<float> xs_;    // in units of scale_, as all in single precision
  Field<float> rs_;
  double scale_ = 1.0;  // |r| when it was computed last
  double most_ = 1.0;   // the largest |r| since then
};

}  // namespace

std::unique_ptr<Solve> make_solve(Method method, const LinearOperator<double>& matrix,
                                  const LinearOperator<float>* single, const SolveOptions& options,
                                  Preconditioner<double>* preconditioner) {
  if (single == nullptr) return std::make_unique<SolveInDouble>(method, matrix, options, preconditioner);
  return std::make_unique<SolveInMixed>(method, matrix, *single, options);
}

std::size_t kept_fields(Method method, Precision precision) noexcept {
  const auto of_method = [&]() -> std::size_t {
    switch (method) {
      case Method::cgnr:
        return 1;
      case Method::bicgstab:
        return 2;
      case Method::gcr:
        return 2 * Gcr<double>::directions;
      case Method::multigrid:
        return 2 * Gcr<double>::preconditioned_directions;
      case Method::apply:
        break;
    }
    return 0;
  };
  if (method == Method::apply) return 0;
  return 2 + of_method() + (precision == Precision::mixed ? 2 : 0);
}

}  // namespace tacit::qcd
