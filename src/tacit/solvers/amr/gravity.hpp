// Gravity of the gas on itself: the potential of all cells, and their acceleration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/mesh/leaf_division.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/gravity_tables.hpp"
#include "tacit/solvers/amr/gravity_tree.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/kernels/gravity.hpp"
#include "tacit/solvers/amr/rotation/torque.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

class LeafCosts;

struct GravityOptions {
  double constant = 1.0;    ///< G [length^3 mass^-1 time^-2]
  int order = 3;            ///< of expansions: kernels::lowest_gravity_order to kernels::highest_gravity_order
  double angle = 0.5;       ///< 1/3 to 1/2: cubes 1 / angle of their sides apart act by expansions
  bool has_torque = false;  ///< leaves the torque of what is cut off, by which angular momentum drifts
};

/// What gravity sets in each cell, in this order.
inline constexpr std::size_t gravity_variables = 4;  // potential, acceleration along x, y and z

/// Gravity of isolated gas, by the fast multipole method. Cells are point masses at their centres:
///
///     phi_a = -G sum_(b != a) m_b / |x_a - x_b| - G self_potential m_a / h_a       g_a = -grad phi
///
/// h is the spacing, and self_potential makes phi that of the smooth density beside them.
///
/// Cells of blocks near each other act one by one, the others by expansions about the centres of blocks and of cubes of
/// blocks (GravityTree), whose derivatives are tables of offsets. What a acts on b and b on a is cut off alike, so
/// forces add up to zero, and sum_a m'_a phi_a[m] = sum_a m_a phi_a[m'], both to rounding. So do torques, as what is
/// left of them is taken from all mass (NetTorque).
///
/// Each rank gets the masses of all cells, and makes all multipoles; it computes the fields of its own leaves. No bit
/// depends on ranks, threads or the instruction set.
///
/// @see Dehnen (2014), Comput. Astrophys. Cosmol. 1, 1; Marcello (2017), Astron. J. 154, 92, for hydrodynamics on such
///      cells
class Gravity {
 public:
  /// The difference between the integral over the uniform density of a cubic lattice of points and their sum, but for
  /// the one in the place where it is taken: the potential energy of a Wigner lattice without its factor 1/2.
  static constexpr double self_potential = 2.8372974794806;

  /// All ranks make it. @param tree  outlives this   @pre the domain has three axes, and its cells are cubes
  Gravity(const Domain& domain, const GravityOptions& options, const mesh::Octree& tree,
          const engine::Resources& resources);

  /// For the leaves of another tree, or other ranges of them. All ranks call it.
  void rebuild(const mesh::LeafRange& own, const mesh::LeafDivision& division);

  /// Finds the fields of own leaves. All ranks call it, outside of runs of the scheduler.
  /// @param density  of the cells of an own leaf, x fastest
  /// @param costs    to which is added what the fields of own leaves take; null: they are not counted
  void solve(const std::function<const double*(std::size_t leaf)>& density, LeafCosts* costs = nullptr);

  /// Potential and acceleration in the cells of an own leaf, as of the last solve.
  [[nodiscard]] kernels::Variables<const double> field(std::size_t leaf) const noexcept {
    return {fields_.data() + (leaf - own_.begin) * gravity_variables * cells_, cells_};
  }
  /// The same, to add what is not of the gas.
  [[nodiscard]] kernels::Variables<double> field(std::size_t leaf) noexcept {
    return {fields_.data() + (leaf - own_.begin) * gravity_variables * cells_, cells_};
  }
  [[nodiscard]] std::size_t bytes_held() const noexcept;

 private:
  void take_masses(const std::function<const double*(std::size_t leaf)>& density);
  template <int p>
  void find_multipoles(std::size_t group);
  template <int p>
  void expand(std::size_t group);
  template <int p>
  void add_pairs(std::size_t group);
  using UnitArrays = double[gravity_variables][kernels::unit_cells];
  void set_fields(std::uint32_t unit);
  void fill_region(std::uint32_t unit, double* region) const;
  void add_other_sizes(std::size_t group, kernels::UnitSums sums) const;
  [[nodiscard]] MassMoments moments() const;
  void store(std::uint32_t unit, const UnitArrays& near, const UnitArrays& by_blocks);
  [[nodiscard]] const double* masses_of(std::uint32_t unit) const noexcept { return masses_.data() + places_[unit]; }

  const Domain& domain_;
  GravityOptions options_;
  const mesh::Octree& tree_;
  engine::Resources resources_;
  const kernels::GravityLoops loops_;
  std::size_t cells_;  // of a leaf
  mesh::LeafRange own_;
  std::optional<GravityTree> cubes_;
  GravityTables tables_;
  base::PackVector<double> mine_;    // masses of own units, and room up to what the rank with most has
  base::PackVector<double> masses_;  // by rank
  std::vector<std::size_t> places_;  // of units in masses_
  std::optional<comm::AllGather<double>> gather_;
  // In units of powers of the side of a part: M_n / s^|n|, and L_n s^(|n| + 1), so that tables serve all sizes.
  base::PackVector<double> M_;  // by group, part and term: odd orders turned
  base::PackVector<double> L_;  // by group, term and part
  base::PackVector<double> fields_;
  NetTorque torque_;
};

}  // namespace tacit::amr
