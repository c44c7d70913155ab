// Profiles along an axis of the box: densities, temperature, velocity and stress of slabs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/engine/averages/block_averages.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/step.hpp"
#include "tacit/solvers/md/units.hpp"

namespace tacit::md {

/// Slabs of equal width across an edge of the box, which cover it; of each
///
///     density of a type = <N> / V,    v = <sum m v> / <sum m>,    T = <sum m |v|^2> / (3 <N> k_B)
///     pressure tensor   = (sum m v v + sum of the virials of its atoms) / V
///
/// where an atom has half of the virial of its pairs, and what it has of bonds of more atoms. T counts a velocity of
/// the slab, too; its error is that of what a slab has beyond the temperature of all atoms. T and v are not numbers
/// where there never was an atom. What lies beyond the cutoff is not in the stress.
///
/// Sums are exact: bits do not depend on ranks or threads.
///
/// @see Thompson, Plimpton & Mattson (2009), J. Chem. Phys. 131, 154107 (virials of atoms)
class Slabs {
 public:
  /// All ranks make it.
  Slabs(const SlabSampling& sampling, std::vector<double> masses, const Units& units,
        const engine::Resources& resources);

  /// Takes a sample. All ranks call it. @param of_atoms  energies and virials of the rank's atoms
  void sample(const Atoms& atoms, const Box& box, const PerAtom& of_atoms);

  [[nodiscard]] std::size_t count() const noexcept { return slabs_; }
  [[nodiscard]] std::size_t axis() const noexcept { return axis_; }
  [[nodiscard]] std::uint64_t samples() const noexcept { return averages_.count(); }
  /// Of a slab. @pre samples() > 0
  [[nodiscard]] engine::BlockEstimate density(std::size_t slab, std::size_t type) const;
  [[nodiscard]] engine::BlockEstimate temperature(std::size_t slab) const;
  /// @param component  xx yy zz xy xz yz; in the unit of the pressure of statistics
  [[nodiscard]] engine::BlockEstimate stress(std::size_t slab, std::size_t component) const {
    return of(slab, types_ + 2 + component);
  }
  [[nodiscard]] engine::BlockEstimate velocity(std::size_t slab, std::size_t along) const;

  [[nodiscard]] std::vector<double> state() const { return averages_.state(); }
  /// @throws base::Error if it is none of these types and slabs
  void restore(std::span<const double> state);

 private:
  [[nodiscard]] engine::BlockEstimate of(std::size_t slab, std::size_t quantity) const {
    return averages_.estimate(slab * quantities() + quantity);
  }
  [[nodiscard]] std::size_t quantities() const noexcept { return types_ + 11; }

  std::size_t slabs_;
  std::size_t axis_;
  std::vector<double> masses_;
  std::size_t types_;
  Units units_;
  exchange::RankReductions reductions_;
  // Shape (slabs, quantities): densities of types, T times their sum, the same beyond that of all atoms, stress,
  // density of momentum.
  engine::BlockAverages averages_;
};

}  // namespace tacit::md
