// Gradients of one cell: what SPHENIX must know of the neighbours between densities and forces.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

/// The conduction coefficient of a particle, from that at the end of the step before.
void set_conduction(const StepData& data, const CellView& cell, const Gradients& gradients, std::size_t i, double dt,
                    const kernels::SphenixGradients& found) {
  const double H = data.physics.kernel_gamma * cell.hydro.h[i];
  gradients.alpha_d[i] =
      static_cast<float>(kernels::conduction_coefficient(gradients.alpha_d_before[i], found, cell.motion.thermal_p[i],
                                                         H, data.clock.step_of(cell.bin[i], dt), data.physics.sphenix));
}

/// What a particle finds among its neighbours.
kernels::SphenixGradients gradients_of(const StepData& data, const CellView& cell, std::size_t i,
                                       kernels::vector::VectorCache& cache) {
  data.loops.find_within(cache, place_of(cell.motion, i), data.physics.kernel_gamma * cell.hydro.h[i]);
  const auto target = sphenix_target_of(cell, i, target_of(cell, i), 0.0F);
  return data.loops.sphenix_gradients(cache, target, data.physics.sphenix.beta_v);
}

}  // namespace

void compute_gradients(const StepData& data, std::size_t c, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.read(own.hydro);
  if (!data.is_active(c) || motion.gas() == 0) return;
  const Gradients& gradients = step.write(own.gradients);
  Scratch& scratch = data.scratch[step.worker()];
  const std::span<const std::uint8_t> bin = step.read(own.integrated).bin.first(motion.gas());
  const CellView cell{data, c, motion, hydro, bin, {}, data.are_all_active(c)};
  const double support = data.physics.kernel_gamma;
  const Selection all = cell.select(scratch.wanted);
  const bool is_sparse = cell.is_sparse(all);
  const auto collect = [&](const Selection& particles) {
    collect_gas(data, c, {particles.box, support * particles.h, Seen::within}, scratch.cache, step);
  };
  if (!is_sparse) collect(all);
  for (const auto& [g, wanted] : scratch.wanted) {
    if (is_sparse) collect(wanted);
    data.loops.shortlist(scratch.cache, wanted.box, support * wanted.h);
    for (std::size_t i = motion.groups[g]; i < motion.groups[g + 1]; ++i) {
      if (!cell.is_wanted(i)) continue;
      set_conduction(data, cell, gradients, i, step.dt, gradients_of(data, cell, i, scratch.cache));
    }
  }
}

void finish_gradients(const StepData& data, std::size_t c, std::span<const kernels::SphenixGradients> found,
                      tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Gradients& gradients = step.write(own.gradients);
  const CellView cell{data, c, step.read(own.motion), step.read(own.hydro), step.read(own.integrated).bin, {}, true};
  for (std::size_t i = 0; i < found.size(); ++i) set_conduction(data, cell, gradients, i, step.dt, found[i]);
}

}  // namespace tacit::sph
