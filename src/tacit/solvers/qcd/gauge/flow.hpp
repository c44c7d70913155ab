// The Wilson flow, and what is measured along it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/solvers/qcd/gauge/link_tasks.hpp"

namespace tacit::qcd {

/// What is measured of a field that has flowed for a time t, in units of the lattice spacing.
struct FlowPoint {
  double t = 0.0;
  double energy = 0.0;     ///< density E = 1/4 G^a_mn G^a_mn, of the clover
  double plaquette = 0.0;  ///< the same of plaquettes, 2 sum_{m < n} Re tr (1 - U_p)
  double charge = 0.0;     ///< topological charge, of the clover
};

/// Density of energy and topological charge of a field,
///
///     E = -sum_{m < n} tr G_mn G_mn,     Q = -1/(4 pi^2) sum_x tr (G_xy G_zt - G_xz G_yt + G_xt G_yz),
///
/// where G_mn is the traceless antihermitian part of a quarter of the four plaquettes of a plane at a site.
/// All ranks call it. Sums are exact.
/// @see Luescher (2010), JHEP 08, 071, eqs. (3.1) and (3.2)
[[nodiscard]] FlowPoint measure_flow(const LinkTasks& tasks, const GaugeField& field, double t);

/// Minus g0^2 times the derivative of Wilson's action by the link of a site along mu, in the algebra of SU(3): minus
/// the traceless antihermitian part of U V, where V is the sum of its staples.
[[nodiscard]] Matrix3 flow_force(const GaugeField& field, const BoxSites& sites, std::uint32_t site,
                                 std::size_t mu) noexcept;

/// Moves each link along dU/dt = Z(U) U by a time eps, in three stages, to third order.
///
///     z0 = eps Z(W0) / 4;  W1 = e^z0 W0;  z1 = 8/9 eps Z(W1) - 17/9 z0;  W2 = e^z1 W1;
///     z2 = 3/4 eps Z(W2) - z1;  W3 = e^z2 W2,         Z: flow_force
///
/// @see Luescher (2010), JHEP 08, 071, appendix C
class WilsonFlow {
 public:
  /// @param tasks  of the box of the field; both outlive this
  WilsonFlow(LinkTasks& tasks, GaugeField& field);
  /// All ranks call it.
  void advance(double eps);

 private:
  void stage(double of_force, double of_last);

  LinkTasks& tasks_;
  GaugeField& field_;
  std::vector<Matrix3> force_;
  std::vector<Matrix3> z_;
};

/// How far a field flows.
struct FlowSettings {
  double end = 0.0;         ///< time; 0: it does not
  double step = 0.02;       ///< the longest
  std::size_t points = 40;  ///< that are measured at equal distances, beside t = 0

  /// Steps from one point to the next.
  [[nodiscard]] std::size_t steps_per_point() const noexcept;
};

/// The points of a field from t = 0 on. All ranks call it. @param field  flows
[[nodiscard]] std::vector<FlowPoint> flow(LinkTasks& tasks, GaugeField& field, const FlowSettings& settings);

/// t0, where t^2 E = 0.3, by linear interpolation; NaN if it is not reached.
/// @param energies  means of E at the times, which grow
[[nodiscard]] double find_t0(std::span<const double> times, std::span<const double> energies);
/// w0, where t d/dt (t^2 E) = 0.3 at t = w0^2, from differences of neighbouring points; NaN likewise.
/// @see Borsanyi et al. (2012), JHEP 09, 010
[[nodiscard]] double find_w0(std::span<const double> times, std::span<const double> energies);

}  // namespace tacit::qcd
