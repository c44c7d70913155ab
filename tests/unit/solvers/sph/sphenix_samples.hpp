// How far sums of SPHENIX in floats may differ from the scalar ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vector_samples.hpp"

namespace tacit::sph::vector_test {

inline constexpr double beta_v = 3.0;

struct SphenixErrors {
  double acceleration = 0.0;
  double du_dt = 0.0;
  double laplace = 0.0;
};

// Relative to the term, in roundings: that of error_of_term (40), and P_i and P_j (8 each, once in alpha_D and once
// more in its denominator), u_i, u_j, f_i, f_j, alpha_v, alpha_d (6).
inline constexpr double error_of_heat = 80.0 * rounding;

/// |alpha_D v_D|, and how far floats may miss it.
struct Conduction {
  double speed, error;
  Conduction(const Cloud& cloud, std::size_t j, double v) {
    const auto P = [&](std::size_t i) { return cloud.omega_P[i] * cloud.rho[i] * cloud.rho[i] / double{cloud.f[i]}; };
    const double rho_sum = cloud.rho[0] + cloud.rho[j];
    const double x = 2.0 * std::abs(P(0) - P(j)) / rho_sum;
    // Each P is off by 8 roundings, and their difference may be small: |sqrt(x + e) - sqrt(x)| <= min(e / sqrt(x),
    // sqrt(e)).
    const double e = 2.0 * 8.0 * rounding * (P(0) + P(j)) / rho_sum;
    const double of_root = std::min(x > 0.0 ? e / std::sqrt(x) : std::sqrt(e), std::sqrt(e));
    speed = 0.5 * (std::sqrt(x) + v);  // alpha_D <= 1
    error = 0.5 * of_root;
  }
};

/// The errors of all terms, and of their addition.
template <class Kernel>
SphenixErrors errors(const Cloud& cloud, const Space& space, const kernels::NeighbourCache& cache) {
  SphenixErrors sum;
  const KernelError error{space, error_of_heat + static_cast<double>(cache.hits) * rounding, steepness<Kernel>()};
  const double H = cloud.H[0];
  const int d = space.dimension;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    const std::size_t j = cache.hit[k];
    const double r = std::sqrt(cache.r2[k]);
    if (r == 0.0) continue;
    const auto slope_at = [r](double radius) { return r < radius ? Kernel::dw_dq(r / radius) : 0.0; };
    const double dW_i = error(slope_at(H), H, d + 1);
    const double dW_j = error(slope_at(cloud.H[j]), cloud.H[j], d + 1);
    const double f_dW = double{cloud.f[0]} * dW_i + double{cloud.f[j]} * dW_j;
    const double exact_f_dW = f_dW / error.relative;  // at least the term itself
    const double m = cloud.m[j];
    const double v = norm(cloud.v(0) - cloud.v(j)) + 0.1;  // see tolerances()
    const double alpha_v = 0.5 * double{cloud.alpha_v[0] + cloud.alpha_v[j]};
    const double rho_sum = cloud.rho[0] + cloud.rho[j];
    const double Pi = alpha_v * (double{cloud.cs[0] + cloud.cs[j]} + beta_v * v) * v / rho_sum;
    const double du = std::abs(cloud.u[0] - cloud.u[j]);
    const double of_du = rounding * (cloud.u[0] + cloud.u[j]);
    const Conduction conduction(cloud, j, v);
    sum.acceleration += m * (cloud.omega_P[0] * dW_i + cloud.omega_P[j] * dW_j + 0.5 * Pi * f_dW);
    const double over_rho = 1.0 / std::min(cloud.rho[0], cloud.rho[j]);
    sum.du_dt += m * ((cloud.omega_P[0] * dW_i + 0.25 * Pi * f_dW) * v +
                      over_rho * (conduction.speed * (du * f_dW + of_du * exact_f_dW) +
                                  conduction.error * (du + of_du) * exact_f_dW));
    if (r < H) sum.laplace += 2.0 * m / (cloud.rho[j] * r) * (du * dW_i + of_du * dW_i / error.relative);
  }
  return sum;
}

}  // namespace tacit::sph::vector_test
