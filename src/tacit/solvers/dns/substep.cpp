// The work between the transforms of a substage.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/substep.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "tacit/base/cpu_features.hpp"

namespace tacit::dns {
namespace {

/// All loops of one instruction set.
struct AllLoops {
  kernels::Loops plain;
  kernels::PhysicsLoops physics;
};

AllLoops loops_of(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa /*set*/) {
    return AllLoops{kernels::loops_of<Isa>(), kernels::physics_loops_of<Isa>()};
  });
}

}  // namespace

Flow::Substep::Substep(const FlowParameters& parameters, const fft::Pencils& pencils, const ByAxis& wave_numbers,
                       std::size_t workers, Fields u, Fields acc, Fields base,
                       const std::vector<PhysicsTerms::Scalar>& scalars, const Forcing& forcing)
    : parameters_(parameters),
      pencils_(pencils),
      k_(wave_numbers),
      u_(u),
      acc_(acc),
      base_(base),
      carried_(u_.begin(), u_.end()),
      loops_(loops_of(base::chosen_instruction_set()).plain),
      physics_loops_(loops_of(base::chosen_instruction_set()).physics),
      physics_(parameters.physics, velocity_fields(parameters.form), parameters.box, pencils, wave_numbers, workers,
               scalars, forcing, physics_loops_),
      frame_(pencils, wave_numbers, physics_loops_),
      largest_(workers) {
  for (const PhysicsTerms::Scalar& scalar : scalars) carried_.push_back(scalar.theta);
  const fft::Modes& modes = pencils.modes();
  // With a margin, as fft::Modes::holds has it.
  limit2_ = modes.truncation() == fft::Truncation::spherical ? 2.0 / 9.0 * (1.0 + 1e-12)
                                                             : std::numeric_limits<double>::infinity();
  ky_by_place_.assign(modes.points()[1], 0.0);
  for (std::size_t i = 0; i < modes.count(1); ++i) ky_by_place_[modes.place(1, i)] = k_[1][i];
  const std::array<double, 3> sides{parameters.box.x, parameters.box.y, parameters.box.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto n = static_cast<double>(modes.points()[axis]);
    rate_per_speed_[axis] = n / sides[axis];
    for (std::size_t i = 0; i < modes.count(axis); ++i) {
      const double waves = static_cast<double>(modes.wave_number(axis, i)) / n;
      radius2_[axis].push_back(waves * waves);
    }
  }
}

void Flow::Substep::begin_step(double dt, const base::Vec3& mean) {
  dt_ = dt;
  frame_.begin_step(mean, dt);
  physics_.set_time_step(dt);
  decay_.set(parameters_.viscosity, k_, dt);
}

void Flow::Substep::begin(kernels::Substage substage, std::uint64_t step, std::size_t index) {
  substage_ = substage;
  physics_.begin(step, index);
  for (Largest& largest : largest_) largest.rate = 0.0;
}

double Flow::Substep::rate() const noexcept {
  double rate = 0.0;
  for (const Largest& largest : largest_) rate = exchange::larger(rate, largest.rate);
  return rate;
}

void Flow::Substep::load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const {
  const std::size_t own = velocity_fields(parameters_.form).in;
  if (field < 3) {
    load_velocity(field, block, lines);
  } else if (field < own) {
    load_vorticity(field - 3, block, lines);
  } else {
    physics_.load_scalar(field, block, lines);
  }
  physics_.shift(block, lines);
}

void Flow::Substep::load_velocity(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const {
  copier_.gather_columns(pencils_.modes(), u_[field].data() + pencils_.spectral_place(block.kx, block.ky, 0),
                         pencils_.ky().size(), block.count, lines);
  frame_.remove_mean(block, lines);
}

/// omega = i k x u.
void Flow::Substep::load_vorticity(std::size_t component, const fft::ColumnBlock& block, Complex* lines) const {
  const fft::Modes& modes = pencils_.modes();
  const std::size_t next = (component + 1) % 3;
  const std::size_t last = (component + 2) % 3;
  for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
    Complex* const to = lines + modes.place(2, kz) * fft::lanes;
    const std::size_t at = pencils_.spectral_place(block.kx, block.ky, kz);
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::array<double, 3> k{k_[0][block.kx], k_[1][block.ky + lane], k_[2][kz]};
      const Complex curl = k[next] * u_[last][at + lane] - k[last] * u_[next][at + lane];
      to[lane] = {-curl.imag(), curl.real()};
    }
  }
}

void Flow::Substep::rows(std::size_t worker, std::size_t y, std::size_t z, std::span<double* const> in,
                         std::span<double* const> out) const {
  if (look_) {
    const std::size_t own_in = velocity_fields(parameters_.form).in;
    look_({.y = y, .z = z, .velocity = in.first(3), .scalars = in.subspan(own_in), .mean = frame_.velocity()});
  }
  const auto function = parameters_.form == Form::divergence ? loops_.stress : loops_.lamb;
  std::array<double*, 5> own{};
  for (std::size_t i = 0; i < velocity_fields(parameters_.form).out; ++i) own[i] = out[physics_.out_of(i)];
  const double rate = function(pencils_.modes().points()[0], in.data(), own.data(), rate_per_speed_.data());
  physics_.rows(in, out);
  largest_[worker].rate = exchange::larger(largest_[worker].rate, rate);
}

void Flow::Substep::mix(const fft::LineBlock& block, std::span<Complex* const> lines) const {
  std::array<double, 2 * fft::lanes> kx{};
  for (std::size_t lane = 0; lane < block.count; ++lane) kx[2 * lane] = kx[2 * lane + 1] = k_[0][block.kx[lane]];
  if (parameters_.form == Form::divergence) {
    std::array<double*, 5> own{};
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = numbers(lines[physics_.out_of(i)]);
    loops_.mix_stress(ky_by_place_.size(), kx.data(), ky_by_place_.data(), own.data());
  }
  physics_.mix(kx.data(), ky_by_place_, lines);
}

kernels::ColumnNumbers Flow::Substep::column_numbers(const fft::ColumnBlock& block) const {
  kernels::ColumnNumbers at;
  at.columns = block.count;
  at.stride = 2 * pencils_.ky().size();
  at.kx = k_[0][block.kx];
  for (std::size_t j = 0; j < 2 * block.count; ++j) {
    const std::size_t ky = block.ky + j / 2;
    at.ky[j] = k_[1][ky];
    at.decay[j] = decay_.whole[0][block.kx] * decay_.whole[1][ky];
    at.half_decay[j] = decay_.half[0][block.kx] * decay_.half[1][ky];
    at.radius2[j] = radius2_[0][block.kx] + radius2_[1][ky];
  }
  at.limit2 = limit2_;
  at.dt = dt_;
  at.scale = 1.0 / static_cast<double>(fft::product(pencils_.modes().points()));
  return at;
}

kernels::Modes3 Flow::Substep::piece(const Fields& fields, std::size_t at) const {
  return {numbers(fields[0].data() + at), numbers(fields[1].data() + at), numbers(fields[2].data() + at)};
}

void Flow::Substep::store(std::size_t worker, const fft::ColumnBlock& block, std::span<Complex* const> lines) const {
  static_assert(fft::lanes == kernels::width);
  const fft::Modes& modes = pencils_.modes();
  const kernels::ColumnNumbers columns = column_numbers(block);
  const auto [gap_begin, gap_end] = modes.gap(2);
  const std::array<std::array<std::size_t, 3>, 2> parts{{{0, gap_begin, 0}, {gap_begin, modes.count(2), gap_end}}};
  const auto advance = parameters_.form == Form::divergence ? loops_.advance_stress : loops_.advance_lamb;
  const auto advance_more =
      parameters_.form == Form::divergence ? physics_loops_.advance_stress : physics_loops_.advance_lamb;
  std::array<double*, 4> own{};
  for (std::size_t i = 0; i < velocity_fields(parameters_.form).mixed; ++i) own[i] = numbers(lines[i]);
  physics_.shift_back(block, lines);
  const bool has_more = physics_.acts_on(block);
  const kernels::Physics physics = has_more ? physics_.at(worker, block, lines) : kernels::Physics{};
  const std::size_t at = pencils_.spectral_place(block.kx, block.ky, 0);
  for (const auto& [begin, end, place] : parts) {
    const kernels::RowNumbers rows{.rows = end - begin,
                                   .first_row = begin,
                                   .first_place = place,
                                   .kz = k_[2].data() + begin,
                                   .decay = decay_.whole[2].data() + begin,
                                   .half_decay = decay_.half[2].data() + begin,
                                   .radius2 = radius2_[2].data() + begin};
    if (has_more) {
      advance_more(substage_, columns, rows, own.data(), piece(u_, at), piece(base_, at), piece(acc_, at), physics);
    } else {
      advance(substage_, columns, rows, own.data(), piece(u_, at), piece(base_, at), piece(acc_, at));
    }
  }
  const bool is_last = substage_ == kernels::Substage::rk2_last || substage_ == kernels::Substage::rk4_last;
  if (!is_last || !frame_.moves()) return;
  for (const std::span<Complex> field : carried_) frame_.leave(block, field.data() + at);
}

}  // namespace tacit::dns
