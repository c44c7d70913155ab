// The initial conditions: what the set-ups give.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// What a run begins with.
struct Initial {
  Configuration atoms;                   ///< of a share
  std::uint64_t count = 0;               ///< of all atoms
  std::vector<std::string> elements;     ///< names of the types
  std::vector<double> masses = {};       ///< of the types, as a file gives them; empty: it gives none
  std::vector<std::uint64_t> held = {};  ///< IDs of atoms that a file says do not move: of all shares
  bool is_turned = false;                ///< whether a file has other directions, in which its box has no such form
  std::optional<double> time = {};       ///< when that is, if a file says so [time]
  std::vector<std::string> notes = {};   ///< what of a file is not used
  std::string from = {};                 ///< a path, or the set-up in words
  std::string checksum = {};             ///< of a file
};

/// The words of md.elements; without it those given.
[[nodiscard]] std::vector<std::string> elements_or(const config::Parameters& parameters,
                                                   std::vector<std::string> otherwise);

// Each set-up: its keys, and what it makes of them.
// @throws config::Error; of a file also base::FormatError, base::SystemError
[[nodiscard]] std::span<const config::Key> lattice_keys();
[[nodiscard]] Initial make_lattice(const config::Parameters& parameters, const Share& share);
/// Files are text, read whole whatever the share.
[[nodiscard]] Initial make_from_file(const config::Parameters& parameters, const Share& share);
[[nodiscard]] Initial make_from_lammps(const config::Parameters& parameters, const Share& share);

}  // namespace tacit::md
