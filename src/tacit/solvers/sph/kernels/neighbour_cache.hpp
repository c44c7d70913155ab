// The particles that one cell may see, copied side by side, and those of them that one particle does see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::sph::kernels {

/// Fields of candidate neighbours, shape (M) each, positions already shifted to the periodic image that is meant.
/// Filled once per cell and kept in cache while its particles search it. The second half is needed by the force only.
struct NeighbourCache {
  std::vector<double> x, y, z;     ///< position [length]
  std::vector<double> vx, vy, vz;  ///< predicted velocity [velocity]
  std::vector<double> m;           ///< mass [mass]
  std::vector<double> h;           ///< smoothing length [length]
  std::vector<double> rho;         ///< density [density]
  std::vector<double> omega_P;     ///< f P / rho^2
  std::vector<double> cs;          ///< sound speed [velocity]
  std::vector<double> balsara;     ///< viscosity limiter

  // What find_* keeps of them for one particle.
  std::vector<std::uint32_t> hit;  ///< indices of the candidates within the search radius
  std::vector<double> r2;          ///< squared separations of these [length^2]

  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
  void clear() noexcept {
    for (auto* field : {&x, &y, &z, &vx, &vy, &vz, &m, &h, &rho, &omega_P, &cs, &balsara}) field->clear();
  }
};

struct Point {
  double x, y, z;
};

/// Keeps the candidates with |x_j - at| < radius, in their order.
///
/// Cost: 8 flops and 24 bytes per candidate.
inline void find_within(NeighbourCache& cache, const Point& at, double radius) {
  cache.hit.clear();
  cache.r2.clear();
  const double limit = radius * radius;
  for (std::size_t j = 0; j < cache.size(); ++j) {
    const double dx = at.x - cache.x[j];
    const double dy = at.y - cache.y[j];
    const double dz = at.z - cache.z[j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < limit) {
      cache.hit.push_back(static_cast<std::uint32_t>(j));
      cache.r2.push_back(r2);
    }
  }
}

/// Keeps the candidates with |x_j - at| < max(radius, support * h_j): all that act on, or are acted on by, the particle.
inline void find_within_either(NeighbourCache& cache, const Point& at, double radius, double support) {
  cache.hit.clear();
  cache.r2.clear();
  for (std::size_t j = 0; j < cache.size(); ++j) {
    const double dx = at.x - cache.x[j];
    const double dy = at.y - cache.y[j];
    const double dz = at.z - cache.z[j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double H_j = support * cache.h[j];
    if (r2 < radius * radius || r2 < H_j * H_j) {
      cache.hit.push_back(static_cast<std::uint32_t>(j));
      cache.r2.push_back(r2);
    }
  }
}

}  // namespace tacit::sph::kernels
