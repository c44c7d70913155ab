// The scalar force loop: the oracle of the vector forms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/force.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::sph::kernels {

template <class Kernel>
Force force_sum(const NeighbourCache& cache, const ForceTarget& i, double alpha, const Space& space) {
  Force sum;
  sum.v_sig = 2.0 * i.cs;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    const double r = std::sqrt(cache.r2[k]);
    if (r == 0.0) continue;
    const std::size_t j = cache.hit[k];
    const base::Vec3 d{i.at.x - cache.x[j], i.at.y - cache.y[j], i.at.z - cache.z[j]};
    const base::Vec3 v_ij{i.v.x - cache.vx[j], i.v.y - cache.vy[j], i.v.z - cache.vz[j]};
    const double dW_i = dW_dr<Kernel>(r, i.h, space);
    const double dW_j = dW_dr<Kernel>(r, cache.h[j], space);
    const double v_r = dot(v_ij, d);
    const double w = std::min(v_r, 0.0) / r;  // only approaching pairs dissipate
    const double v_sig = i.cs + cache.cs[j] - 3.0 * w;
    const double rho_mean = 0.5 * (i.rho + cache.rho[j]);
    const double Pi = -0.25 * alpha * (i.balsara + cache.balsara[j]) * v_sig * w / rho_mean;
    const double viscous = 0.5 * Pi * (dW_i + dW_j);
    const double pressure = i.omega_P * dW_i + cache.omega_P[j] * dW_j;
    const double m_over_r = cache.m[j] / r;
    sum.a = sum.a - (m_over_r * (pressure + viscous)) * d;
    sum.dissipation += m_over_r * viscous * v_r;
    sum.v_sig = std::max(sum.v_sig, v_sig);
  }
  return sum;
}

double entropy_rate(double dissipation, double rho, double gamma) noexcept {
  return 0.5 * (gamma - 1.0) * dissipation * std::pow(rho, 1.0 - gamma);
}

template Force force_sum<CubicSpline>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<QuarticSpline>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<QuinticSpline>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<WendlandC2>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<WendlandC4>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<WendlandC6>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<WendlandC2Line>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<WendlandC4Line>(const NeighbourCache&, const ForceTarget&, double, const Space&);
template Force force_sum<WendlandC6Line>(const NeighbourCache&, const ForceTarget&, double, const Space&);

}  // namespace tacit::sph::kernels
