// What the tasks of one cell touch: groups of fields, each a datum of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"
#include "tacit/solvers/sph/kernels/vector/drift.hpp"
#include "tacit/solvers/sph/time_line.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

/// Boxes around the groups of a cell.
struct GroupBoxes {
  kernels::vector::BoxSides sides;

  [[nodiscard]] kernels::Box operator[](std::size_t g) const noexcept {
    const auto side = [this, g](std::size_t number) { return sides.sides[number * sides.stride + g]; };
    return {{side(0), side(1), side(2)}, {side(3), side(4), side(5)}};
  }
  /// Numbers between the sides of so many groups: whole packs.
  [[nodiscard]] static std::size_t stride_for(std::size_t groups) noexcept {
    constexpr std::size_t lanes = 8;  // of the widest pack of such numbers
    return (groups + lanes - 1) / lanes * lanes;
  }
  /// Numbers that the boxes of so many groups take.
  [[nodiscard]] static std::size_t room_for(std::size_t groups) noexcept { return 6 * stride_for(groups); }
};

/// What others look at first, to pass over the cell.
struct CellBounds {
  kernels::Box box;  ///< around all its particles; written by drift
  double h = 0.0;    ///< largest smoothing length; written by drift and density
};

/// What neighbours see first: position, mass and the predicted state. Written by drift. Groups are those of the gas,
/// which comes first in the cell: others have no neighbours.
struct Motion {
  std::span<double> x, y, z, m;
  std::span<float> vx_p, vy_p, vz_p;
  std::span<double> thermal_p;
  GroupBoxes boxes;                       ///< around each group of the gas
  std::span<const std::uint32_t> groups;  ///< their begins, relative to the cell's first particle; the end last
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
  /// Particles of gas; all where there are no groups.
  [[nodiscard]] std::size_t gas() const noexcept { return groups.empty() ? size() : groups.back(); }
};

/// The state as integrated, and the particles' own steps; only the cell's own tasks read it.
struct Integrated {
  std::span<const std::uint64_t> id;
  std::span<double> vx, vy, vz, thermal;
  std::span<double> rho_before;  ///< written when a step closes
  std::span<std::uint8_t> bin;
  // From where particles drift; empty where all take the same step.
  std::span<double> x_before, y_before, z_before, h_before, omega_P_before;
  std::span<float> cs_before;
};

/// Results of the density loop.
struct Hydro {
  std::span<double> h, rho, omega_P;
  std::span<float> f, cs, balsara, div_v, alpha_v;
  std::span<float> div_v_before, alpha_v_before;  ///< of the step before, written when a step closes
  std::span<double> group_h;                      ///< largest h in each group of the cell
};

/// Results of the loop over gradients.
struct Gradients {
  std::span<float> alpha_d;
  std::span<float> alpha_d_before;  ///< of the step before, written when a step closes
};

/// What other particles attract each with; empty without gravity of their own.
struct Attraction {
  std::span<float> gx, gy, gz, phi;
  std::span<const std::uint8_t> type;  ///< empty: all are gas
  std::span<double> phi_da, phi_at;    ///< empty in a box that does not expand
  [[nodiscard]] std::uint8_t type_of(std::size_t i) const noexcept { return type.empty() ? std::uint8_t{0} : type[i]; }
};

/// Results of the force loop.
struct Forces {
  std::span<float> ax, ay, az;
  std::span<double> dthermal_dt;
  std::span<float> v_sig, dt;
};

/// What a cell's tasks tell the solver after a run of the graph; each value has one writer.
struct CellReport {
  static constexpr std::uint64_t none = ~0ULL;
  std::int64_t drifted_to = 0;  ///< drift: ticks of its positions; individual steps only
  bool out_of_reach = false;    ///< density: an h outgrew the lists
  /// density: the number, among all particles, of one whose support is too short for the cell's floats.
  std::uint64_t unresolved = none;
  // The rest is written by the kick.
  std::uint8_t lowest_bin = 0, highest_bin = 0;          ///< of its particles; an empty cell: last_bin and 0
  std::uint8_t lowest_gas_bin = 0, highest_gas_bin = 0;  ///< of its gas, likewise
  std::int64_t active_at = -1;                           ///< ticks at which particles of the cell were active last
  std::uint64_t active_count = 0;                        ///< how many they were
  std::uint8_t lowest_active_bin = TimeLine::last_bin;   ///< which the gas among them then got
  CellBounds active;                                     ///< around that gas; individual steps only
  std::int64_t woken_at = -1;                            ///< wake: ticks at which a particle of the cell was woken last
  /// Shortest stable step of the particles that were active last, or since they were sorted of all [time]; infinite
  /// without any.
  double dt = std::numeric_limits<double>::infinity();
  double a_max = 0.0;                                             ///< largest acceleration
  double v_max = 0.0;                                             ///< largest speed
  double gas_v_max = 0.0;                                         ///< of the gas, or more
  float slowest_signal = std::numeric_limits<float>::infinity();  ///< least of the particles' largest signal velocities
  std::uint64_t not_finite = none;                                ///< ID of a particle whose state is not finite
};

/// What the tasks of a cell have taken since its rank last counted [ticks]. Each number has one writer.
struct CellCost {
  enum Kind : std::uint8_t { drift, multipole, gravity, density, gradient, force, kick, limit, wake, kinds };
  std::array<std::int64_t, kinds> ticks{};
  [[nodiscard]] std::int64_t total() const noexcept {
    return std::accumulate(ticks.begin(), ticks.end(), std::int64_t{0});
  }
};

struct LastRecords;

struct CellData {
  tasks::Data<Motion> motion;
  tasks::Data<Integrated> integrated;
  tasks::Data<Hydro> hydro;
  tasks::Data<Gradients> gradients;
  tasks::Data<Attraction> attraction;  ///< only with gravity of the particles' own
  tasks::Data<Forces> forces;
  tasks::Data<std::span<std::uint8_t>> limits;  ///< highest bins that neighbours allow
  tasks::Data<LastRecords*> logged;             ///< of all cells; the cell's own particles in it; only with a log

  /// Points the views at the cell's slice of `gas`; again whenever particles were sorted. Views of arrays that are not
  /// there are empty.
  /// @param groups   begins of the groups of the cell's gas, and the end
  /// @param boxes    of the groups
  /// @param group_h  one for each group
  /// @param limit    of the cell's particles
  void bind(Gas& gas, const particles::Range& range, std::span<const std::uint32_t> groups, const GroupBoxes& boxes,
            std::span<double> group_h, std::span<std::uint8_t> limit);
};

}  // namespace tacit::sph
