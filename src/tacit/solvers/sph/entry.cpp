// The sph solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/memory_use.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {
namespace {

std::unique_ptr<engine::Solver> make_solver(const config::Parameters& parameters, const engine::Resources& resources,
                                            const io::FileReader* restart) {
  const SphParameters sph = read_parameters(parameters);
  if (restart != nullptr) return std::make_unique<SphSolver>(sph, parameters.units(), *restart, resources);
  return std::make_unique<SphSolver>(sph, parameters.units(), initial_conditions(sph, parameters.units()), resources);
}

/// The time step that the hottest or smallest particle will ask for, with v_sig = 2 c: an upper bound of the first
/// step.
double first_time_step(const SphParameters& sph, const InitialConditions& initial) {
  const double typical = typical_h(sph, initial);
  double dt = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const bool is_ideal = sph.eos.kind == kernels::EquationOfState::Kind::ideal;
    const double c = is_ideal ? std::sqrt(sph.gamma * (sph.gamma - 1.0) * initial.u[i]) : sph.eos.c0;
    const double h = initial.h.empty() ? typical : initial.h[i];
    if (c > 0.0) dt = std::min(dt, sph.cfl * sph.kernel_gamma * h / c);
  }
  return dt;
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t /*ranks*/) {
  SphParameters sph = read_parameters(parameters);
  const InitialConditions initial = initial_conditions(sph, parameters.units());
  set_dimension(sph, initial.dimension);
  const double n = static_cast<double>(initial.size());
  engine::Prediction prediction;
  prediction.elements = initial.size();
  prediction.element_name = "particles";
  prediction.memory_bytes = memory_use(sph, initial);
  // Positions 24, IDs 8, nine more numbers; gzip keeps about 0.7 of single precision.
  const double stored = parameters.flag("output.double_precision") ? 8.0 : 4.0;
  prediction.snapshot_bytes = n * (32.0 + 9.0 * stored) * (parameters.integer("output.compression") > 0 ? 0.75 : 1.0);
  prediction.checkpoint_bytes = n * 8.0 * static_cast<double>(fields.size() + 1);
  const auto carried = static_cast<double>(initial.others.bytes());
  prediction.snapshot_bytes += carried;
  prediction.checkpoint_bytes += carried;
  prediction.start_time = initial.time;
  prediction.first_time_step = first_time_step(sph, initial);
  // Measured with AVX-512 on Zen 5; older processors need two to six times as long.
  prediction.updates_per_core_s = sph.scheme == Scheme::sphenix ? 1.2e6 : 1.9e6;
  return prediction;
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{"sph", "gas dynamics with smoothed particles", &key_tables, &make_solver,
                                             &predict};
  return entry;
}

}  // namespace tacit::sph
