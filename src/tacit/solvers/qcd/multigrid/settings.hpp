// The settings of multigrid: what the keys of [multigrid] become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd::multigrid {

struct Settings {
  Coordinates block{{2, 2, 2, 2}};         ///< sites of an aggregate along each axis: even
  std::size_t levels = 2;                  ///< lattices: the fine one and coarse ones
  Coordinates coarse_block{};              ///< sites of an aggregate of a coarse lattice; 0: usual_coarse_block
  std::size_t vectors = 20;                ///< test vectors; an aggregate has twice as many columns
  std::size_t setup_iterations = 3;        ///< in which the cycle improves the test vectors
  std::size_t setup_at_once = 24;          ///< test vectors that share coarse solves while these are improved, at most
  std::size_t setup_smoothing = 4;         ///< inverse iterations by the smoother before these
  std::size_t smoothing_steps = 2;         ///< after the coarse correction, each over both colours
  std::size_t block_steps = 4;             ///< of minimal residual in a block
  double coarse_tolerance = 0.1;           ///< of the coarse solve
  std::size_t coarse_iterations = 150;     ///< of it, at most
  std::size_t cycle_steps = 5;             ///< iterations on a coarse lattice that has a coarser one, at most
  std::size_t coarse_smoothing_steps = 4;  ///< of GMRES on such a lattice, after each correction by the coarser one
  std::size_t coarse_setup_smoothing = 2;  ///< inverse iterations by these, of test vectors on such a lattice
  std::uint64_t seed = 1;                  ///< of the first vectors
  std::filesystem::path setup_file = {};   ///< read instead of all that; empty: none
  bool writes_setup = false;               ///< for other runs
};

/// Four along axes of a multiple of eight sites, else two.
[[nodiscard]] Coordinates usual_block(const Extents& extents) noexcept;

/// Two along axes of an even number of sites, else one.
[[nodiscard]] Coordinates usual_coarse_block(const Extents& extents) noexcept;

/// Extents of the aggregates of each lattice that has a coarser one: Settings::levels - 1, the fine one first. They may
/// not divide it.
[[nodiscard]] std::vector<Coordinates> blocks_of_levels(const Settings& settings, const Extents& extents);

/// The lattice whose sites are boxes of another. @pre they divide it
[[nodiscard]] Extents coarser(const Extents& extents, const Coordinates& block) noexcept;

/// Where the parts of some rank are not made of whole aggregates of all levels, says so; else empty.
[[nodiscard]] std::string misfit(const Settings& settings, const Extents& extents, const RanksPerAxis& along,
                                 std::size_t ranks);

/// Memory of it on all ranks together [byte], beside the operator in single precision.
/// @param fields  that cycles are applied to at once
[[nodiscard]] double memory_bytes(const Settings& settings, const Extents& extents, std::size_t fields = 1) noexcept;

}  // namespace tacit::qcd::multigrid
