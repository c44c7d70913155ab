// What the tasks of one cell touch: four groups of fields, each a datum of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tacit/particles/cell_grid.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

/// What neighbours see first: position, mass and the predicted state. Written by kick_drift.
struct Motion {
  std::span<double> x, y, z, m, vx_p, vy_p, vz_p, A_p;
};

/// The state as integrated; nobody but the cell itself looks at it.
struct Integrated {
  std::span<const std::uint64_t> id;
  std::span<double> vx, vy, vz, A;
};

/// Results of the density loop.
struct Hydro {
  std::span<double> h, rho, omega_P, cs, balsara, div_v;
};

/// Results of the force loop.
struct Forces {
  std::span<double> ax, ay, az, dA_dt, v_sig;
};

/// What a cell's tasks tell the solver after a run of the graph; each value has one writer.
struct CellReport {
  static constexpr std::uint64_t none = ~0ULL;
  bool out_of_reach = false;  ///< density: an h outgrew the lists
  /// force: shortest stable step of its particles [time]; infinite in an empty cell
  double dt = std::numeric_limits<double>::infinity();
  double a_max = 0.0;               ///< force: largest acceleration
  double v_max = 0.0;               ///< kick: largest speed
  std::uint64_t not_finite = none;  ///< kick: ID of a particle whose state is not finite
};

struct CellData {
  tasks::Data<Motion> motion;
  tasks::Data<Integrated> integrated;
  tasks::Data<Hydro> hydro;
  tasks::Data<Forces> forces;

  /// Points the views at the cell's slice of `gas`; again whenever particles were sorted.
  void bind(Gas& gas, const particles::Range& range);
};

}  // namespace tacit::sph
