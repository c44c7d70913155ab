// Loops over the angles between the bonds of an atom, for Tersoff's potential.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tacit::md::kernels {

/// The numbers of a triple that angles need, where all atoms are of one type; see TersoffTriple.
struct AngleNumbers {
  bool is_cubic = true;  ///< m is 3
  double gamma = 1.0;
  double lambda3 = 0.0;
  double c = 0.0;
  double d = 1.0;
  double h = 0.0;
};

/// The neighbours of one centre side by side, and what becomes of them.
struct Star {
  static constexpr std::size_t widest = 8;  ///< doubles in a pack of any set
  static constexpr std::size_t most = 32;   ///< neighbours, a multiple of that
  std::size_t count = 0;
  // Filled up to a multiple of `widest`: with distances of 1, and 0 elsewhere.
  double r[most];
  double x[most], y[most], z[most];  // directions
  double cutoff[most], cutoff_slope[most];
  double zeta[most];                    // of the bond to each
  double by_r[most], by_zeta[most];     // derivatives of the bond's energy
  double fx[most], fy[most], fz[most];  // forces on neighbours
  // Of each pair of neighbours (third, bonded): of the term of zeta the derivatives by the cosine and the distances.
  double by_cosine[most][most], by_r_ij[most][most], by_r_ik[most][most], cosine[most][most];
};

/// The loops of one instruction set: a pack holds the bonds of one centre. Sums run in the order of the neighbours.
struct BondLoops {
  /// zeta of each bond, and the derivatives of its terms.
  void (*find_zeta)(const AngleNumbers&, Star&);
  /// Forces on the neighbours, from the derivatives of the bonds' energies.
  void (*push)(Star&);
};

template <class Isa>
[[nodiscard]] BondLoops bond_loops_of() noexcept;

}  // namespace tacit::md::kernels
