// One step of a flow: the pass over its modes that makes a substage, and the substages of the Runge-Kutta schemes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacit/solvers/dns/substep.hpp"

namespace tacit::dns {

/// Builds the task graph of a substage, which all substages of all steps run again: a pass (fft/pass.hpp) over the
/// velocity (and the vorticity, in the rotational form) and the scalars, with the work of Substep between transforms.
///
///     load: u, omega, theta    z to points -> y to points -> x to points --.
///                              (columns, rows of ranks exchange between)   rows: u u or u x omega, u theta
///     store: project, advance  z to modes  <- y to modes  <- x to modes <--'
///                                         mix: k . (u u), where x and y are modes
void Flow::build_step() {
  const bool is_rk4 = parameters_.scheme == Scheme::rk4;
  std::vector<PhysicsTerms::Scalar> scalars;
  for (Scalar& scalar : scalars_) scalars.push_back({scalar.theta, is_rk4 ? scalar.base : scalar.acc, scalar.acc});
  const auto three = [](Fields& fields) { return std::array<std::span<Complex>, 3>{fields[0], fields[1], fields[2]}; };
  substep_ = std::make_unique<Substep>(parameters_, pencils_, k_, scheduler_.workers(), three(u_), three(acc_),
                                       three(is_rk4 ? base_ : acc_), scalars, forcing_);
  pass_ = std::make_unique<fft::Pass<double>>(pencils_, substep_->fields(), *substep_, scheduler_, parameters_.rigor,
                                              ranks_, algorithm_.division);
  pass_->time_exchanges();
}

void Flow::step(double dt, const BeforeSubstage& before) {
  using kernels::Substage;
  static constexpr std::array rk2{Substage::rk2_first, Substage::rk2_last};
  static constexpr std::array rk4{Substage::rk4_first, Substage::rk4_second, Substage::rk4_third, Substage::rk4_last};
  // When they begin, in parts of the step.
  static constexpr std::array times{0.0, 0.5, 0.5, 1.0};
  const bool is_rk4 = parameters_.scheme == Scheme::rk4;
  const std::span<const Substage> substages = is_rk4 ? std::span<const Substage>(rk4) : std::span<const Substage>(rk2);
  substep_->begin_step(dt, mean());
  const ConstVelocity now{u_[0], u_[1], u_[2]};
  forcing_.begin_step(now);
  for (std::size_t i = 0; i < substages.size(); ++i) {
    forcing_.begin_substage(now, times[is_rk4 ? i : 3 * i] * dt * frame());
    if (before) before(substages[i]);
    substep_->begin(substages[i], steps_, i);
    substep_->show(std::exchange(next_look_, {}));
    pass_->run({});
  }
  forcing_.end_step({u_[0], u_[1], u_[2]}, dt, steps_);
  ++steps_;
  rate_ = reductions_->largest(holds_numbers() ? substep_->rate() : std::numeric_limits<double>::quiet_NaN());
}

// A transform spreads NaN and infinity from one place to all, so any mode shows them. The rate would not: the largest
// of some numbers and NaN may be a number.
bool Flow::holds_numbers() const {
  return std::ranges::all_of(u_, [](const Field& component) {
    return component.empty() || (std::isfinite(component.front().real()) && std::isfinite(component.front().imag()));
  });
}

double Flow::rate() const noexcept { return rate_; }

const base::Vec3& Flow::frame() const noexcept { return substep_->frame().velocity(); }

}  // namespace tacit::dns
