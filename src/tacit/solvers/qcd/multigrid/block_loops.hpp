// The loops of multigrid over blocks of 2^4 sites: Schwarz's smoother, and what goes between fine and coarse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/solvers/qcd/kernels/dirac.hpp"

namespace tacit::qcd::multigrid {

/// Sites of a block. Site c has the coordinates (c & 1, c >> 1 & 1, c >> 2 & 1, c >> 3 & 1) in it.
inline constexpr std::size_t block_sites = 16;
/// Numbers of a coarse vector that a test vector and a chirality give, per lane: a complex one.
inline constexpr std::size_t chiralities = 2;

/// What a block knows of the operator; as in kernels::Hopping, [..][lane].
struct BlockOperator {
  const float* links = nullptr;
  const float* clover = nullptr;  ///< null: the local term is `mass`
  float mass = 0.0F;
  std::size_t first_odd = 0;  ///< the first odd site of the fields
};

/// Some blocks, one after the other, and in each of them some lanes.
struct SomeBlocks {
  const std::uint32_t* blocks = nullptr;
  const std::uint32_t* lanes = nullptr;  ///< lane l in bit l, of each
  std::size_t count = 0;
};

/// Test vectors as the columns of P: each of them twice, once for each chirality, spins 0 and 1 or 2 and 3.
struct Columns {
  const float* const* vectors = nullptr;  ///< fields of all sites
  std::size_t count = 0;
  std::size_t first_odd = 0;
};

/// The loops of one instruction set. Every lane is computed alone, as in kernels::Loops: the same bits in each.
/// Coarse numbers of a block are [block][column][chirality][re, im][lane].
struct BlockLoops {
  std::size_t lanes = 1;
  /// e <- some steps of minimal residual for D_B e = r from e = 0, in each block B by itself: D_B is D without the
  /// neighbours outside. In lanes that are not asked for, e <- 0.
  void (*solve)(const BlockOperator&, std::size_t steps, const SomeBlocks&, const float* r, float* e);
  /// w <- w - D_B psi, for blocks [first, last)
  void (*subtract)(const BlockOperator&, const float* psi, float* w, std::size_t first, std::size_t last);
  /// sums <- P^+ psi of each block by itself, over the sites that are in the mask. @param sites  site c in bit c
  void (*restrict_to)(const Columns&, std::uint32_t sites, const float* psi, float* sums, std::size_t first,
                      std::size_t last);
  /// psi <- psi + P coarse
  void (*prolong)(const Columns&, const float* coarse, float* psi, std::size_t first, std::size_t last);
  /// psi <- factors psi, where factors are [block][chirality][lane]
  void (*scale)(const float* factors, std::size_t first_odd, float* psi, std::size_t first, std::size_t last);
};

template <class Isa>
[[nodiscard]] BlockLoops block_loops_of() noexcept;

/// Those for packs of so many lanes.
[[nodiscard]] BlockLoops block_loops_for(std::size_t lanes);

}  // namespace tacit::qcd::multigrid
