// The loop over the bonds of atoms, for potentials that are sums over centres.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/md/kernels/tersoff.hpp"

namespace tacit::md::kernels {

/// A potential whose energy is a sum over centres, each of which acts with its neighbours alone:
///
///     struct Springs {
///       double reach(std::size_t a, std::size_t b) const;  // the same of (b, a)
///       double cutoff_of(std::size_t type) const;          // the longest reach of a type
///       double bond(std::uint32_t type, std::span<Bonds::Neighbour> neighbours, std::span<base::Vec3> forces) const {
///         double energy = 0.0;
///         for (std::size_t j = 0; j < neighbours.size(); ++j) {
///           energy += ...;
///           forces[j] = ...;  // on the neighbour: minus the derivative of this centre's energy by its place
///         }
///         return energy;
///       }
///     };
///
/// `bond` gets all atoms within reach, of each its distance, direction from the centre, and type; `cutoff` of a
/// neighbour is free for what the potential wants to keep of it. Forces are 0 before.
template <class Potential>
concept BondPotential =
    requires(const Potential& of, std::uint32_t type, std::span<Bonds::Neighbour> all, std::span<base::Vec3> forces) {
      { of.reach(std::size_t{}, std::size_t{}) } -> std::same_as<double>;
      { of.cutoff_of(std::size_t{}) } -> std::same_as<double>;
      { of.bond(type, all, forces) } -> std::same_as<double>;
    };

/// Adds r_ij f_ij of the slots of a centre to the virial of atom i of the work.
inline void add_virial(std::span<const Bonds::Neighbour> neighbours, std::span<const base::Vec3> forces, std::size_t i,
                       const PairSums& sums) {
  double virial[6] = {};
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    const base::Vec3 d = neighbours[n].r * neighbours[n].direction;
    const base::Vec3& f = forces[n];
    virial[0] += d.x * f.x;
    virial[1] += d.y * f.y;
    virial[2] += d.z * f.z;
    virial[3] += d.x * f.y;
    virial[4] += d.x * f.z;
    virial[5] += d.y * f.z;
  }
  for (std::size_t k = 0; k < 6; ++k) sums.virial[k][i] = virial[k];
}

/// Fills the slots. Energy and virial, where they are wanted, are those of the centres' bonds. Neighbours come in the
/// order of the list, so that sums do, too.
template <BondPotential Potential>
void sum_centres(const Potential& potential, const PairWork& work, Bonds& bonds, const PairSums& sums) {
  bonds.begin.assign(1, 0);
  bonds.atom.clear();
  bonds.force.clear();
  for (std::size_t i = 0; i < work.count; ++i) {
    const double* own = work.records + 4 * (work.first + i);
    const auto type = static_cast<std::uint32_t>(own[3]);
    const double farthest = potential.cutoff_of(type);
    bonds.neighbours.clear();
    for (std::size_t at = work.begin[i]; at < work.begin[i + 1]; ++at) {
      const double* other = work.records + 4 * std::size_t{work.lists[at]};
      const base::Vec3 d{other[0] - own[0], other[1] - own[1], other[2] - own[2]};
      const double r2 = base::dot(d, d);
      if (!(r2 < farthest * farthest)) continue;
      const auto their = static_cast<std::uint32_t>(other[3]);
      const double reach = potential.reach(type, their);
      if (!(r2 < reach * reach)) continue;
      const double r = std::sqrt(r2);
      bonds.neighbours.push_back({r, (1.0 / r) * d, their, {}});
      bonds.atom.push_back(work.lists[at]);
    }
    const std::size_t first = bonds.begin.back();
    bonds.begin.push_back(static_cast<std::uint32_t>(bonds.atom.size()));
    bonds.force.resize(bonds.atom.size());
    const std::span<base::Vec3> forces = std::span(bonds.force).subspan(first);
    const double energy = potential.bond(type, bonds.neighbours, forces);
    if (sums.energy == nullptr) continue;
    sums.energy[i] = energy;
    add_virial(bonds.neighbours, forces, i, sums);
  }
}

}  // namespace tacit::md::kernels
