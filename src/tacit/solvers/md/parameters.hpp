// The keys of the solver md and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/ensembles/barostat.hpp"
#include "tacit/solvers/md/ensembles/minimizer.hpp"
#include "tacit/solvers/md/ensembles/thermostat.hpp"
#include "tacit/solvers/md/groups/groups.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/potentials/pairs.hpp"
#include "tacit/solvers/md/potentials/screened.hpp"
#include "tacit/solvers/md/potentials/table.hpp"
#include "tacit/solvers/md/setups/setups.hpp"
#include "tacit/solvers/md/units.hpp"
#include "tacit/solvers/md/velocities.hpp"

namespace tacit::md {

enum class Potential : std::uint8_t {
  lennard_jones,
  tersoff,
  stillinger_weber,
  eam,
  morse,
  buckingham,
  coulomb,
  zbl,
  table
};

/// All input of the solver, checked and in code units.
struct MdParameters {
  double begin = 0.0;      ///< time of the initial conditions
  double dt = 0.0;         ///< of a step [time]
  double skin = 0.0;       ///< beyond the cutoff, within which neighbours are listed [length]
  double rebalance = 0.0;  ///< largest share of a rank over the mean at which cells are divided again; 0: never
  Units units;
  std::vector<double> masses;             ///< by type
  std::optional<double> dump_every = {};  ///< [time]
  std::optional<double> xyz_every = {};   ///< [time]
  bool has_virials = false;               ///< whether snapshots have those of the atoms
  Potential potential = Potential::lennard_jones;
  std::vector<Potential> overlay = {};  ///< of pairs, which act beside it
  LennardJonesParameters lennard_jones;
  kernels::TersoffTable tersoff;
  kernels::StillingerWeber stillinger_weber;
  kernels::EmbeddedAtoms embedded;
  ExponentialParameters morse = {.kind = ExponentialKind::morse};
  ExponentialParameters buckingham = {.kind = ExponentialKind::buckingham};
  DampedCoulombParameters coulomb;
  UniversalRepulsionParameters zbl;
  TableParameters table;
  std::string potential_checksum = {};  ///< of the files of its parameters
  std::optional<Thermal> thermal = {};  ///< velocities to be drawn when a run begins; without it those of the atoms
  std::optional<ThermostatParameters> thermostat = {};
  std::optional<MinimizerParameters> minimizer = {};
  Groups groups;
  std::optional<BarostatParameters> barostat = {};
  std::optional<StrainParameters> strain = {};
  AnalysisParameters analysis = {};
  Initial initial;

  [[nodiscard]] bool relaxes_box() const noexcept { return minimizer && minimizer->box; }
  [[nodiscard]] bool changes_box() const noexcept { return barostat || strain || relaxes_box(); }
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @param share  of the atoms, for this rank
/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] MdParameters read_parameters(const config::Parameters& parameters, const Share& share = {});

/// What acts between the atoms.
[[nodiscard]] std::unique_ptr<Interaction> make_interaction(const MdParameters& parameters);

}  // namespace tacit::md
