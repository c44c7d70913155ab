// Several potentials at once, as LAMMPS' hybrid/overlay: one of any kind, and others of pairs beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tacit/solvers/md/interaction.hpp"

namespace tacit::md {

/// Each acts on the pairs for which it has numbers; their energies, forces and virials add up.
/// @param beside  of kind `pairs`
[[nodiscard]] std::unique_ptr<Interaction> make_overlay(std::unique_ptr<Interaction> main,
                                                        std::vector<std::unique_ptr<Interaction>> beside);

}  // namespace tacit::md
