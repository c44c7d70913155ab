// The particles that one cell may see, copied side by side, and those of them that one particle does see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::sph::kernels {

/// Fields of candidate neighbours, shape (size) each, positions already shifted to the periodic image that is meant.
/// Filled once per cell and kept in cache while its particles search it. The second half is needed by the force only.
/// The arrays only ever grow, so that a warm cache allocates nothing.
struct NeighbourCache {
  std::size_t size = 0;
  std::vector<double> x, y, z;     ///< position [length]
  std::vector<double> vx, vy, vz;  ///< predicted velocity [velocity]
  std::vector<double> m;           ///< mass [mass]
  std::vector<double> h;           ///< smoothing length [length]
  std::vector<double> rho;         ///< density [density]
  std::vector<double> omega_P;     ///< f P / rho^2
  std::vector<double> cs;          ///< sound speed [velocity]
  std::vector<double> balsara;     ///< viscosity limiter
  std::vector<double> u;           ///< specific internal energy; from here on for SPHENIX only
  std::vector<double> f;           ///< correction for gradients of h, in omega_P
  std::vector<double> alpha_v;     ///< viscosity coefficient
  std::vector<double> alpha_d;     ///< conduction coefficient

  // What find_* keeps of them for one particle, shape (hits).
  std::size_t hits = 0;
  std::vector<std::uint32_t> hit;  ///< indices of the candidates within the search radius
  std::vector<double> r2;          ///< squared separations of these [length^2]

  /// Makes room for `more` candidates beyond the present ones.
  void reserve(std::size_t more) {
    if (size + more <= x.size()) return;
    const std::size_t capacity = std::max(size + more, 2 * x.size());
    for (auto* field :
         {&x, &y, &z, &vx, &vy, &vz, &m, &h, &rho, &omega_P, &cs, &balsara, &u, &f, &alpha_v, &alpha_d, &r2}) {
      field->resize(capacity);
    }
    hit.resize(capacity);
  }
};

struct Point {
  double x, y, z;
};

/// The smallest box around some particles.
struct Box {
  Point low;
  Point high;

  /// Squared distance of a point from the box; 0 inside.
  [[nodiscard]] double distance2(double x, double y, double z) const noexcept {
    const double dx = std::max({low.x - x, x - high.x, 0.0});
    const double dy = std::max({low.y - y, y - high.y, 0.0});
    const double dz = std::max({low.z - z, z - high.z, 0.0});
    return dx * dx + dy * dy + dz * dz;
  }
};

/// Around nothing.
inline constexpr Box empty_box{{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

/// The smallest box around both.
[[nodiscard]] inline Box around(const Box& a, const Box& b) noexcept {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

/// Keeps the candidates with |x_j - at|^2 < limit2(j), in their order.
///
/// Cost: 8 flops and 24 bytes per candidate. Stores without a branch: a mispredicted one costs more than the store.
template <class Limit2>
void find_nearer(NeighbourCache& cache, const Point& at, const Limit2& limit2) {
  std::size_t hits = 0;
  for (std::size_t j = 0; j < cache.size; ++j) {
    const double dx = at.x - cache.x[j];
    const double dy = at.y - cache.y[j];
    const double dz = at.z - cache.z[j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    cache.hit[hits] = static_cast<std::uint32_t>(j);
    cache.r2[hits] = r2;
    hits += r2 < limit2(j) ? 1U : 0U;
  }
  cache.hits = hits;
}

/// Keeps the candidates with |x_j - at| < radius.
inline void find_within(NeighbourCache& cache, const Point& at, double radius) {
  find_nearer(cache, at, [limit2 = radius * radius](std::size_t) { return limit2; });
}

/// Keeps the candidates with |x_j - at| < max(radius, support * h_j): all that act on, or are acted on by, the
/// particle.
inline void find_within_either(NeighbourCache& cache, const Point& at, double radius, double support) {
  find_nearer(cache, at, [&cache, radius, support](std::size_t j) {
    const double limit = std::max(radius, support * cache.h[j]);
    return limit * limit;
  });
}

}  // namespace tacit::sph::kernels
