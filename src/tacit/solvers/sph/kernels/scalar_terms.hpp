// The sides of a pair as the scalar loops see them: the formulas of the packs, with one double for a pack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/pair_terms.hpp"

namespace tacit::sph::kernels::terms {

using Double = base::Pack<double, base::isa::scalar>;

[[nodiscard]] inline Gas<Double> gas_of(const ForceTarget& i, const Space& space) noexcept {
  return {Double(i.cs), Double(1.0 / (space.gamma * i.h)), Double(i.rho), Double(i.omega_P), Double(i.balsara)};
}
[[nodiscard]] inline Gas<Double> gas_of(const NeighbourCache& cache, std::size_t j, const Space& space) noexcept {
  return {Double(cache.cs[j]), Double(1.0 / (space.gamma * cache.h[j])), Double(cache.rho[j]), Double(cache.omega_P[j]),
          Double(cache.balsara[j])};
}

/// A target's separation from a candidate and their relative motion along it.
struct ScalarPair {
  base::Vec3 d;  ///< x_i - x_j
  Separation<Double> separation;
  Double v_r;      ///< (v_i - v_j) . d
  Double parting;  ///< what the expansion of space adds to that

  ScalarPair(const ForceTarget& i, const NeighbourCache& cache, std::size_t hit) noexcept
      : separation(Double(cache.r2[hit])), parting(Double(i.hubble * cache.r2[hit])) {
    const std::size_t j = cache.hit[hit];
    d = {i.at.x - cache.x[j], i.at.y - cache.y[j], i.at.z - cache.z[j]};
    v_r = Double(dot(base::Vec3{i.v.x - cache.vx[j], i.v.y - cache.vy[j], i.v.z - cache.vz[j]}, d));
  }
};

}  // namespace tacit::sph::kernels::terms
