// Gravity of all particles at one time, where they have steps of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/time_line.hpp"

namespace tacit::sph {

/// As long as it lives, all particles stand where they would be if their steps, of a length dt, ended now, a time tau
/// after they began; with the gravity and the potential that they have there:
///
///     v_0 = v - a_0 dt/2,   x = x_0 + v_0 tau + a_0 tau^2/2,   v(now) = v_0 + (a_0 + a(x)) tau/2
///
/// Then energies are those of one state, as accurate as at the end of a common step. Sums of potentials of different
/// times err by the first power of tau. Behind it all is as it was before, bit by bit: output does not change a run.
/// Of several ranks all make and end it together.
/// Cost: one evaluation of gravity for all particles; 40 bytes per particle while it lives.
class PresentGravity {
 public:
  /// @param after  time since particles last ended their steps [time]
  /// @pre steps of their own, which have begun
  PresentGravity(const Physics& physics, Gas& gas, GasCells& cells, StepClock& clock, double after);
  ~PresentGravity();
  PresentGravity(const PresentGravity&) = delete;
  PresentGravity& operator=(const PresentGravity&) = delete;

  /// Where particle i stands [length].
  [[nodiscard]] base::Vec3 place(std::size_t i) const { return {gas_.x[i], gas_.y[i], gas_.z[i]}; }
  /// By how much its velocity differs from that which is predicted with the accelerations of the begin of its step:
  /// (a(x) - a_0) tau/2, of gravity alone [velocity].
  [[nodiscard]] base::Vec3 kick(std::size_t i) const;

 private:
  void move(std::size_t i) const;

  const Physics& physics_;
  Gas& gas_;
  GasCells& cells_;
  StepClock& clock_;
  double after_;
  StepClock::SinceNext since_;                 // as of the time that is looked at
  double factor_ = 1.0;                        // of gravity, at the present time
  std::array<std::vector<double>, 3> places_;  // as they were
  std::array<std::vector<float>, 4> gravity_;  // likewise: accelerations and potential
  std::array<std::vector<double>, 2> passed_;  // likewise, of an expanding box: the integral of the potential
};

}  // namespace tacit::sph
