// Turns sums in the units of a frame into numbers in those of the run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/results.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::sph::kernels::vector {

Density Results::density(const DensitySums& sums, double h) const noexcept {
  const double scale = space.norm * inverse_power(space.gamma * h, space.dimension) * frame.mass_unit();
  return {scale * sums.sum_w, -scale * (space.dimension * sums.sum_w + sums.sum_q_dw) / h};
}

VelocityGradients Results::gradients(const GradientSums& sums, double h, double rho) const noexcept {
  const double units = frame.mass_unit() * frame.velocity_unit();
  const double scale = space.norm * inverse_power(space.gamma * h, space.dimension + 1) / rho * units;
  return {-scale * sums.dot, {scale * sums.cross_x, scale * sums.cross_y, scale * sums.cross_z}};
}

Force Results::force(const ForceSums& sums, double cs) const noexcept {
  const double speed = frame.velocity_unit();
  const double acceleration = speed * speed / frame.length_unit();
  Force force;
  force.a = acceleration * base::Vec3{sums.ax, sums.ay, sums.az};
  force.dissipation = acceleration * speed * sums.dissipation;
  force.v_sig = std::max(2.0 * cs, speed * static_cast<double>(sums.v_sig));
  return force;
}

SphenixGradients Results::sphenix_gradients(const SphenixGradientSums& sums, double h, double cs,
                                            double alpha_v) const noexcept {
  // The sum is in units of m u / (r rho); H brings its own.
  const double speed = frame.velocity_unit();
  const double units = speed * speed / frame.length_unit() * std::pow(frame.length_unit(), space.dimension);
  const double scale = 2.0 * space.norm * inverse_power(space.gamma * h, space.dimension + 1);
  return {std::max(2.0 * cs, speed * static_cast<double>(sums.v_sig)), scale * units * sums.laplace,
          std::max(alpha_v, static_cast<double>(sums.alpha_v))};
}

SphenixForce Results::sphenix_force(const SphenixForceSums& sums, double cs) const noexcept {
  const double speed = frame.velocity_unit();
  const double acceleration = speed * speed / frame.length_unit();
  return {acceleration * base::Vec3{sums.ax, sums.ay, sums.az}, acceleration * speed * sums.du_dt,
          std::max(2.0 * cs, speed * static_cast<double>(sums.v_sig))};
}

}  // namespace tacit::sph::kernels::vector
