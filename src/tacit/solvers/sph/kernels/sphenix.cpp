// The scalar loops of SPHENIX, the oracle of the vector forms; and its switches.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/sphenix.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/solvers/sph/kernels/scalar_terms.hpp"

namespace tacit::sph::kernels {
namespace {

using terms::Double;

terms::Thermal<Double> thermal_of(const SphenixTarget& i) noexcept {
  return {Double(i.u), Double(i.f), Double(i.alpha_v), Double(i.alpha_d)};
}
terms::Thermal<Double> thermal_of(const NeighbourCache& cache, std::size_t j) noexcept {
  return {Double(cache.u[j]), Double(cache.f[j]), Double(cache.alpha_v[j]), Double(cache.alpha_d[j])};
}

}  // namespace

template <class Kernel>
SphenixGradients sphenix_gradients(const NeighbourCache& cache, const SphenixTarget& i, double beta_v,
                                   const Space& space) {
  const auto gas_i = terms::gas_of(i.gas, space);
  SphenixGradients sum{2.0 * i.gas.cs, 0.0, i.alpha_v};
  for (std::size_t k = 0; k < cache.hits; ++k) {
    const std::size_t j = cache.hit[k];
    sum.alpha_v = std::max(sum.alpha_v, cache.alpha_v[j]);
    if (cache.r2[k] == 0.0) continue;
    const terms::ScalarPair pair(i.gas, cache, k);
    const terms::Signal<Double> signal(gas_i, terms::gas_of(cache, j, space), pair.v_r + pair.parting,
                                       pair.separation.inverse_r, Double(beta_v));
    const auto term =
        terms::laplacian<Kernel>(pair.separation, gas_i.inverse_H, Double(i.u - cache.u[j]), Double(cache.rho[j]));
    sum.laplace_u += cache.m[j] * term.value();
    sum.v_sig = std::max(sum.v_sig, signal.v.value());
  }
  sum.laplace_u *= 2.0 * space.norm * inverse_power(space.gamma * i.gas.h, space.dimension + 1);
  return sum;
}

template <class Kernel>
SphenixForce sphenix_force(const NeighbourCache& cache, const SphenixTarget& i, double beta_v, const Space& space) {
  const auto gas_i = terms::gas_of(i.gas, space);
  const auto thermal_i = thermal_of(i);
  SphenixForce sum;
  sum.v_sig = 2.0 * i.gas.cs;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    if (cache.r2[k] == 0.0) continue;
    const std::size_t j = cache.hit[k];
    const terms::ScalarPair pair(i.gas, cache, k);
    const auto terms_of_pair = terms::pair_sphenix<Kernel>(
        gas_i, terms::gas_of(cache, j, space), thermal_i, thermal_of(cache, j), pair.separation, pair.v_r,
        Double(beta_v), Double(space.norm), space.dimension, pair.parting);
    sum.a = sum.a - (cache.m[j] * terms_of_pair.along.value()) * pair.d;
    sum.du_dt += cache.m[j] * terms_of_pair.du_dt.value();
    sum.v_sig = std::max(sum.v_sig, terms_of_pair.v_sig.value());
  }
  return sum;
}

double viscosity_coefficient(double alpha, const Compression& compression, double cs, double H,
                             const SphenixParameters& parameters) noexcept {
  const auto& [div_v, div_v_before, dt] = compression;
  double local = 0.0;
  if (dt > 0.0 && div_v < 0.0 && div_v < div_v_before) {
    const double S = H * H * (div_v_before - div_v) / dt;
    local = parameters.alpha_v_max / (1.0 + cs * cs / S);  // in this form S may overflow
  }
  if (local <= alpha) {
    const double x = parameters.viscosity_decay * cs * dt / H;
    local += (alpha - local) / (1.0 + x);
  }
  return std::max(local, parameters.alpha_v_min);
}

double conduction_coefficient(double alpha, const SphenixGradients& gradients, double u, double H, double dt,
                              const SphenixParameters& parameters) noexcept {
  const double source = u > 0.0 ? parameters.beta_d * H * gradients.laplace_u / std::sqrt(u) : 0.0;
  const double rate = gradients.v_sig / H;
  const double excess = (alpha - parameters.alpha_d_min) / (1.0 + rate * dt) + source / (1.0 / dt + rate);
  const double grown = parameters.alpha_d_min + excess;
  const double limit = parameters.alpha_d_max * (1.0 - gradients.alpha_v / parameters.alpha_v_max);
  return std::clamp(grown, parameters.alpha_d_min, std::max(limit, parameters.alpha_d_min));
}

template SphenixGradients sphenix_gradients<CubicSpline>(const NeighbourCache&, const SphenixTarget&, double,
                                                         const Space&);
template SphenixForce sphenix_force<CubicSpline>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<QuarticSpline>(const NeighbourCache&, const SphenixTarget&, double,
                                                           const Space&);
template SphenixForce sphenix_force<QuarticSpline>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<QuinticSpline>(const NeighbourCache&, const SphenixTarget&, double,
                                                           const Space&);
template SphenixForce sphenix_force<QuinticSpline>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<WendlandC2>(const NeighbourCache&, const SphenixTarget&, double,
                                                        const Space&);
template SphenixForce sphenix_force<WendlandC2>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<WendlandC4>(const NeighbourCache&, const SphenixTarget&, double,
                                                        const Space&);
template SphenixForce sphenix_force<WendlandC4>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<WendlandC6>(const NeighbourCache&, const SphenixTarget&, double,
                                                        const Space&);
template SphenixForce sphenix_force<WendlandC6>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<WendlandC2Line>(const NeighbourCache&, const SphenixTarget&, double,
                                                            const Space&);
template SphenixForce sphenix_force<WendlandC2Line>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<WendlandC4Line>(const NeighbourCache&, const SphenixTarget&, double,
                                                            const Space&);
template SphenixForce sphenix_force<WendlandC4Line>(const NeighbourCache&, const SphenixTarget&, double, const Space&);
template SphenixGradients sphenix_gradients<WendlandC6Line>(const NeighbourCache&, const SphenixTarget&, double,
                                                            const Space&);
template SphenixForce sphenix_force<WendlandC6Line>(const NeighbourCache&, const SphenixTarget&, double, const Space&);

}  // namespace tacit::sph::kernels
