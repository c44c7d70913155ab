// The hook for physics of the user: source terms that heat, cool or push particles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tacit::sph {

/// What a source term sees of the particles of one cell, shape (N) each, at the time of their positions.
struct SourceInput {
  double time;  ///< [time]
  std::span<const std::uint64_t> id;
  std::span<const double> x, y, z;     ///< position [length]
  std::span<const double> vx, vy, vz;  ///< velocity [velocity]
  std::span<const double> m;           ///< mass [mass]
  std::span<const double> h;           ///< smoothing length [length]
  std::span<const double> rho;         ///< density [density]
  std::span<const double> u;           ///< specific internal energy [specific energy]
};

/// Where it adds its rates, shape (N) each.
struct SourceRates {
  std::span<double> du_dt;       ///< heating [specific energy / time]; without effect on a barotropic gas
  std::span<double> ax, ay, az;  ///< acceleration [acceleration]
};

/// Physics that acts on each particle by itself. One virtual call per cell and step.
///
/// Register an object by appending it to SphParameters::sources before the solver is made:
///
///     class Drag final : public sph::SourceTerm {
///      public:
///       std::string describe() const override { return "drag"; }
///       double add(const SourceInput& gas, const SourceRates& rates) const override {
///         for (std::size_t i = 0; i < gas.u.size(); ++i) rates.ax[i] -= 0.5 * gas.vx[i];
///         return 0.1 / 0.5;
///       }
///     };
///     parameters.sources.push_back(std::make_shared<Drag>());
class SourceTerm {
 public:
  virtual ~SourceTerm() = default;
  /// Name and numbers; a checkpoint is continued only with the same.
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Adds the rates of the particles of one cell. Called by several threads at once, on different cells.
  /// @return  the longest step that these rates allow [time]; infinite where they do not limit it
  virtual double add(const SourceInput& gas, const SourceRates& rates) const = 0;
};

}  // namespace tacit::sph
