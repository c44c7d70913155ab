// The scalar density loop: the oracle of the vector forms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/density.hpp"

#include <cmath>

namespace tacit::sph::kernels {

template <class Kernel>
Density density_sum(const NeighbourCache& cache, double h, const Space& space) {
  const double H = space.gamma * h;
  const double inverse_H = 1.0 / H;
  double sum_w = 0.0;     // sum m w(q)
  double sum_q_dw = 0.0;  // sum m q w'(q)
  for (std::size_t k = 0; k < cache.hits; ++k) {
    const double q = std::sqrt(cache.r2[k]) * inverse_H;
    const double m = cache.m[cache.hit[k]];
    sum_w += m * Kernel::w(q);
    sum_q_dw += m * q * Kernel::dw_dq(q);
  }
  const double scale = space.norm * inverse_power(H, space.dimension);
  return {scale * sum_w, -scale * (space.dimension * sum_w + sum_q_dw) / h};
}

template <class Kernel>
VelocityGradients velocity_gradients(const NeighbourCache& cache, const Point& at, const base::Vec3& v, double h,
                                     double rho, const Space& space) {
  const double H = space.gamma * h;
  const double inverse_H = 1.0 / H;
  VelocityGradients sum;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    const double r = std::sqrt(cache.r2[k]);
    if (r == 0.0) continue;  // the particle itself, or one on top of it: no direction, no gradient
    const std::size_t j = cache.hit[k];
    const base::Vec3 d{at.x - cache.x[j], at.y - cache.y[j], at.z - cache.z[j]};
    const base::Vec3 v_ij{v.x - cache.vx[j], v.y - cache.vy[j], v.z - cache.vz[j]};
    const double weight = cache.m[j] * Kernel::dw_dq(r * inverse_H) / r;
    sum.div_v -= weight * dot(v_ij, d);
    sum.curl_v = sum.curl_v + weight * cross(v_ij, d);
  }
  const double scale = space.norm * inverse_power(H, space.dimension + 1) / rho;
  return {scale * sum.div_v, scale * sum.curl_v};
}

double balsara_factor(const VelocityGradients& gradients, double cs, double h) noexcept {
  const double divergence = std::abs(gradients.div_v);
  const double denominator = divergence + norm(gradients.curl_v) + 1e-4 * cs / h;
  return denominator > 0.0 ? divergence / denominator : 0.0;  // cold gas at rest has neither
}

template Density density_sum<CubicSpline>(const NeighbourCache&, double, const Space&);
template Density density_sum<QuarticSpline>(const NeighbourCache&, double, const Space&);
template Density density_sum<QuinticSpline>(const NeighbourCache&, double, const Space&);
template Density density_sum<WendlandC2>(const NeighbourCache&, double, const Space&);
template Density density_sum<WendlandC4>(const NeighbourCache&, double, const Space&);
template Density density_sum<WendlandC6>(const NeighbourCache&, double, const Space&);
template Density density_sum<WendlandC2Line>(const NeighbourCache&, double, const Space&);
template Density density_sum<WendlandC4Line>(const NeighbourCache&, double, const Space&);
template Density density_sum<WendlandC6Line>(const NeighbourCache&, double, const Space&);
template VelocityGradients velocity_gradients<CubicSpline>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                           double, double, const Space&);
template VelocityGradients velocity_gradients<QuarticSpline>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                             double, double, const Space&);
template VelocityGradients velocity_gradients<QuinticSpline>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                             double, double, const Space&);
template VelocityGradients velocity_gradients<WendlandC2>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                          double, double, const Space&);
template VelocityGradients velocity_gradients<WendlandC4>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                          double, double, const Space&);
template VelocityGradients velocity_gradients<WendlandC6>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                          double, double, const Space&);
template VelocityGradients velocity_gradients<WendlandC2Line>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                              double, double, const Space&);
template VelocityGradients velocity_gradients<WendlandC4Line>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                              double, double, const Space&);
template VelocityGradients velocity_gradients<WendlandC6Line>(const NeighbourCache&, const Point&, const base::Vec3&,
                                                              double, double, const Space&);

}  // namespace tacit::sph::kernels
