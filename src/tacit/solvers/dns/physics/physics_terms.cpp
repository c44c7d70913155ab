// What a substage adds to the plain flow.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/physics/physics_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/base/random.hpp"

namespace tacit::dns {
namespace {

/// Part of a cell by which the grid is shifted along an axis.
double shift_of(const PhysicsParameters& physics, std::uint64_t step, std::size_t substage, std::size_t axis) {
  constexpr std::uint64_t stream = 0x7368696674;  // a key that no mode has
  const double first =
      physics.phase_shift == PhaseShift::random ? base::uniform(physics.seed, stream, 3 * step + axis) : 0.0;
  return substage % 2 == 0 ? first : first + 0.5;
}

}  // namespace

PhysicsTerms::PhysicsTerms(const PhysicsParameters& parameters, const fft::PassFields& velocity, const base::Vec3& box,
                           const fft::Pencils& pencils, const ByAxis& wave_numbers, std::size_t workers,
                           std::vector<Scalar> scalars, const Forcing& forcing, const kernels::PhysicsLoops& loops)
    : parameters_(parameters),
      velocity_(velocity),
      box_(box),
      pencils_(pencils),
      k_(wave_numbers),
      all_(parameters.all_scalars()),
      scalars_(std::move(scalars)),
      forcing_(forcing),
      loops_(loops),
      decays_(scalars_.size()),
      workspaces_(workers) {
  const fft::Modes& modes = pencils.modes();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    phases_[axis].resize(modes.count(axis));
    back_[axis].resize(modes.count(axis));
  }
  if (parameters.rotates()) rotor_.resize(pencils.spectral_size());
  for (Workspace& workspace : workspaces_) {
    workspace.scalars.resize(scalars_.size());
    if (!forcing.is_on()) continue;
    for (auto& line : workspace.force) line.resize(modes.count(2) * fft::lanes);
  }
}

fft::PassFields PhysicsTerms::fields() const noexcept { return with_scalars(velocity_, scalars_.size()); }

void PhysicsTerms::set_time_step(double dt) {
  rotor_is_stale_ = parameters_.rotates() && dt != dt_;
  dt_ = dt;
  for (std::size_t s = 0; s < scalars_.size(); ++s) decays_[s].set(all_[s].diffusivity, k_, dt);
}

void PhysicsTerms::begin(std::uint64_t step, std::size_t substage) {
  is_first_ = substage == 0;
  if (parameters_.phase_shift == PhaseShift::none) return;
  const fft::Modes& modes = pencils_.modes();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double angle = 2.0 * std::numbers::pi * shift_of(parameters_, step, substage, axis) /
                         static_cast<double>(modes.points()[axis]);
    for (std::size_t i = 0; i < phases_[axis].size(); ++i) {
      phases_[axis][i] = std::polar(1.0, angle * static_cast<double>(modes.wave_number(axis, i)));
      back_[axis][i] = std::conj(phases_[axis][i]);
    }
  }
}

bool PhysicsTerms::acts_on(const fft::ColumnBlock& block) const noexcept {
  return !scalars_.empty() || !rotor_.empty() || forcing_.acts_on(block);
}

void PhysicsTerms::load_scalar(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const {
  const Complex* const from = scalars_[field - velocity_.in].theta.data();
  copier_.gather_columns(pencils_.modes(), from + pencils_.spectral_place(block.kx, block.ky, 0), pencils_.ky().size(),
                         block.count, lines);
}

void PhysicsTerms::multiply(const fft::ColumnBlock& block, const PhaseFactors& phases, Complex* lines) const {
  const auto column = column_factors(phases, block);
  const auto [gap_begin, gap_end] = pencils_.modes().gap(2);
  const auto some = [&](std::size_t begin, std::size_t end, std::size_t place) {
    loops_.shift(end - begin, fft::lanes, 2 * fft::lanes, numbers(phases[2].data() + begin), numbers(column.data()),
                 numbers(lines + place * fft::lanes));
  };
  some(0, gap_begin, 0);
  some(gap_begin, pencils_.modes().count(2), gap_end);
}

void PhysicsTerms::shift(const fft::ColumnBlock& block, Complex* lines) const {
  if (parameters_.phase_shift != PhaseShift::none) multiply(block, phases_, lines);
}

void PhysicsTerms::shift_back(const fft::ColumnBlock& block, std::span<Complex* const> lines) const {
  if (parameters_.phase_shift == PhaseShift::none) return;
  for (std::size_t field = 0; field < fields().mixed; ++field) multiply(block, back_, lines[field]);
}

void PhysicsTerms::rows(std::span<double* const> in, std::span<double* const> out) const {
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    const std::array<double*, 3> products{out[flux(s)], out[flux(s) + 1], out[flux_y(s)]};
    loops_.flux(pencils_.modes().points()[0], in.data(), in[velocity_.in + s], products.data());
  }
}

void PhysicsTerms::mix(const double* kx, std::span<const double> ky, std::span<Complex* const> lines) const {
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    loops_.mix_flux(ky.size(), kx, ky.data(), numbers(lines[flux(s)]), numbers(lines[flux_y(s)]));
  }
}

/// Angles in a block of columns; see kernels::Physics.
void PhysicsTerms::compute_rotor(const fft::ColumnBlock& block) const {
  for (std::size_t kz = 0; kz < k_[2].size(); ++kz) {
    Complex* const to = rotor_.data() + pencils_.spectral_place(block.kx, block.ky, kz);
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const base::Vec3 k{k_[0][block.kx], k_[1][block.ky + lane], k_[2][kz]};
      const double size = std::sqrt(k.x * k.x + k.y * k.y + k.z * k.z);
      const base::Vec3& omega = parameters_.rotation;
      const double angle = size > 0.0 ? dt_ * (omega.x * k.x + omega.y * k.y + omega.z * k.z) / size : 0.0;
      to[lane] = {std::cos(angle), size > 0.0 ? std::sin(angle) / size : 0.0};
    }
  }
}

void PhysicsTerms::fill_scalar(std::size_t scalar, const fft::ColumnBlock& block, std::span<Complex* const> lines,
                               kernels::ScalarRows& rows) const {
  const std::size_t at = pencils_.spectral_place(block.kx, block.ky, 0);
  const DecayFactors& decays = decays_[scalar];
  rows.flux = numbers(lines[flux(scalar)]);
  rows.flux_z = numbers(lines[flux(scalar) + 1]);
  rows.theta = numbers(scalars_[scalar].theta.data() + at);
  rows.base = numbers(scalars_[scalar].base.data() + at);
  rows.acc = numbers(scalars_[scalar].acc.data() + at);
  const base::Vec3& gradient = all_[scalar].gradient;
  rows.gradient[0] = gradient.x;
  rows.gradient[1] = gradient.y;
  rows.gradient[2] = gradient.z;
  for (std::size_t j = 0; j < 2 * block.count; ++j) {
    rows.decay[j] = decays.whole[0][block.kx] * decays.whole[1][block.ky + j / 2];
    rows.half_decay[j] = decays.half[0][block.kx] * decays.half[1][block.ky + j / 2];
  }
  rows.row_decay = decays.whole[2].data();
  rows.row_half_decay = decays.half[2].data();
}

kernels::Physics PhysicsTerms::at(std::size_t worker, const fft::ColumnBlock& block,
                                  std::span<Complex* const> lines) const {
  Workspace& workspace = workspaces_[worker];
  kernels::Physics physics;
  const std::size_t at = pencils_.spectral_place(block.kx, block.ky, 0);
  for (std::size_t s = 0; s < scalars_.size(); ++s) fill_scalar(s, block, lines, workspace.scalars[s]);
  physics.scalars = workspace.scalars.data();
  physics.scalar_count = scalars_.size();
  if (!rotor_.empty()) {
    if (is_first_ && rotor_is_stale_) compute_rotor(block);
    physics.rotor = numbers(rotor_.data() + at);
  }
  if (forcing_.acts_on(block)) {
    forcing_.accelerations(block, {workspace.force[0], workspace.force[1], workspace.force[2]});
    for (std::size_t c = 0; c < 3; ++c) physics.force[c] = numbers(workspace.force[c].data());
  }
  if (parameters_.stratification > 0.0) {
    physics.buoyancy = numbers(scalars_.back().theta.data() + at);
    physics.frequency = parameters_.stratification;
  }
  return physics;
}

}  // namespace tacit::dns
