// Cooling at a constant rate: the example of a source term.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/sph/source_term.hpp"

namespace tacit::sph {

/// Cools all gas towards a floor.
///
///     du/dt = -(u - u_floor) / tau      where u > u_floor
class ExponentialCooling final : public SourceTerm {
 public:
  /// @param tau      cooling time [time], > 0
  /// @param u_floor  [specific energy], >= 0
  ExponentialCooling(double tau, double u_floor) : tau_(tau), u_floor_(u_floor) {}

  [[nodiscard]] std::string describe() const override;
  double add(const SourceInput& gas, const SourceRates& rates) const override;

 private:
  double tau_;
  double u_floor_;
};

}  // namespace tacit::sph
