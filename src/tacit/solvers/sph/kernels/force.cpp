// The scalar force loop: the oracle of the vector forms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/force.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/scalar_terms.hpp"

namespace tacit::sph::kernels {

template <class Kernel>
Force force_sum(const NeighbourCache& cache, const ForceTarget& i, double alpha, const Space& space) {
  using terms::Double;
  const auto gas_i = terms::gas_of(i, space);
  Force sum;
  sum.v_sig = 2.0 * i.cs;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    if (cache.r2[k] == 0.0) continue;
    const std::size_t j = cache.hit[k];
    const terms::ScalarPair pair(i, cache, k);
    const auto force = terms::pair_force<Kernel>(gas_i, terms::gas_of(cache, j, space), pair.separation, pair.v_r,
                                                 Double(alpha), Double(space.norm), space.dimension, pair.parting);
    sum.a = sum.a - (cache.m[j] * force.along.value()) * pair.d;
    sum.dissipation += cache.m[j] * force.dissipation.value();
    sum.v_sig = std::max(sum.v_sig, force.v_sig.value());
  }
  return sum;
}

double entropy_rate(double dissipation, double rho, double gamma) noexcept {
  return 0.5 * (gamma - 1.0) * dissipation * rho / density_power(rho, gamma);
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
