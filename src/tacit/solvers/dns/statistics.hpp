// Scales and spectra of a flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Scales of isotropic turbulence, whether the flow is isotropic or not; infinite or zero where they have no meaning.
/// @see Pope (2000), "Turbulent Flows", ch. 5 and 6
struct Scales {
  double taylor = 0.0;                  ///< lambda = sqrt(10 nu K / eps), K the kinetic energy [length]
  double taylor_reynolds_number = 0.0;  ///< u' lambda / nu, u' = sqrt(2 K / 3)
  double kolmogorov = 0.0;              ///< eta = (nu^3 / eps)^(1/4) [length]
  double kolmogorov_time = 0.0;         ///< (nu / eps)^(1/2)
  double k_max_eta = 0.0;               ///< how well eta is resolved; 1.5 and more is good
  double integral = 0.0;                ///< pi / (2 u'^2) * integral of E(k) / k, the longitudinal scale [length]
  double turnover_time = 0.0;           ///< of the integral scale at u'
};

[[nodiscard]] Scales scales_of(const Flow::Energetics& now, const Flow& flow);

/// The energy in shells of width 1 around k = 0, 1, 2, ... in units of the smallest wave number of the box; their sum
/// is the kinetic energy.
[[nodiscard]] std::vector<double> spectrum(const Flow& flow);

}  // namespace tacit::dns
