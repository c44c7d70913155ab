// The settings of multigrid: what the keys of [multigrid] become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd::multigrid {

struct Settings {
  Coordinates block{{2, 2, 2, 2}};        ///< sites of an aggregate along each axis: even
  std::size_t vectors = 20;               ///< test vectors; an aggregate has twice as many columns
  std::size_t setup_iterations = 3;       ///< in which the cycle improves the test vectors
  std::size_t setup_smoothing = 4;        ///< inverse iterations by the smoother before these
  std::size_t smoothing_steps = 2;        ///< after the coarse correction, each over both colours
  std::size_t block_steps = 4;            ///< of minimal residual in a block
  double coarse_tolerance = 0.1;          ///< of the coarse solve
  std::size_t coarse_iterations = 150;    ///< of it, at most
  std::uint64_t seed = 1;                 ///< of the first vectors
  std::filesystem::path setup_file = {};  ///< read instead of all that; empty: none
  bool writes_setup = false;              ///< for other runs
};

/// Four along axes of a multiple of eight sites, else two.
[[nodiscard]] Coordinates usual_block(const Extents& extents) noexcept;

/// Where the parts of some rank are not made of whole aggregates, says so; else empty.
[[nodiscard]] std::string misfit(const Settings& settings, const Extents& extents, const RanksPerAxis& along,
                                 std::size_t ranks);

/// Memory of it on all ranks together [byte], beside the operator in single precision.
[[nodiscard]] double memory_bytes(const Settings& settings, const Extents& extents) noexcept;

}  // namespace tacit::qcd::multigrid
