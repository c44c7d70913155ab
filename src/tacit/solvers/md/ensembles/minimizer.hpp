// Minimisation of the energy of atoms by steps of velocity Verlet: FIRE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/config/key.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/units.hpp"

namespace tacit::md {

/// How the box follows a pressure while the energy of its atoms falls.
struct BoxRelaxation {
  double pressure = 0.0;                          ///< wanted [energy/length^3]
  double tolerance = 0.0;                         ///< of the pressure, at which it ends [energy/length^3]
  bool is_isotropic = true;                       ///< else each periodic axis has its own length
  std::array<bool, 3> axes = {true, true, true};  ///< which change
  double atoms = 0.0;                             ///< of all ranks
  double volume = 0.0;                            ///< when the run began [length^3]
};

struct MinimizerParameters {
  double force_tolerance = 0.0;  ///< largest force on an atom at which it ends [energy/length]
  double dt = 0.0;               ///< of the first step [time]
  double longest_dt = 0.0;       ///< [time]
  double longest_move = 0.0;     ///< of an atom in a step [length]
  std::uint32_t held = 0;        ///< mask of groups whose atoms stay
  std::optional<BoxRelaxation> box = {};
};

/// The table [minimize].
[[nodiscard]] std::span<const config::Key> minimizer_keys();
/// @param dt, skin  of md
/// @param box       of the atoms
/// @param atoms     how many there are
/// @return          nothing: atoms move as they do
/// @throws config::Error where keys contradict each other
[[nodiscard]] std::optional<MinimizerParameters> read_minimizer(const config::Parameters& p, const Units& units,
                                                                const Box& box, std::uint64_t atoms, double dt,
                                                                double skin);

/// Atoms begin at rest and are steered downhill after each step. With F and v of all atoms as long vectors, P = F v:
///
///     P > 0   v <- (1 - alpha) v + alpha F |v| / |F|; after five of these in a row steps get longer, alpha smaller
///     else    v <- 0, and steps get shorter
///
/// Where the box relaxes, the strains e of its axes belong to these vectors as lengths c e, with the forces
///
///     (X_a - P V) / c,  isotropic: their mean        c^2 = N (V / N)^(2/3), V of the first box
///
/// of the enthalpy E + P V, X_a the virial along an axis, and with the mean mass m of the types: so that the box is as
/// stiff and as heavy as atoms are. Atoms move along with it.
///
/// Sums are exact: so no bit depends on ranks and threads.
///
/// @see Bitzek, Koskinen, Gaehler, Moseler & Gumbsch (2006), Phys. Rev. Lett. 97, 170201
class Minimizer {
 public:
  /// @param masses  by type
  /// @param state   of a checkpoint; empty: a run begins
  /// @throws base::FormatError if the state is not one
  Minimizer(const MinimizerParameters& parameters, std::span<const double> masses, const engine::Resources& resources,
            std::span<const double> state);

  // In each `virial` and `volume` are those of the present forces; without a relaxing box they are not looked at.

  /// Looks at the first forces, and stops all atoms. All ranks call it.
  void begin(Atoms& atoms, const base::Vec3& virial, double volume);
  /// What comes before a step of a box that relaxes. @return  factors by which it grows in half of the step
  [[nodiscard]] base::Vec3 stretch(const base::Vec3& virial, double volume, double dt);
  /// What comes after a step. All ranks call it.
  void end_step(Atoms& atoms, const base::Vec3& virial, double volume, double dt);

  [[nodiscard]] double time_step() const;
  [[nodiscard]] double largest_force() const noexcept { return largest_force_; }
  [[nodiscard]] double force_tolerance() const noexcept { return parameters_.force_tolerance; }
  [[nodiscard]] bool has_converged() const noexcept {
    return largest_force_ <= parameters_.force_tolerance &&
           (!parameters_.box || largest_misfit_ <= parameters_.box->tolerance);
  }
  [[nodiscard]] const std::optional<BoxRelaxation>& box() const noexcept { return parameters_.box; }
  /// How far the pressure along an axis that changes is from the wanted one, at most [energy/length^3].
  [[nodiscard]] double largest_misfit() const noexcept { return largest_misfit_; }
  /// For a checkpoint.
  [[nodiscard]] std::vector<double> state() const;

 private:
  struct Sums {
    double power = 0.0, v2 = 0.0, f2 = 0.0;
    double largest_v2 = 0.0, largest_f2 = 0.0, largest_a2 = 0.0;  // of an atom
  };
  [[nodiscard]] Sums measure(const Atoms& atoms);
  void mix(Atoms& atoms, double of_velocity, double of_force);
  [[nodiscard]] base::Vec3 box_force(const base::Vec3& virial, double volume) const;
  void look_at_box(const base::Vec3& force, double volume);

  MinimizerParameters parameters_;
  std::vector<double> masses_;
  double c2_ = 0.0;    // [length^2]
  double mass_ = 0.0;  // of a strain times c [mass]
  tasks::Scheduler& scheduler_;
  exchange::Reduction reduction_;
  // What a checkpoint has.
  double dt_;
  double alpha_;
  double downhill_ = 0.0;  // steps in a row
  double largest_force_ = 0.0;
  double fastest_ = 0.0;  // atom [length/time]
  double hardest_ = 0.0;  // acceleration of an atom
  // Likewise, of a box that relaxes.
  base::Vec3 w_{};               // rates of the strains [1/time]
  double largest_misfit_ = 0.0;  // of the pressure
  double box_hardest_ = 0.0;     // w' [1/time^2]
};

}  // namespace tacit::md
