// A particle as snapshots show it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace tacit::sph {

/// At the time of the snapshot, in code units. Made for all particles at once, and not filled with zeros first, which
/// would take as long as the rest.
struct StoredParticle {
  std::array<double, 3> x;  ///< in the box, if that is periodic [length]
  std::array<double, 3> v;  ///< [length time^-1]
  double rho;               ///< [mass length^-3]
  double u;                 ///< specific internal energy [length^2 time^-2]
  double h;                 ///< [length]
};

}  // namespace tacit::sph
