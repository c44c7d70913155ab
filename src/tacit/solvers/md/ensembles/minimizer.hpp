// Minimisation of the energy of atoms by steps of velocity Verlet: FIRE.
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

namespace tacit::md {

struct MinimizerParameters {
  double force_tolerance = 0.0;  ///< largest force on an atom at which it ends [energy/length]
  double dt = 0.0;               ///< of the first step [time]
  double longest_dt = 0.0;       ///< [time]
  double longest_move = 0.0;     ///< of an atom in a step [length]
  std::uint32_t held = 0;        ///< mask of groups whose atoms stay
};

/// The table [minimize].
[[nodiscard]] std::span<const config::Key> minimizer_keys();
/// @param dt, skin  of md
/// @return          nothing: atoms move as they do
/// @throws config::Error where keys contradict each other
[[nodiscard]] std::optional<MinimizerParameters> read_minimizer(const config::Parameters& p, double dt, double skin);

/// Atoms begin at rest and are steered downhill after each step. With F and v of all atoms as long vectors, P = F v:
///
///     P > 0   v <- (1 - alpha) v + alpha F |v| / |F|; after five of these in a row steps get longer, alpha smaller
///     else    v <- 0, and steps get shorter
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

  /// Looks at the first forces, and stops all atoms. All ranks call it.
  void begin(Atoms& atoms);
  /// What comes after a step. All ranks call it.
  void end_step(Atoms& atoms);

  [[nodiscard]] double time_step() const;
  [[nodiscard]] double largest_force() const noexcept { return largest_force_; }
  [[nodiscard]] double force_tolerance() const noexcept { return parameters_.force_tolerance; }
  [[nodiscard]] bool has_converged() const noexcept { return largest_force_ <= parameters_.force_tolerance; }
  /// For a checkpoint.
  [[nodiscard]] std::vector<double> state() const;

 private:
  struct Sums {
    double power = 0.0, v2 = 0.0, f2 = 0.0;
    double largest_v2 = 0.0, largest_f2 = 0.0, largest_a2 = 0.0;  // of an atom
  };
  [[nodiscard]] Sums measure(const Atoms& atoms);
  void mix(Atoms& atoms, double of_velocity, double of_force);

  MinimizerParameters parameters_;
  std::vector<double> masses_;
  tasks::Scheduler& scheduler_;
  exchange::Reduction reduction_;
  // What a checkpoint has.
  double dt_;
  double alpha_;
  double downhill_ = 0.0;  // steps in a row
  double largest_force_ = 0.0;
  double fastest_ = 0.0;  // atom [length/time]
  double hardest_ = 0.0;  // acceleration of an atom
};

}  // namespace tacit::md
