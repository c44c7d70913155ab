// What a substage adds to the plain flow: scalars, rotation, buoyancy, forces, and the shift of the grid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/fft/lane_copies.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/solvers/dns/kernels/physics_loops.hpp"
#include "tacit/solvers/dns/modes.hpp"
#include "tacit/solvers/dns/physics/forcing.hpp"
#include "tacit/solvers/dns/physics_parameters.hpp"

namespace tacit::dns {

/// How velocity and scalars go through a pass: of each scalar, the values go to points, and products with three
/// velocities come back, two mixed.
[[nodiscard]] constexpr fft::PassFields with_scalars(const fft::PassFields& velocity, std::size_t scalars) noexcept {
  return {.in = velocity.in + scalars, .out = velocity.out + 3 * scalars, .mixed = velocity.mixed + 2 * scalars};
}

/// The physics of one pass, for Flow::Substep, which has the velocity.
///
/// Fields of the pass: scalars go in behind the velocity (and vorticity). Out of the points come, behind the first
/// `own` fields of the velocity, u theta and w theta of each scalar; then what is gone once lines are mixed: the rest
/// of the velocity's and v theta of each scalar.
class PhysicsTerms {
 public:
  struct Scalar {
    std::span<Complex> theta;
    std::span<Complex> base;
    std::span<Complex> acc;
  };
  /// @param velocity  how the velocity alone goes through a pass
  PhysicsTerms(const PhysicsParameters& parameters, const fft::PassFields& velocity, const base::Vec3& box,
               const fft::Pencils& pencils, const ByAxis& wave_numbers, std::size_t workers,
               std::vector<Scalar> scalars, const Forcing& forcing, const kernels::PhysicsLoops& loops);

  [[nodiscard]] fft::PassFields fields() const noexcept;
  /// The index of a field of the velocity among all that go to modes.
  [[nodiscard]] std::size_t out_of(std::size_t own) const noexcept {
    return own < velocity_.mixed ? own : own + 2 * scalars_.size();
  }

  void set_time_step(double dt);
  /// @param substage  0, 1, ... within step number `step`
  void begin(std::uint64_t step, std::size_t substage);

  /// Whether store must go through `at` for a block: else it is a block of the plain flow.
  [[nodiscard]] bool acts_on(const fft::ColumnBlock& block) const noexcept;
  void load_scalar(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const;
  /// Shifts the grid of a field that goes in.
  void shift(const fft::ColumnBlock& block, Complex* lines) const;
  /// Shifts the fields that came out back.
  void shift_back(const fft::ColumnBlock& block, std::span<Complex* const> lines) const;
  void rows(std::span<double* const> in, std::span<double* const> out) const;
  /// @param ky  by place, shape (ny)
  void mix(const double* kx, std::span<const double> ky, std::span<Complex* const> lines) const;
  /// What acts on a block; it holds until the worker asks for the next.
  [[nodiscard]] kernels::Physics at(std::size_t worker, const fft::ColumnBlock& block,
                                    std::span<Complex* const> lines) const;

  [[nodiscard]] std::size_t bytes() const noexcept { return rotor_.size() * sizeof(Complex); }

 private:
  /// Memory of one worker.
  struct Workspace {
    std::vector<kernels::ScalarRows> scalars;
    std::array<std::vector<Complex>, 3> force;  // shape (kz, fft::lanes)
  };
  [[nodiscard]] std::size_t flux(std::size_t scalar) const noexcept { return velocity_.mixed + 2 * scalar; }
  [[nodiscard]] std::size_t flux_y(std::size_t scalar) const noexcept { return out_of(velocity_.out) + scalar; }
  void fill_scalar(std::size_t scalar, const fft::ColumnBlock& block, std::span<Complex* const> lines,
                   kernels::ScalarRows& rows) const;
  void multiply(const fft::ColumnBlock& block, const PhaseFactors& phases, Complex* lines) const;
  void compute_rotor(const fft::ColumnBlock& block) const;

  const PhysicsParameters& parameters_;
  fft::PassFields velocity_;
  base::Vec3 box_;
  const fft::Pencils& pencils_;
  const ByAxis& k_;
  std::vector<ScalarParameters> all_;
  std::vector<Scalar> scalars_;
  const Forcing& forcing_;
  kernels::PhysicsLoops loops_;
  fft::LaneCopier<double> copier_;
  double dt_ = 0.0;
  bool is_first_ = true;              // of the substages
  bool rotor_is_stale_ = false;       // the step is not as long as the one before
  std::vector<DecayFactors> decays_;  // by scalar
  PhaseFactors phases_;               // exp(i k shift)
  PhaseFactors back_;                 // their conjugates
  // Both are written by tasks, each in its own columns or workspace.
  mutable base::PackVector<Complex> rotor_;
  mutable std::vector<Workspace> workspaces_;
};

}  // namespace tacit::dns
