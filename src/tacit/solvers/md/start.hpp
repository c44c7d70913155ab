// How the atoms of a run are divided among its ranks when it begins or goes on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/division.hpp"
#include "tacit/solvers/md/file_rows.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

/// What a rank begins with.
struct Start {
  MdParameters parameters;  ///< without atoms
  std::unique_ptr<Interaction> interaction;
  Division division;
  FileOrder order;
  Configuration own;  ///< the atoms of its cells, inside the box
  bool goes_on = false;
  std::vector<double> ensemble = {};  ///< state of a thermostat or minimiser, of a checkpoint
  std::vector<double> work = {};      ///< likewise, of what does work on atoms
  std::vector<double> barostat = {};  ///< likewise
  Box box = {};                       ///< in which the atoms are
  Box list_box = {};                  ///< for which the lists were made; that of `own`
};

/// Each rank brings its share of the initial conditions, or reads one of a checkpoint, and gets the atoms of its cells:
/// none holds all. All ranks call it.
/// @throws config::Error if there are more ranks than cells; base::FormatError if the checkpoint does not fit the
///         parameters or is damaged
[[nodiscard]] Start start_of(MdParameters parameters, comm::Communicator& ranks, const io::FileReader* checkpoint);

/// How many ranks can share the atoms: one for each cell as wide as cutoff and skin.
[[nodiscard]] std::size_t most_ranks(const MdParameters& parameters);

}  // namespace tacit::md
