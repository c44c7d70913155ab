// Counts the operations and bytes of a step: of the loops over pairs or bonds, and of the motion.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/update_cost.hpp"

#include <algorithm>
#include <numbers>

namespace tacit::md {
namespace {

/// A pair of the list (kernels/pair_loops.isa.cpp): separation and its square 8, potential 8, force 3, sums 3; a force
/// that ends at the cutoff 3 more.
double pair_flops(Potential which, const MdParameters& parameters) {
  // An exponential takes 45.
  // A series of 20 terms for erfc, with an exponential; four exponentials; two cubics.
  if (which == Potential::coulomb) return 155.0;
  if (which == Potential::zbl) return 220.0;
  if (which == Potential::table) return 40.0;
  if (which != Potential::lennard_jones) return 75.0;
  return parameters.lennard_jones.truncation == kernels::Truncation::force_shifted ? 25.0 : 22.0;
}

/// Atoms of covalent solids have four bonds, few enough that others do not matter; lists see to the rest of those that
/// are near. For each of their angles (kernels/bond_loops.isa.cpp) zeta takes 25 operations, 72 where distances matter,
/// and the forces 30; for each bond distance, cutoff, order, pair terms and their sums take some 100.
double bond_flops(const MdParameters& parameters, double bonds) {
  // Of Stillinger and Weber: for each of the pairs of bonds 35, for each bond two exponentials and their slopes.
  if (parameters.potential == Potential::stillinger_weber) return bonds * (0.5 * (bonds - 1.0) * 35.0 + 120.0);
  const double zeta = parameters.tersoff.of(0, 0, 0).lambda3 != 0.0 ? 72.0 : 25.0;
  return bonds * (bonds * (zeta + 30.0) + 100.0);
}

/// Of a step with md.potential.
engine::UpdateCost cost_alone(const MdParameters& parameters, double neighbours) {
  // Two half kicks and a drift, each a product and a sum along each axis.
  constexpr double motion = 18.0;
  // Kick and drift read and write positions and velocities, read forces, and write the records that neighbours read
  // from cache; the forces read these and the lists; the second kick reads them, and reads and writes velocities.
  const double bytes = (96.0 + 24.0 + 32.0) + (32.0 + 4.0 * neighbours + 24.0) + (24.0 + 48.0);
  if (parameters.potential == Potential::eam) {
    // A pair is looked at twice (potentials/eam_loops.isa.cpp): separation 8, root, place 3, spline 6, sum 1; and again
    // 8, root, place 3, two splines with slopes 13 each, force 14. The slopes of embedding are written and read.
    return {.flops = motion + 62.0 * neighbours, .bytes = bytes + 4.0 * neighbours + 16.0};
  }
  if (parameters.potential != Potential::tersoff && parameters.potential != Potential::stillinger_weber) {
    return {.flops = motion + pair_flops(parameters.potential, parameters) * neighbours, .bytes = bytes};
  }
  const double bonds = std::min(4.0, neighbours);
  constexpr double slot = 24.0 + 4.0;  // of a bond: its force and its atom, written and read
  return {.flops = motion + 8.0 * neighbours + bond_flops(parameters, bonds), .bytes = bytes + 2.0 * slot * bonds};
}

}  // namespace

double neighbours_of_atom(const MdParameters& parameters, double cutoff) {
  const double reach = cutoff + parameters.skin;
  const double density = static_cast<double>(parameters.initial.count) / parameters.initial.atoms.box.volume();
  return 4.0 / 3.0 * std::numbers::pi * reach * reach * reach * density;
}

engine::UpdateCost update_cost(const MdParameters& parameters, double neighbours) {
  engine::UpdateCost cost = cost_alone(parameters, neighbours);
  // Each looks at the whole list again.
  for (const Potential which : parameters.overlay) cost.flops += pair_flops(which, parameters) * neighbours;
  return cost;
}

}  // namespace tacit::md
