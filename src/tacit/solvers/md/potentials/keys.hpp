// The keys of potentials, and what is read for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/formats/triple_entries.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

[[nodiscard]] std::span<const config::Key> lennard_jones_keys();
[[nodiscard]] std::span<const config::Key> tersoff_keys();
[[nodiscard]] std::span<const config::Key> stillinger_weber_keys();
[[nodiscard]] std::span<const config::Key> eam_keys();

/// What eV and Angstrom of files are in code units.
/// @param whose  parameters they are, for the message
/// @throws config::Error where the units are reduced ones
[[nodiscard]] FileScale file_scale(const config::Parameters& parameters, const Units& units, std::string_view whose);

/// Each reads the potential of its name into `md`, and the checksums of its files.
/// @throws config::Error where keys are missing; what files throw
void read_stillinger_weber(const config::Parameters& parameters, MdParameters& md);
/// Also the masses of the elements, where nothing else gives them.
void read_eam(const config::Parameters& parameters, MdParameters& md);

/// Which act: md.potential, md.overlay.
[[nodiscard]] config::Key potential_key();
[[nodiscard]] config::Key overlay_key();
/// All potentials that act.
/// @throws config::Error where one is named twice, or nothing acts between atoms of two types; what is wrong with their
///         own keys; what files throw
void read_potentials(const config::Parameters& parameters, MdParameters& md);

}  // namespace tacit::md
