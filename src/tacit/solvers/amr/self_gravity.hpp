// What gravity of the gas on itself does in a step: to momentum, and to energy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/gravity.hpp"
#include "tacit/solvers/amr/leaf_costs.hpp"
#include "tacit/solvers/amr/pencils.hpp"
#include "tacit/solvers/amr/rotation/driving.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// Sources of gravity in the stages of a step, and the work of the whole step:
///
///     d(rho v)/dt = ... + rho g        dE/dt = ... + sum over axes of (F_low + F_high) / 2 g
///
/// with mass fluxes F through the faces of a cell. Behind the last stage, when the potential of the new state is
/// known, this work is replaced by
///
///     dt / dx sum over axes of [F_high (phi - phi_high) + F_low (phi_low - phi)]
///
/// of the mean fluxes of all stages, and of the mean potential of the states before and after the step. phi_high is
/// the mean of the potentials at both sides of the face, where levels differ in cells of the coarser one. So the work
/// on all cells is -sum phi d(rho): as the potential of a mass at another one is that of the other at it, minus the
/// change of the potential energy sum rho phi / 2, to rounding. Energy enters and leaves through sides alone.
///
/// Where internal energies have no equation of their own, a cell that would lose half of it by that, or more, keeps the
/// work of the stages; then the sum changes.
///
/// In a frame that turns with Omega around z in the middle of the domain, potential and acceleration are those with the
/// centrifugal ones, -Omega^2 R^2 / 2 and Omega^2 R, so that the sum with rho times this potential is kept likewise
/// (Jacobi's integral); the Coriolis force, 2 rho v x Omega, does no work.
///
/// Here is also the force that takes angular momentum from the gas where it is driven (rotation/driving.hpp).
///
/// @see Springel (2010), Mon. Not. R. Astron. Soc. 401, 791, section 5, and Marcello & Tohline (2012), Astrophys. J.
///      Suppl. 199, 35, for work by potentials and mass fluxes
class SelfGravity {
 public:
  using Neighbours = std::array<std::array<mesh::Beside, 2>, 3>;

  /// All ranks make it. @pre parameters.gravity   All outlive this.
  /// @param costs  of leaves, to which what gravity takes for them is added
  SelfGravity(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
              const std::vector<PencilShape>& shapes, LeafCosts& costs, const engine::Resources& resources);

  /// For another tree, or another division. All ranks call it. @param beside  by own leaf; outlives this
  void rebuild(const std::vector<Neighbours>& beside);
  /// Of the centrifugal force at a place; 0 in a frame at rest.
  [[nodiscard]] double centrifugal_potential(const Point& x) const noexcept;
  /// Finds the fields of a state. All ranks call these three, outside of runs of the scheduler.
  void solve(Moment moment);
  /// Sets what driving does in a step: the part of it that lies before the end of driving counts.
  void drive(double time, double dt);
  /// Remembers the potential before a step, whose state the last solve has been of.
  void begin();
  /// Solves for the state after it, and makes energies right.
  void end(double dt);

  [[nodiscard]] kernels::Variables<const double> field(std::size_t leaf) const noexcept { return gravity_.field(leaf); }
  /// The limit of falling, as a rate that sums over axes of (|v| + c) / dx are compared with [1/time]:
  ///
  ///     largest sqrt(sum_i |g_i| / (2 dx)) of any cell of the leaf
  [[nodiscard]] double rate_of_fall(std::size_t leaf) const;

  /// The rest is for tasks of a leaf. Adds the sources of a stage to the rates of its cells.
  /// @param faces  by axis, shape (cells + 1, lanes): mass fluxes of the stage   @param U  what it begins with
  void add_sources(kernels::Stage stage, std::size_t leaf, kernels::Variables<const double> U,
                   const std::array<const double*, 3>& faces, kernels::Variables<double> rate);
  /// The mean mass fluxes of the stages so far, of the faces at a side. @return shape (lanes)
  [[nodiscard]] double* fluxes_at(std::size_t leaf, std::size_t axis, std::size_t side);

  /// What mass through sides of the domain has taken along in the last step: the potential there times the mass.
  [[nodiscard]] double energy_through_sides(std::size_t leaf) const { return through_sides_[place(leaf)]; }

  /// What driving has added to a leaf in the last step of dt.
  [[nodiscard]] Turned driven(std::size_t leaf, double dt) const;

  [[nodiscard]] std::size_t bytes_held() const noexcept;

 private:
  [[nodiscard]] std::size_t place(std::size_t leaf) const noexcept { return leaf - grids_.own().begin; }
  [[nodiscard]] double* faces_of(std::size_t leaf, std::size_t axis) noexcept {
    return faces_.data() + (3 * place(leaf) + axis) * faces_size_;
  }
  [[nodiscard]] const double* potential(std::size_t leaf) const;
  void add_messages();
  void add_centrifugal(std::size_t leaf);
  void take_potentials(const PencilShape& shape, std::size_t leaf, double* at_faces) const;
  void take_side(const PencilShape& shape, std::size_t leaf, std::size_t side, double* to) const;
  void set_work(std::size_t leaf, double dt);

  const AmrParameters& parameters_;
  const mesh::Octree& tree_;
  SubGrids& grids_;
  const std::vector<PencilShape>& shapes_;
  LeafCosts& costs_;
  const std::vector<Neighbours>* beside_ = nullptr;
  tasks::Scheduler& scheduler_;
  Gravity gravity_;
  std::size_t faces_size_;               // of a leaf and an axis
  base::PackVector<double> faces_;       // by own leaf, axis, layer and lane
  base::PackVector<double> work_;        // by own leaf and cell: the mean rate of the stages
  base::PackVector<double> potentials_;  // by own leaf and cell: before the step, then the mean
  base::PackVector<double> copies_;      // likewise, of leaves of others
  std::vector<double> through_sides_;    // by own leaf: energy in the last step
  double driving_rate_ = 0.0;            // in this step
  std::vector<Turned> driven_;           // by own leaf: per time, in the mean of the stages; empty: nothing drives
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  tasks::Activation activation_;
};

}  // namespace tacit::amr
