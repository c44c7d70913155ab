// The loops of self-gravity on the lattice of the cells; compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tacit::amr::kernels {

/// Blocks of 4^3 cells are what expansions are made of; eight of them are a unit of 8^3 cells. Cells of a unit stand
/// block by block, the lower axis fastest in both.
inline constexpr std::size_t block_cells = 64;
inline constexpr std::size_t blocks_of_unit = 8;
inline constexpr std::size_t unit_cells = block_cells * blocks_of_unit;
/// Blocks further apart than this along an axis never act cell by cell.
inline constexpr int most_reach = 2;
inline constexpr int lowest_gravity_order = 2;
inline constexpr int highest_gravity_order = 5;

/// Numbers of each cell of a unit: minus the potential, and the acceleration, in units of the spacing.
struct UnitSums {
  double* psi = nullptr;
  double* ax = nullptr;
  double* ay = nullptr;
  double* az = nullptr;
};

/// What cells of one spacing do to those of a unit, which see the same lattice: a table of offsets says all.
struct NearWork {
  int reach = 1;                   ///< in blocks
  const double* masses = nullptr;  ///< shape (w, w, w), w = 8 + 8 reach: around the unit, x fastest; 0 where no cell is
  /// shape (e, e, e, 4), e = 4 reach + 4: of an offset in cells without signs, x fastest, 1/r and the offset over r^3
  const double* table = nullptr;
  /// shape (2 reach + 1, 2 reach + 1): by block offset along z and y, how far the blocks reach along x; -1: none is
  /// near
  const int* along_x = nullptr;
  UnitSums sums;  ///< x fastest in the whole unit; set
};

/// What the cells of a block do to those of another one of any spacing.
struct PairWork {
  const double* masses = nullptr;    ///< shape (64)
  double x = 0.0, y = 0.0, z = 0.0;  ///< of the first cell of the sources from the first of the sinks, in their spacing
  double spacing = 1.0;              ///< of the sources
  UnitSums sums;                     ///< shape (64), added to
};

/// What eight siblings get from one node beside their parent or its neighbours.
struct SiblingsWork {
  const double* M = nullptr;  ///< shape (terms): of the source, odd orders turned
  const double* D = nullptr;  ///< shape (terms, 8): derivatives at each sibling; 0 where it gets nothing
  double* L = nullptr;        ///< shape (terms, 8), added to
};

/// A local expansion at the cells of its block.
struct CellsWork {
  const double* L = nullptr;          ///< terms, 8 apart
  const double* monomials = nullptr;  ///< shape (terms, 64): r^n / n! of the cells
  UnitSums sums;                      ///< shape (64), set
};

/// The loops of one instruction set. Lanes are sinks and nothing is contracted: all sets give the same bits.
struct GravityLoops {
  void (*add_near)(const NearWork&);
  void (*add_pair)(const PairWork&);
  void (*add_siblings[highest_gravity_order + 1])(const SiblingsWork&);  // by order; null below the lowest
  void (*at_cells[highest_gravity_order + 1])(const CellsWork&);
};

template <class Isa>
[[nodiscard]] GravityLoops gravity_loops_of() noexcept;

}  // namespace tacit::amr::kernels
