// Drives the sweeps over sorted cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/sweep_tasks.hpp"

#include <algorithm>

#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/vector/results.hpp"

namespace tacit::sph {
namespace {

namespace vector = kernels::vector;
using vector::Results;
using vector::sweep_sums;
using vector::SweepSum;

/// One particle's sums.
class Record {
 public:
  Record(const float* sums, std::size_t i) noexcept : at_(sums + sweep_sums * i) {}
  [[nodiscard]] float operator[](SweepSum which) const noexcept { return at_[static_cast<std::size_t>(which)]; }

 private:
  const float* at_;
};

SweepKind kind_of(const StepData& data, SweepFor what) {
  const SphParameters& physics = data.physics;
  const vector::SweepKernels& kernels = data.loops.kernels().sweep;
  const bool is_sphenix = physics.scheme == Scheme::sphenix;
  const double viscosity = is_sphenix ? physics.sphenix.beta_v : physics.alpha;
  const kernels::Space& space = data.loops.space();
  const vector::ForceConstants constants{static_cast<float>(viscosity), static_cast<float>(space.norm),
                                         space.dimension};
  switch (what) {
    case SweepFor::density:
      return {kernels, kernels.density, constants, false, true};
    case SweepFor::gradient:
      return {kernels, kernels.sphenix_gradient, constants, true, false};
    case SweepFor::force:
      break;
  }
  return {kernels, is_sphenix ? kernels.sphenix_force : kernels.force, constants, is_sphenix, false};
}

/// Packs the present state of the cell, however much of it is known yet.
void pack(const StepData& data, std::size_t c, const Motion& motion, const Hydro& hydro, std::span<const float> alpha_d,
          const SweptView& view, SweepRoom& room) {
  const vector::MotionView moving{motion.x, motion.y, motion.z, motion.m, motion.vx_p, motion.vy_p, motion.vz_p};
  vector::GasView gas{hydro.h, hydro.rho, hydro.omega_P, hydro.cs, hydro.balsara, data.physics.kernel_gamma};
  if (data.physics.scheme == Scheme::sphenix) {
    gas.u = motion.thermal_p;
    gas.f = hydro.f;
    gas.alpha_v = hydro.alpha_v;
    gas.alpha_d = alpha_d;
  }
  const vector::Frame& frame = data.swept->cells()[c].frame;
  room.pack(data.loops.kernels().fill, moving, gas, frame, view.packed);
  const double h = hydro.h.empty() ? 0.0 : *std::ranges::max_element(hydro.h);
  // Rounded up, so that no particle at the edge is lost.
  view.reach->H_max = frame.length(data.physics.kernel_gamma * h) * (1.0F + 0x1p-20F);
}

void clear(float* sums, std::size_t particles) { std::fill_n(sums, sweep_sums * particles, 0.0F); }

std::span<const PairDensity> densities_of(const StepData& data, const Motion& motion, const Hydro& hydro,
                                          const vector::Frame& frame, const float* sums,
                                          std::vector<PairDensity>& found) {
  const Results results{frame, data.loops.space()};
  const double weight = vector::own_weight(data.loops.kernels());
  found.resize(motion.size());
  for (std::size_t i = 0; i < motion.size(); ++i) {
    const Record sum(sums, i);
    const double own = weight * static_cast<double>(frame.mass(motion.m[i]));
    const auto density =
        results.density({own + static_cast<double>(sum[SweepSum::a]), double{sum[SweepSum::b]}}, hydro.h[i]);
    found[i] = {density, results.gradients({sum[SweepSum::c], sum[SweepSum::x], sum[SweepSum::y], sum[SweepSum::z]},
                                           hydro.h[i], density.rho)};
  }
  return found;
}

std::span<const kernels::SphenixGradients> gradients_of(const StepData& data, const Hydro& hydro,
                                                        const vector::Frame& frame, const float* sums,
                                                        std::vector<kernels::SphenixGradients>& found) {
  const Results results{frame, data.loops.space()};
  found.resize(hydro.h.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Record sum(sums, i);
    found[i] =
        results.sphenix_gradients({sum[SweepSum::a], sum[SweepSum::largest], sum[SweepSum::other_largest]}, hydro.h[i],
                                  static_cast<double>(hydro.cs[i]), static_cast<double>(hydro.alpha_v[i]));
  }
  return found;
}

std::span<const Rates> rates_of(const StepData& data, const Hydro& hydro, const vector::Frame& frame, const float* sums,
                                std::vector<Rates>& found) {
  const Results results{frame, data.loops.space()};
  const SphParameters& physics = data.physics;
  found.resize(hydro.h.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Record sum(sums, i);
    const double cs = hydro.cs[i];
    if (physics.scheme == Scheme::sphenix) {
      const auto force = results.sphenix_force(
          {sum[SweepSum::x], sum[SweepSum::y], sum[SweepSum::z], sum[SweepSum::a], sum[SweepSum::largest]}, cs);
      found[i] = {force.a, force.du_dt, force.v_sig};
    } else {
      const auto force = results.force(
          {sum[SweepSum::x], sum[SweepSum::y], sum[SweepSum::z], sum[SweepSum::a], sum[SweepSum::largest]}, cs);
      found[i] = {force.a, kernels::entropy_rate(force.dissipation, hydro.rho[i], physics.gamma), force.v_sig};
    }
  }
  return found;
}

}  // namespace

void pack_cell(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const SweptCell& cell = data.swept->cells()[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.write(own.hydro);
  for (double& h : hydro.h) h = std::min(h, data.physics.smoothing.h_max);
  const SweptView& view = step.write(cell.packed);
  SweepRoom& room = data.swept->scratch(step.worker()).room;
  data.swept->measure(c, data.units);
  pack(data, c, motion, hydro, {}, view, room);
  data.swept->refresh_orders(c, view.packed, room);
  clear(step.write(cell.sums), motion.size());
}

void sweep_cell(const StepData& data, std::size_t c, SweepFor what, const tasks::StepContext& step) {
  const auto cells = data.swept->cells();
  const SweptView& own = step.read(cells[c].packed);
  static_cast<void>(step.write(cells[c].sums));
  const SweepKind kind = kind_of(data, what);
  SweepRoom& room = data.swept->scratch(step.worker()).room;
  room.sweep_self(kind, own.packed, cells[c].own_axis, *own.reach);
  for (const auto& image : data.swept->own_images(c)) {
    room.sweep_pair(kind, own.packed, own.packed, image, *own.reach, *own.reach);
  }
  for (const SweptPair& pair : data.swept->pairs(c)) {
    const SweptView& other = step.read(cells[pair.far].packed);
    static_cast<void>(step.write(cells[pair.far].sums));
    for (const auto& image : data.swept->images(pair)) {
      room.sweep_pair(kind, own.packed, other.packed, image, *own.reach, *other.reach);
    }
  }
}

void finish_sweep(const StepData& data, std::size_t c, SweepFor what, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const SweptCell& cell = data.swept->cells()[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.read(own.hydro);
  float* const sums = step.write(cell.sums);
  auto& scratch = data.swept->scratch(step.worker());
  switch (what) {
    case SweepFor::density:
      finish_densities(data, c, densities_of(data, motion, hydro, cell.frame, sums, scratch.densities), step);
      pack(data, c, motion, hydro, {}, step.write(cell.packed), scratch.room);
      break;
    case SweepFor::gradient:
      finish_gradients(data, c, gradients_of(data, hydro, cell.frame, sums, scratch.gradients), step);
      pack(data, c, motion, hydro, step.read(own.gradients).alpha_d, step.write(cell.packed), scratch.room);
      break;
    case SweepFor::force:
      finish_forces(data, c, rates_of(data, hydro, cell.frame, sums, scratch.rates), step);
      return;  // the next step clears
  }
  clear(sums, motion.size());
}

}  // namespace tacit::sph
