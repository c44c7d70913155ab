// Loops over the neighbours of atoms: lists of them, and the forces of potentials of pairs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/solvers/md/kernels/lennard_jones.hpp"

namespace tacit::md::kernels {

/// Possible neighbours of the atoms of a cell, side by side, relative to a place near them and rounded to floats: lists
/// may hold a little more than what is within reach, so that twice as many are looked at together.
struct Candidates {
  const float* x = nullptr;
  const float* y = nullptr;
  const float* z = nullptr;
  const std::uint32_t* atom = nullptr;
  std::size_t count = 0;  ///< there is room for a pack of floats behind
};

/// Where what is found of atoms goes; of the sums where they are wanted.
struct PairSums {
  double* fx = nullptr;
  double* fy = nullptr;
  double* fz = nullptr;
  double* energy = nullptr;  ///< null: neither this nor the virial is wanted. Half of u of each pair
  double* virial[6] = {};    ///< xx yy zz xy xz yz of half of r_ij f_ij of each pair
  bool adds = false;         ///< of pairs: to what is there
};

/// Atoms with their lists of neighbours.
struct PairWork {
  const double* records = nullptr;       ///< of all atoms: x, y, z, type
  std::size_t first = 0;                 ///< atom
  std::size_t count = 0;                 ///< of atoms
  const std::uint32_t* begin = nullptr;  ///< shape (count + 1): places of each list
  const std::uint32_t* lists = nullptr;  ///< each filled up to a multiple of `width` with an atom that is nowhere
  const double* of_pairs = nullptr;      ///< shape (types, types, fields of the potential)
  std::size_t types = 1;
  const double* intervals = nullptr;  ///< of tables, see TabulatedPair
};

/// The loops of one instruction set. Every atom sums its own neighbours, in the order of its list and by lanes: so the
/// same on any threads, but another instruction set rounds otherwise.
struct PairLoops {
  static constexpr std::size_t widest = 16;  ///< floats in a pack of any set
  std::size_t width = 1;                     ///< lists are filled up to multiples of it
  /// Writes the candidates nearer to one of them than the reach, but not that one, and fills up with `nowhere`. There
  /// must be room for `count` and a pack of floats. @param self  number of the candidate  @return how many are written
  std::size_t (*find)(std::size_t self, const Candidates&, float reach2, std::uint32_t nowhere, std::uint32_t* to);
  /// Forces; with sums also energies and virials.
  void (*lennard_jones)(const PairWork&, const PairSums&);
  void (*force_shifted)(const PairWork&, const PairSums&);
  void (*morse)(const PairWork&, const PairSums&);
  void (*buckingham)(const PairWork&, const PairSums&);
  void (*damped_coulomb)(const PairWork&, const PairSums&);
  void (*universal_repulsion)(const PairWork&, const PairSums&);
  void (*tabulated)(const PairWork&, const PairSums&);
};

template <class Isa>
[[nodiscard]] PairLoops pair_loops_of() noexcept;

}  // namespace tacit::md::kernels
