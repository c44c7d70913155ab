// Thermostats: what exchanges heat with the atoms between steps of velocity Verlet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/config/key.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/ensembles/ramp.hpp"

namespace tacit::md {

enum class ThermostatMethod : std::uint8_t { langevin, nose_hoover, berendsen, rescale };

struct ThermostatParameters {
  ThermostatMethod method = ThermostatMethod::langevin;
  Ramp thermal_energy;           ///< k_B T wanted [energy]
  double relaxation_time = 0.0;  ///< tau [time]
  std::size_t chain = 3;         ///< members of the chain of Nose and Hoover
  std::uint64_t seed = 1;
  std::uint32_t group = 0;  ///< mask of the groups it acts on; 0: on all atoms
  std::uint32_t held = 0;   ///< and of those that it does not
};

/// The table [thermostat].
[[nodiscard]] std::span<const config::Key> thermostat_keys();
/// @param dt  of a step
/// @return     nothing: there is no thermostat
/// @throws config::Error where keys contradict each other
[[nodiscard]] std::optional<ThermostatParameters> read_thermostat(const config::Parameters& p, double boltzmann,
                                                                  double dt);

/// Holds the temperature of all atoms. With c = exp(-dt / tau), xi from a normal distribution, N_f degrees of freedom,
/// and the kinetic energy K:
///
///     langevin     v <- c v + sqrt((1 - c^2) k_B T / m) xi                           after each step
///     nose_hoover  a chain of variables whose first scales the velocities            half before, half after it
///     berendsen    v <- v sqrt(1 + dt / tau (N_f k_B T / 2K - 1))                    after it
///     rescale      v <- v sqrt(N_f k_B T / 2K)                                       after it
///
/// Random numbers follow from seed, atom and step; sums are exact: so no bit depends on ranks and threads. Langevin's
/// keep no momentum, so that N_f is 3 N; elsewhere it is 3 N - 3. Of a group, or where atoms are held, N are those that
/// it acts on, and N_f is 3 N.
///
/// @see Bussi & Parrinello (2007), Phys. Rev. E 75, 056707, for Langevin's and what it conserves; Martyna, Tuckerman,
///      Tobias & Klein (1996), Mol. Phys. 87, 1117, for chains; Berendsen et al. (1984), J. Chem. Phys. 81, 3684
class Thermostat {
 public:
  /// @param begin   of the run [time]
  /// @param masses  by type
  /// @param atoms   that it acts on, of all ranks
  /// @param keeps_momentum  whether nothing but it does otherwise
  /// @param state   of a checkpoint; empty: a run begins
  /// @throws base::FormatError if the state is not one of such a thermostat
  Thermostat(ThermostatParameters parameters, double begin, std::span<const double> masses, std::uint64_t atoms,
             bool keeps_momentum, const engine::Resources& resources, std::span<const double> state);

  /// What comes before a step and after it. All ranks call them.
  void begin_step(Atoms& atoms, const tasks::StepContext& step);
  void end_step(Atoms& atoms, const tasks::StepContext& step);

  /// What it has got from the atoms, and has in its own variables: with the energy of the atoms it is conserved
  /// [energy].
  [[nodiscard]] double energy() const;
  /// k_B T that is wanted now [energy].
  [[nodiscard]] double thermal_energy() const noexcept { return thermal_energy_; }
  /// Whether it multiplies velocities, so that atoms at rest stay at rest.
  [[nodiscard]] bool scales() const noexcept { return parameters_.method != ThermostatMethod::langevin; }
  /// For a checkpoint.
  [[nodiscard]] std::vector<double> state() const;

 private:
  [[nodiscard]] double twice_kinetic_energy(const Atoms& atoms);
  [[nodiscard]] bool acts_on(const Atoms& atoms, std::size_t i) const noexcept {
    return !atoms.has_groups || ((atoms.group[i] & parameters_.held) == 0 &&
                                 (parameters_.group == 0 || (atoms.group[i] & parameters_.group) != 0));
  }
  void scale(Atoms& atoms, double factor);
  void randomize(Atoms& atoms, double dt);
  void want(double thermal_energy);
  void turn_chain(Atoms& atoms, double dt);
  [[nodiscard]] double chain_mass(std::size_t member) const;
  [[nodiscard]] double chain_force(std::size_t member, double twice_kinetic) const;

  ThermostatParameters parameters_;
  std::vector<double> masses_;
  double degrees_of_freedom_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
  // What a checkpoint has.
  std::uint64_t step_ = 0;       // so many have been made
  double taken_ = 0.0;           // from the atoms, but for the energy of the chain's variables
  double thermal_energy_;        // k_B T that is wanted now, and for which the chain has its masses
  std::vector<double> chain_v_;  // [1/time]
};

}  // namespace tacit::md
