// The frame that moves with the mean flow, in which a step advances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/vec3.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/solvers/dns/kernels/physics_loops.hpp"
#include "tacit/solvers/dns/modes.hpp"

namespace tacit::dns {

/// A mean velocity U multiplies the mode k by exp(-i k . U dt) in a step. This is the exact factor of the integrating
/// factor method: the step advances the velocity without its mean, as an observer who moves with U sees it, and the
/// modes are multiplied by these phase factors once, at its end.
class MovingFrame {
 public:
  /// @param wave_numbers  by axis and index [1/length]
  MovingFrame(const fft::Pencils& pencils, const ByAxis& wave_numbers, const kernels::PhysicsLoops& loops);

  /// Whether a mean changes phases by more than rounding within dt.
  [[nodiscard]] bool would_move(const base::Vec3& mean, double dt) const;
  /// The frame of a step of length dt [time]. It is at rest with a mean that changes no phase by more than rounding.
  void begin_step(const base::Vec3& mean, double dt);
  /// Its velocity; zero at rest.
  [[nodiscard]] const base::Vec3& velocity() const noexcept { return velocity_; }
  [[nodiscard]] bool moves() const noexcept { return moves_; }
  /// Removes the mean from a field that goes to the points.
  void remove_mean(const fft::ColumnBlock& block, Complex* lines) const;
  /// Multiplies a block of columns of modes by the phase factors, at the end of the step.
  /// @param modes  the first of the block
  void leave(const fft::ColumnBlock& block, Complex* modes) const;

 private:
  const fft::Pencils& pencils_;
  const ByAxis& k_;
  kernels::PhysicsLoops loops_;
  base::Vec3 velocity_{};
  bool moves_ = false;
  PhaseFactors phases_;  // exp(-i k U dt)
};

}  // namespace tacit::dns
