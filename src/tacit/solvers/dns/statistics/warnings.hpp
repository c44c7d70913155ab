// What a user is warned of: energy that changes though nothing supplies it, and eddies that are not resolved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Without forcing the energy E of a flow (of what differs from the mean flow, and the potential energy) cannot grow,
/// and without viscosity it cannot fall. So the exact flow that an earlier state with the energy E_0 becomes has still
/// E_0, or less, and its root mean square is sqrt(2 E_0). As | |u| - |v| | <= |u - v|, a state with the energy E errs
/// by
///
///     at least |sqrt(E / E_0) - 1|
///
/// of it, whatever the error is.
class EnergyWatch {
 public:
  /// From which error on there is a warning.
  static constexpr double tolerance = 0.01;

  explicit EnergyWatch(const FlowParameters& flow) noexcept;
  /// Whether it can say anything: nothing drives the flow.
  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// Takes the energy of the present state.
  /// @return  the least error of the velocity, against its root mean square; negative if energy was lost
  double error(double energy) noexcept;

 private:
  bool is_on_;
  bool may_fall_;
  double lowest_;
  double highest_ = 0.0;
};

/// What to say of such an error: which keys help.
/// @param step  what sets the length of steps: "dns.cfl (now 0.5)"
[[nodiscard]] std::string energy_warning(const FlowParameters& flow, double error, const std::string& step);

/// The dissipation that the forcing is expected to maintain; 0 where that is not known.
/// @see Eswaran & Pope (1988), Computers & Fluids 16, 257
[[nodiscard]] double expected_dissipation(const Flow& flow);

/// That the smallest eddies are not resolved at a dissipation; empty if they are.
[[nodiscard]] std::string resolution_warning(const Flow& flow, double dissipation);

}  // namespace tacit::dns
