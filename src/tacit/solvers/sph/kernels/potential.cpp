// Sums of the external potentials' parts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::sph::kernels {
namespace {

/// From the centre's nearest image.
base::Vec3 offset(const Potential& potential, const Point& at) {
  base::Vec3 d = base::Vec3{at.x, at.y, at.z} - potential.centre;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double period = potential.periods[axis];
    if (period > 0.0) d[axis] -= period * std::round(d[axis] / period);
  }
  return d;
}

double softened(const Potential& potential, const base::Vec3& d) {
  return std::sqrt(dot(d, d) + potential.softening * potential.softening);
}

/// ln(1 + y) - y / (1 + y), the mass within y scale radii: by its series where the terms cancel.
double enclosed(double y) {
  if (y < 1e-3) return y * y * (0.5 - y * (2.0 / 3.0 - 0.75 * y));
  return std::log1p(y) - y / (1.0 + y);
}

}  // namespace

Pull pull(const Potential& potential, const Point& at, double H) noexcept {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Pull result{potential.field, infinity};
  double time2 = infinity;  // squared
  if (potential.is_central()) {
    const base::Vec3 d = offset(potential, at);
    const double R = softened(potential, d);
    if (R > 0.0) {  // at the very centre nothing pulls
      const double GM = potential.GM_point + potential.GM_halo * enclosed(R / potential.r_s);
      result.a = result.a - (GM / (R * R * R)) * d;
      time2 = R * R * R / GM;
    }
  }
  const double a = norm(result.a);
  if (a > 0.0) time2 = std::min(time2, H / a);
  result.dt = potential.time_step_factor * std::sqrt(time2);
  return result;
}

double specific_energy(const Potential& potential, const Point& at) noexcept {
  double phi = -dot(potential.field, {at.x, at.y, at.z});
  if (!potential.is_central()) return phi;
  const double R = softened(potential, offset(potential, at));
  if (R == 0.0) return phi;
  phi -= potential.GM_point / R;
  phi -= potential.GM_halo * std::log1p(R / potential.r_s) / R;
  return phi;
}

double halo_strength(double GM200, double concentration) noexcept { return GM200 / enclosed(concentration); }

}  // namespace tacit::sph::kernels
