// Barostats and strains: what changes the box between steps of velocity Verlet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/ensembles/ramp.hpp"
#include "tacit/solvers/md/units.hpp"

namespace tacit::md {

struct BarostatParameters {
  Ramp pressure;                 ///< wanted [energy/length^3]
  double relaxation_time = 0.0;  ///< tau [time]
  bool is_isotropic = true;      ///< else each axis has its own length and pressure
  std::size_t chain = 3;         ///< members of the chain of Nose and Hoover that keeps the box warm
};

/// Lengths go with time as 1 + rate t.
struct StrainParameters {
  base::Vec3 rates;  ///< along the axes [1/time]
};

/// The tables [barostat] and [strain].
[[nodiscard]] std::span<const config::Key> barostat_keys();
[[nodiscard]] std::span<const config::Key> strain_keys();
/// @return  nothing: the box keeps its size
/// @throws config::Error where keys contradict each other or the box
[[nodiscard]] std::optional<BarostatParameters> read_barostat(const config::Parameters& p, const Units& units,
                                                              const Box& box, double dt);
[[nodiscard]] std::optional<StrainParameters> read_strain(const config::Parameters& p, const Box& box);

/// By how much a strain stretches the box in half of a step: factors along the axes.
/// @param since  time since the run began
/// @throws base::Error where nothing is left of a length
[[nodiscard]] base::Vec3 half_stretch(const StrainParameters& strain, double since, double dt);

/// Holds the pressure by the rates w at which the edges grow, one for all axes or one for each. With N_f degrees of
/// freedom, the virial X_a and 2 K_a = sum m v_a^2 along an axis:
///
///     x_a' = v_a + w_a x_a        v_a' = f_a / m - (w_a + sum w / N_f) v_a
///     w_a' = [2 K_a + X_a - P V + 2 K / N_f] / W          W = (N + 1) k_B T tau^2; isotropic: the mean of the brackets
///
/// and a chain of Nose and Hoover for the w. Conserved is E + sum W w^2 / 2 + P V, with what thermostats take.
///
/// @see Martyna, Tobias & Klein (1994), J. Chem. Phys. 101, 4177, eqs. (2.7) to (2.9)
class Barostat {
 public:
  /// @param atoms           of all ranks
  /// @param degrees         of freedom, N_f
  /// @param thermal_energy  k_B T when the run begins [energy]
  /// @param state           of a checkpoint; empty: a run begins
  /// @throws base::FormatError if the state is not one of such a barostat
  Barostat(const BarostatParameters& parameters, double begin, std::span<const double> masses, std::uint64_t atoms,
           double degrees, double thermal_energy, const engine::Resources& resources, std::span<const double> state);

  // What comes before a step and after it; between them and the step come thermostats. All ranks call them.
  void begin_step(double thermal_energy, double dt);
  /// @param virial  xx yy zz, of the present forces [energy]
  /// @return        factors by which the box grows in half of the step
  [[nodiscard]] base::Vec3 stretch(Atoms& atoms, const base::Vec3& virial, double volume,
                                   const tasks::StepContext& step);
  void follow(Atoms& atoms, const base::Vec3& virial, double volume, const tasks::StepContext& step);
  void end_step(double thermal_energy, double dt);

  /// With the energies of atoms and thermostat it is conserved [energy].
  [[nodiscard]] double energy(double volume) const;
  [[nodiscard]] double pressure() const noexcept { return pressure_; }
  /// For a checkpoint.
  [[nodiscard]] std::vector<double> state() const;

 private:
  [[nodiscard]] base::Vec3 twice_kinetic_energies(const Atoms& atoms);
  void push(const base::Vec3& twice_kinetic, const base::Vec3& virial, double volume, double dt);
  void scale(Atoms& atoms, double dt) const;
  void turn_chain(double thermal_energy, double dt);
  void want(double pressure, double volume);
  [[nodiscard]] double members() const noexcept { return parameters_.is_isotropic ? 1.0 : 3.0; }
  [[nodiscard]] double chain_mass(std::size_t member) const noexcept {
    return (member == 0 ? members() : 1.0) * chain_mass_;
  }

  BarostatParameters parameters_;
  std::vector<double> masses_;
  double degrees_;
  double mass_;        // W [energy time^2]
  double chain_mass_;  // of a member [energy time^2]
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
  // What a checkpoint has.
  double pressure_;
  double taken_ = 0.0;  // by the chain, but for the energy of its variables, and by changes of the pressure
  base::Vec3 w_{};
  std::vector<double> chain_v_;
};

}  // namespace tacit::md
