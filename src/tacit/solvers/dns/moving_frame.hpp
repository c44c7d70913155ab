// The frame that moves with the mean flow, in which a step advances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/solvers/dns/kernels/physics_loops.hpp"

namespace tacit::dns {

/// A mean velocity U turns the mode k by exp(-i k . U dt) in a step. This is the exact factor of the integrating factor
/// method: the step advances what is left of the velocity without its mean, as an observer who moves with U sees it,
/// and the modes are turned once, at its end.
class MovingFrame {
 public:
  using Complex = std::complex<double>;
  /// @param wave_numbers  by axis and index [1/length]
  MovingFrame(const fft::Pencils& pencils, const std::array<std::vector<double>, 3>& wave_numbers,
              const kernels::PhysicsLoops& loops);

  /// The frame of a step of length dt [time]. It is at rest with a mean that turns no mode by more than rounding.
  void begin_step(const base::Vec3& mean, double dt);
  /// Its velocity; zero at rest.
  [[nodiscard]] const base::Vec3& velocity() const noexcept { return velocity_; }
  [[nodiscard]] bool moves() const noexcept { return moves_; }
  /// Takes the mean out of a field that goes to the points.
  void take_mean_out(const fft::ColumnBlock& block, Complex* lines) const;
  /// Turns a block of columns of modes, as the end of the step needs it.
  /// @param modes  the first of the block
  void leave(const fft::ColumnBlock& block, Complex* modes) const;

 private:
  const fft::Pencils& pencils_;
  const std::array<std::vector<double>, 3>& k_;
  kernels::PhysicsLoops loops_;
  base::Vec3 velocity_{};
  bool moves_ = false;
  std::array<std::vector<Complex>, 3> turns_;  // exp(-i k U dt) by axis and index, one factor per axis
};

}  // namespace tacit::dns
