// Lists of the neighbours of atoms, brick by brick.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/cells.hpp"
#include "tacit/solvers/md/kernels/pair_loops.hpp"

namespace tacit::md {

/// Two atoms, and the square of their distance [length^2].
struct NearPair {
  double distance2 = 0.0;
  std::uint64_t first = 0, second = 0;  ///< IDs, rising
  friend auto operator<=>(const NearPair&, const NearPair&) = default;
};

/// For each atom of a brick that has lists, all others within reach, in the order of cells and IDs.
class NeighbourLists {
 public:
  /// All must outlive this.
  NeighbourLists(const Atoms& atoms, const CellGrid& grid, const kernels::PairLoops& loops, double reach,
                 std::size_t workers);

  /// Takes the bricks that the grid has now. None has lists then.
  void match_grid() { of_brick_.assign(grid_.listed_bricks(), {}); }
  /// Makes the lists of a brick. Threads: bricks at once, if workers differ.
  void find(std::size_t brick, std::size_t worker);
  /// The atoms of a brick with their lists, for the loops over pairs.
  [[nodiscard]] kernels::PairWork work_of(std::size_t brick) const;
  /// The nearest pair of atoms of which one is this rank's; for initial conditions.
  [[nodiscard]] NearPair nearest() const;

 private:
  /// Neighbours of the atoms of a brick: those of its atom i are atoms[begin[i]] ... atoms[begin[i + 1] - 1].
  struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> atoms;
  };
  struct Scratch {
    base::PackVector<float> x, y, z;
    std::vector<std::uint32_t> atom;
  };
  struct CellCandidates {
    kernels::Candidates candidates;
    std::size_t self = 0;  ///< the first atom of the cell
    double extent = 0.0;   ///< the largest coordinate [length]
  };
  CellCandidates copy_candidates(std::size_t cell, Scratch& scratch) const;

  const Atoms& atoms_;
  const CellGrid& grid_;
  const kernels::PairLoops& loops_;
  const double reach_;
  std::vector<Lists> of_brick_;
  std::vector<Scratch> scratch_;  // by worker
};

}  // namespace tacit::md
