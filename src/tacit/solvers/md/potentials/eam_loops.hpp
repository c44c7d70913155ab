// Loops over the neighbours of embedded atoms: their densities, and then their forces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/solvers/md/kernels/pair_loops.hpp"

namespace tacit::md::kernels {

/// Functions of distance as cubic splines: of each a record for each interval, the coefficients of t^3, t^2, t and 1,
/// where t goes from 0 to 1 in the interval.
struct EamFunctions {
  const double* intervals = nullptr;  ///< aligned as packs are
  double inverse_dr = 0.0;            ///< intervals per length
  std::uint32_t last = 0;             ///< number of the last interval of a function
  double cutoff2 = 0.0;
  const std::uint32_t* density = nullptr;  ///< shape (types, types): of (atom, neighbour) the first interval
  const std::uint32_t* pair = nullptr;     ///< likewise, of r u(r)
};

/// What the forces need of all atoms, found before.
struct Embedding {
  const double* slope = nullptr;           ///< F'(rho) of each atom that has been found
  const std::uint32_t* atom_of = nullptr;  ///< the atom that each record of PairWork is, or is a copy of
};

/// The loops of one instruction set. Sums run in the order of lists and by lanes, as those of PairLoops.
struct EamLoops {
  /// rho of each atom of the work.
  void (*densities)(const PairWork&, const EamFunctions&, double* rho);
  /// Forces; with sums also energies of pairs, halved, and virials.
  void (*forces)(const PairWork&, const EamFunctions&, const Embedding&, const PairSums&);
};

template <class Isa>
[[nodiscard]] EamLoops eam_loops_of() noexcept;

}  // namespace tacit::md::kernels
