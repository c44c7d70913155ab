// The scalar force loop: the oracle of the vector forms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/force.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/solvers/sph/kernels/pair_terms.hpp"

namespace tacit::sph::kernels {

namespace {

using terms::Double;

terms::Gas<Double> gas_of(const ForceTarget& i, const Space& space) noexcept {
  return {Double(i.cs), Double(1.0 / (space.gamma * i.h)), Double(i.rho), Double(i.omega_P), Double(i.balsara)};
}
terms::Gas<Double> gas_of(const NeighbourCache& cache, std::size_t j, const Space& space) noexcept {
  return {Double(cache.cs[j]), Double(1.0 / (space.gamma * cache.h[j])), Double(cache.rho[j]), Double(cache.omega_P[j]),
          Double(cache.balsara[j])};
}

}  // namespace

template <class Kernel>
Force force_sum(const NeighbourCache& cache, const ForceTarget& i, double alpha, const Space& space) {
  const terms::Gas<Double> gas_i = gas_of(i, space);
  Force sum;
  sum.v_sig = 2.0 * i.cs;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    if (cache.r2[k] == 0.0) continue;
    const std::size_t j = cache.hit[k];
    const base::Vec3 d{i.at.x - cache.x[j], i.at.y - cache.y[j], i.at.z - cache.z[j]};
    const base::Vec3 v_ij{i.v.x - cache.vx[j], i.v.y - cache.vy[j], i.v.z - cache.vz[j]};
    const auto pair =
        terms::pair_force<Kernel>(gas_i, gas_of(cache, j, space), terms::Separation<Double>(Double(cache.r2[k])),
                                  Double(dot(v_ij, d)), Double(alpha), Double(space.norm), space.dimension);
    sum.a = sum.a - (cache.m[j] * pair.along.value()) * d;
    sum.dissipation += cache.m[j] * pair.dissipation.value();
    sum.v_sig = std::max(sum.v_sig, pair.v_sig.value());
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
