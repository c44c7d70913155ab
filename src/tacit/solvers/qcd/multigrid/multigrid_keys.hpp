// The table [multigrid].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/config/key.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/qcd/multigrid/settings.hpp"

namespace tacit::qcd::multigrid {

inline constexpr std::array keys{
    config::Key::numbers("multigrid.block",
                         "Sites of an aggregate along x, y, z and t, even numbers that divide the part of each rank; "
                         "without it 4 along axes of a multiple of 8 sites, else 2.",
                         {2.0, 1e6})
        .with_example("[4, 4, 4, 4]")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.levels", {.lower = 2, .upper = 16},
                         "Lattices: the fine one, and so many coarse ones less one, each coarser than the one before. "
                         "More than two pay where coarse solves take most of the time.",
                         "2")
        .needs("solve.method", "multigrid"),
    config::Key::numbers("multigrid.coarse_block",
                         "Sites of an aggregate of a coarse lattice along x, y, z and t, where there are more than two "
                         "levels; without it 2 along axes of an even number of its sites, else 1.",
                         {1.0, 1e6})
        .with_example("[2, 2, 2, 2]")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.vectors", {.lower = 1, .upper = 96},
                         "Test vectors; the coarse lattice has twice as many numbers at each of its sites.", "20")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.setup_iterations", {.lower = 0, .upper = 100},
                         "How often the set-up applies multigrid to its own test vectors to improve them.", "3")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.setup_smoothing", {.lower = 1, .upper = 1000},
                         "Inverse iterations by the smoother alone, from random vectors, before those.", "4")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.smoothing_steps", {.lower = 1, .upper = 100},
                         "Of the red-black Schwarz procedure after each coarse solve.", "2")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.block_steps", {.lower = 1, .upper = 100},
                         "Of minimal residual in a block of 2^4 sites of that procedure.", "4")
        .needs("solve.method", "multigrid"),
    config::Key::fraction("multigrid.coarse_tolerance", "|r| / |b| to which the coarse equations are solved.", "0.1")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.coarse_iterations", {.lower = 1, .upper = 1e5},
                         "Of a coarse solve at most: one that is not there yet is taken as it is.", "150")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.cycle_steps", {.lower = 1, .upper = 30},
                         "Iterations at most on a coarse lattice that has a coarser one (K-cycle), to the same "
                         "tolerance.",
                         "5")
        .needs("solve.method", "multigrid"),
    config::Key::integer("multigrid.coarse_smoothing_steps", {.lower = 1, .upper = 30},
                         "Of GMRES on such a lattice, after each correction by the coarser one.", "4")
        .needs("solve.method", "multigrid"),
    config::Key::seed("multigrid.seed", "Seed of the random vectors of the set-up.").needs("solve.method", "multigrid"),
    config::Key::flag("multigrid.write_setup", false,
                      "Write the test vectors into a file (multigrid_000000.hdf5) for other runs on the same field.")
        .needs("solve.method", "multigrid"),
    config::Key::existing_file("multigrid.setup_file",
                               "Such a file: its test vectors in place of a set-up. Field, mass, multigrid.block and "
                               "multigrid.vectors must be those with which it was made.")
        .with_example("multigrid_000000.hdf5")
        .needs("solve.method", "multigrid")
        .changeable(),
};

/// @throws config::Error of blocks that do not divide the lattice, or hold fewer numbers than there are test vectors
[[nodiscard]] Settings read_settings(const config::Parameters& parameters, const Extents& extents);

/// @throws config::Error where the part of a rank is not made of whole blocks, which names the rank
void require_whole_blocks(const config::Parameters& parameters, const Settings& settings, const Extents& extents,
                          const RanksPerAxis& along, std::size_t ranks);

}  // namespace tacit::qcd::multigrid
