// Takes from the acceleration of gravity the torque, and the force, that what is cut off has left to all gas together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/leaf_division.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// Of all mass, about the middle of the domain.
struct MassMoments {
  double mass = 0.0;
  std::array<double, 3> first{};   ///< sum m x [mass length]
  std::array<double, 6> second{};  ///< sum m x_i x_j: xx, xy, xz, yy, yz, zz [mass length^2]
};

/// What gravity of the gas on itself does to all of it, about the middle of the domain.
struct NetAction {
  std::array<double, 3> force{};   ///< sum m g
  std::array<double, 3> torque{};  ///< sum m x cross g
};

/// An acceleration of rigid motion: shift + turn cross x, with x from the middle of the domain.
struct RigidAcceleration {
  std::array<double, 3> shift{};
  std::array<double, 3> turn{};
};

/// The one that undoes a net action: around the centre of mass X,
///
///     I turn = -(torque - X cross force)        shift = -force / mass - turn cross X
///
/// where I is the tensor of inertia about X. Where all mass is on a line, or in a place, I has no inverse, and only the
/// force is undone.
[[nodiscard]] RigidAcceleration opposite_of(const NetAction& action, const MassMoments& moments) noexcept;

/// Makes angular momentum of the gas that attracts itself constant to rounding, as its momentum is. Expansions of
/// cubes about their centres that are cut off at order p have forces between each two cubes that are opposite, but not
/// along the line between the cells: a torque of the order p + 1 is left. What all of these add up to is taken from all
/// gas as if it were a rigid body, which is far less than the errors of the accelerations themselves.
///
/// @see Marcello (2017), Astron. J. 154, 92, who does so between each two cubes, with expansions about centres of mass
class NetTorque {
 public:
  using DensityOf = std::function<const double*(std::size_t leaf)>;
  using FieldOf = std::function<kernels::Variables<double>(std::size_t leaf)>;

  /// All outlive this.
  NetTorque(const Domain& domain, const mesh::Octree& tree, const engine::Resources& resources);

  /// All ranks call it, outside of runs of the scheduler. No bit depends on ranks or threads.
  /// @param density  of the cells of an own leaf, x fastest   @param field  of it: potential, acceleration
  void remove(const mesh::LeafRange& own, const MassMoments& moments, const DensityOf& density, const FieldOf& field);

 private:
  [[nodiscard]] NetAction action_of(std::size_t leaf, const double* density,
                                    kernels::Variables<const double> field) const;
  [[nodiscard]] Point first_cell(std::size_t leaf) const;

  const Domain& domain_;
  const mesh::Octree& tree_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
};

}  // namespace tacit::amr
