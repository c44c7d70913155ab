// What happens between the transforms of a substage: products at points, and the advance of modes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "tacit/fft/lane_copies.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/physics/moving_frame.hpp"
#include "tacit/solvers/dns/physics/physics_terms.hpp"

namespace tacit::dns {

/// How the velocity alone goes through a pass.
[[nodiscard]] constexpr fft::PassFields velocity_fields(Form form) noexcept {
  if (form == Form::divergence) return {.in = 3, .out = 5, .mixed = 4};
  return {.in = 6, .out = 3, .mixed = 3};
}

/// The work of one pass. It reads and writes the fields of the flow by columns, so that no two tasks share any.
class Flow::Substep final : public fft::PassWork<double> {
 public:
  using Fields = std::array<std::span<Complex>, 3>;
  Substep(const FlowParameters& parameters, const fft::Pencils& pencils, const ByAxis& wave_numbers,
          std::size_t workers, Fields u, Fields acc, Fields base, const std::vector<PhysicsTerms::Scalar>& scalars,
          const Forcing& forcing);

  /// What goes through the pass.
  [[nodiscard]] fft::PassFields fields() const noexcept { return physics_.fields(); }
  /// @param mean  velocity with which the flow is carried along
  void begin_step(double dt, const base::Vec3& mean);
  /// The one in which the step advances.
  [[nodiscard]] const MovingFrame& frame() const noexcept { return frame_; }
  /// @param index  of the substage within step number `step`
  void begin(kernels::Substage substage, std::uint64_t step, std::size_t index);
  /// From now on `look` is handed the fields at points, row by row; an empty one ends that.
  void show(Look look) { look_ = std::move(look); }
  /// Bytes of what is kept for each mode.
  [[nodiscard]] std::size_t bytes() const noexcept { return physics_.bytes(); }
  [[nodiscard]] double rate() const noexcept;

  void load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const override;
  void rows(std::size_t worker, std::size_t y, std::size_t z, std::span<double* const> in,
            std::span<double* const> out) const override;
  void mix(const fft::LineBlock& block, std::span<Complex* const> lines) const override;
  void store(std::size_t worker, const fft::ColumnBlock& block, std::span<Complex* const> lines) const override;

 private:
  struct alignas(64) Largest {
    double rate = 0.0;
  };
  void load_velocity(std::size_t component, const fft::ColumnBlock& block, Complex* lines) const;
  void load_vorticity(std::size_t component, const fft::ColumnBlock& block, Complex* lines) const;
  [[nodiscard]] kernels::ColumnNumbers column_numbers(const fft::ColumnBlock& block) const;
  [[nodiscard]] kernels::Modes3 piece(const Fields& fields, std::size_t at) const;

  const FlowParameters& parameters_;
  const fft::Pencils& pencils_;
  const ByAxis& k_;
  Fields u_;
  Fields acc_;
  Fields base_;
  std::vector<std::span<Complex>> carried_;  // velocity and scalars
  fft::LaneCopier<double> copier_;
  kernels::Loops loops_;
  kernels::PhysicsLoops physics_loops_;
  PhysicsTerms physics_;
  MovingFrame frame_;
  Look look_;
  kernels::Substage substage_{};
  double dt_ = 0.0;
  double limit2_ = 0.0;
  std::vector<double> ky_by_place_;         // shape (ny) [1/length]
  DecayFactors decay_;                      // by viscosity
  ByAxis radius2_;                          // (k/n)^2
  std::array<double, 3> rate_per_speed_{};  // 1 / distance of points [1/length]
  mutable std::vector<Largest> largest_;    // by worker; each writes its own
};

}  // namespace tacit::dns
