// Conserved quantities of a state, and how far they drift over a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/engine/error.hpp"

namespace tacit::engine {

/// A quantity that the equations conserve, in code units.
struct Quantity {
  std::string name;           ///< "angular_momentum"
  std::vector<double> value;  ///< one number, or the components along x, y and z
  double scale = 0.0;         ///< the natural one, by which its drift is divided
  bool is_kept = true;        ///< false: it comes or goes (viscosity, forcing), so that a change is no drift
  bool is_open = false;       ///< walls, potentials or sources change it besides, as fast as they like
};

/// The first number that is not finite: "the momentum along x is inf"; nothing if all are.
[[nodiscard]] std::optional<Flaw> find_not_finite(std::span<const Quantity> quantities);

/// A number of statistics.csv; without a value its field is empty, which readers take as missing.
struct Column {
  std::string name;
  std::optional<double> value;
};

/// What is conserved of a state, in the order of summary.json.
struct Conserved {
  std::vector<Quantity> quantities;
  /// Columns of statistics.csv; none: one for each number of the quantities.
  std::vector<Column> columns = {};
};

/// The sums of a mechanical system. What the equations do not have (an incompressible flow has no mass and no internal
/// energy) is absent.
struct MechanicalSums {
  std::optional<double> mass;
  base::Vec3 momentum;
  double momentum_scale = 0.0;  ///< sum |m v|
  double kinetic_energy = 0.0;
  std::optional<double> internal_energy;
  std::optional<double> potential_energy;
  bool keeps_energy = true;                    ///< false: energy goes (viscosity) or comes (forcing)
  bool opens_momentum = false;                 ///< to walls or potentials
  bool opens_energy = false;                   ///< to sources
  std::optional<base::Vec3> angular_momentum;  ///< absent where it is not conserved (periodic boxes)
  double angular_momentum_scale = 0.0;         ///< sum |m r x v|

  [[nodiscard]] double energy() const noexcept {
    return kinetic_energy + internal_energy.value_or(0.0) + potential_energy.value_or(0.0);
  }
  /// mass, momentum, energy, angular_momentum; the scale of energy is the largest of kinetic, internal and |potential|.
  [[nodiscard]] Conserved conserved() const;
  [[nodiscard]] std::optional<Flaw> not_finite() const;
};

/// How far conserved quantities may drift, as parts of their scales.
struct DriftLimits {
  std::optional<double> of_any = {};                       ///< that is not named
  std::vector<std::pair<std::string, double>> named = {};  ///< by quantity

  [[nodiscard]] bool is_empty() const noexcept { return !of_any && named.empty(); }
  [[nodiscard]] std::optional<double> of(std::string_view quantity) const;
};

/// Follows conserved quantities through a run.
///
///     max_drift = max_t |q(t) - q(0)| / max_t S(t)     with the scale S
class Conservation {
 public:
  struct Entry {
    std::string name;
    std::vector<double> start = {};
    std::vector<double> last = {};
    double largest_change = 0.0;
    double scale = 0.0;
    bool is_kept = true;
    /// 0 where there is no scale yet, as of the momentum of a gas at rest.
    [[nodiscard]] double max_drift() const { return scale > 0.0 ? largest_change / scale : 0.0; }
  };

  Conservation() = default;
  /// As a checkpoint has it.
  explicit Conservation(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  void add(std::span<const Quantity> state);

  /// A change from one state to the next.
  struct Jump {
    std::string name;
    double part = 0.0;  ///< of the scale
    std::vector<double> before = {};
    std::vector<double> after = {};
  };
  /// Those from what was added last to `state` that are larger than `most`, of what nothing but errors can change.
  [[nodiscard]] std::vector<Jump> jumps_to(std::span<const Quantity> state, double most) const;

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// Null: there is none of that name.
  [[nodiscard]] const Entry* find(std::string_view name) const;
  /// The first that has drifted further than it may; null if none has.
  [[nodiscard]] const Entry* find_beyond(const DriftLimits& limits) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tacit::engine
