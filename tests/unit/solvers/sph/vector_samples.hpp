// Random particles for the vector loops, the scalar loops' view of them, and how far the two may differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"

namespace tacit::sph::vector_test {

using base::InstructionSet;
using base::Vec3;
using kernels::Space;
using kernels::vector::Frame;
using kernels::vector::PairLoops;
using kernels::vector::VectorCache;

inline constexpr double alpha = 0.8;
/// Half the distance of neighbouring floats around 1.
inline constexpr double rounding = 0x1p-24;

/// Particles with all that forces need, and one of them, number 0, for which sums are taken.
struct Cloud {
  std::vector<double> x, y, z, m, H, rho, omega_P, u;
  std::vector<float> vx, vy, vz, cs, balsara, f, alpha_v, alpha_d;
  [[nodiscard]] std::size_t size() const { return x.size(); }

  void add(const Vec3& at, std::uint64_t key) {
    const auto random = [key](std::uint64_t draw) { return base::uniform(77, key, draw); };
    x.push_back(at.x);
    y.push_back(at.y);
    z.push_back(at.z);
    m.push_back(0.5 + random(0));
    vx.push_back(static_cast<float>(random(1) - 0.5));
    vy.push_back(static_cast<float>(random(2) - 0.5));
    vz.push_back(static_cast<float>(random(3) - 0.5));
    H.push_back(0.6 + 0.5 * random(4));
    rho.push_back(0.5 + random(5));
    omega_P.push_back(0.1 + random(6));
    cs.push_back(static_cast<float>(0.5 + random(7)));
    balsara.push_back(static_cast<float>(random(8)));
    u.push_back(0.5 + random(9));
    f.push_back(static_cast<float>(0.5 + random(10)));
    alpha_v.push_back(static_cast<float>(2.0 * random(11)));
    alpha_d.push_back(static_cast<float>(random(12)));
  }
  [[nodiscard]] Vec3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
  [[nodiscard]] Vec3 v(std::size_t i) const { return {double{vx[i]}, double{vy[i]}, double{vz[i]}}; }
};

/// The nearest multiple of 2^-20, which frames of extent 2.4 hold without rounding.
inline double on_quanta(double x) { return std::round(x * 0x1p20) * 0x1p-20; }

/// n particles at most 1.2 from `middle` along each axis in use, some of them on top of each other or at equal
/// distances from the first, some far away.
inline Cloud random_cloud(std::size_t n, std::uint64_t seed, int dimension, const Vec3& middle = {}) {
  Cloud cloud;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = 1000 * seed + i;
    Vec3 at = middle;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
      at[axis] += on_quanta(2.4 * (base::uniform(78, key, axis) - 0.5));
    }
    if (i > 0 && i % 7 == 3) at = cloud.at(i - 1);                      // coincident
    if (i > 1 && i % 7 == 5) at = 2.0 * cloud.at(0) - cloud.at(i - 1);  // a tie in distance
    if (i > 0 && i % 11 == 8) at.x = middle.x + 300.0;                  // far
    if (i > 0 && i % 13 == 6) at = cloud.at(0);                         // on top of the first
    cloud.add(at, key);
  }
  return cloud;
}

inline kernels::NeighbourCache scalar_cache(const Cloud& cloud, const Space& space) {
  kernels::NeighbourCache cache;
  for (std::size_t j = 0; j < cloud.size(); ++j) {
    testing::add_candidate(cache, cloud.at(j), cloud.v(j), cloud.m[j]);
    cache.h[j] = cloud.H[j] / space.gamma;
    cache.rho[j] = cloud.rho[j];
    cache.omega_P[j] = cloud.omega_P[j];
    cache.cs[j] = double{cloud.cs[j]};
    cache.balsara[j] = double{cloud.balsara[j]};
    cache.u[j] = cloud.u[j];
    cache.f[j] = double{cloud.f[j]};
    cache.alpha_v[j] = double{cloud.alpha_v[j]};
    cache.alpha_d[j] = double{cloud.alpha_d[j]};
  }
  return cache;
}

inline const kernels::Box everywhere{{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}};

/// Supports of radius H; with all that SPHENIX needs.
inline kernels::vector::GasView gas_of(const Cloud& cloud) {
  return {cloud.H, cloud.rho, cloud.omega_P, cloud.cs,      cloud.balsara,
          1.0,     cloud.u,   cloud.f,       cloud.alpha_v, cloud.alpha_d};
}

/// Sealed, and all its candidates in the list.
inline VectorCache vector_cache(const PairLoops& loops, const Cloud& cloud, const Frame& frame,
                                const kernels::vector::Image& image = {}) {
  VectorCache cache(frame);
  cache.append(loops.kernels().fill, {cloud.x, cloud.y, cloud.z, cloud.m, cloud.vx, cloud.vy, cloud.vz}, gas_of(cloud),
               image, everywhere, 1.0);
  cache.seal();
  loops.shortlist_either(cache, everywhere, 10.0);
  return cache;
}

inline kernels::ForceTarget target(const Cloud& cloud, const Space& space, std::size_t i = 0) {
  return {{cloud.x[i], cloud.y[i], cloud.z[i]},
          cloud.v(i),
          cloud.H[i] / space.gamma,
          cloud.rho[i],
          cloud.omega_P[i],
          double{cloud.cs[i]},
          double{cloud.balsara[i]}};
}

inline kernels::SphenixTarget sphenix_target(const Cloud& cloud, const Space& space, std::size_t i = 0) {
  return {target(cloud, space, i), cloud.u[i], double{cloud.f[i]}, double{cloud.alpha_v[i]}, double{cloud.alpha_d[i]}};
}

inline Frame frame_around(const Vec3& origin, int dimension) {
  return {origin, 2.4, {0.1, -0.2, 0.3}, {1.0, 0.5}, dimension};
}

/// Calls `check(kernel, dimension)` for kernels of every shape and every dimension.
template <class Check>
void for_each_space(const Check& check) {
  for (int dimension = 1; dimension <= 3; ++dimension) {
    check(kernels::CubicSpline{}, dimension);
    check(kernels::QuinticSpline{}, dimension);
    if (dimension == 1) {
      check(kernels::WendlandC6Line{}, dimension);
    } else {
      check(kernels::WendlandC2{}, dimension);
      check(kernels::WendlandC6{}, dimension);
    }
  }
}

/// Numbers of candidates around the packs' widths: none but the particle itself, and whole packs of every width.
inline constexpr std::array<std::size_t, 20> sizes{1,  2,  3,  4,  5,  7,  8,  9,  15,  16,
                                                   17, 31, 32, 33, 47, 63, 64, 65, 200, 1001};

/// Calls `check(loops, cloud, space, scalar cache, vector cache)` for every instruction set, space and size.
template <class Check>
void for_each_case(const Vec3& middle, const Check& check) {
  for (const InstructionSet set : base::usable_instruction_sets()) {
    for_each_space([&]<class Kernel>(Kernel kernel, int dimension) {
      const Space& space = kernels::space_of<Kernel>(dimension);
      const PairLoops loops(kernels::vector::pair_kernels<Kernel>(set), space);
      EXPECT_EQ(loops.kernels().set, set);
      for (const std::size_t n : sizes) {
        SCOPED_TRACE(std::string(name_of(set)) + ", " + std::to_string(dimension) + "-D, n = " + std::to_string(n));
        const Cloud cloud = random_cloud(n, n, dimension, middle);
        auto oracle = scalar_cache(cloud, space);
        auto cache = vector_cache(loops, cloud, frame_around(middle, dimension));
        ASSERT_EQ(cache.size(), n);
        check(kernel, loops, cloud, space, oracle, cache);
      }
    });
  }
}

/// The largest of |w|, |w'| and |w''|.
template <class Kernel>
double steepness() {
  double steepest = Kernel::w(0.0);
  constexpr int steps = 1000;
  for (int k = 0; k < steps; ++k) {
    const double q = (k + 0.5) / steps;
    const double second = (Kernel::dw_dq(q + 1e-5) - Kernel::dw_dq(q - 1e-5)) / 2e-5;
    steepest = std::max({steepest, std::abs(second), std::abs(Kernel::dw_dq(q))});
  }
  return steepest;
}

/// Tolerances of the sums.
struct Tolerances {
  double density = 0.0;
  double slope = 0.0;
  double gradient = 0.0;
  double acceleration = 0.0;
  double dissipation = 0.0;
};

// Errors in units of `rounding` (2^-24). The clouds lie on the frames' quanta, so separations are exact; r rounds 3
// times and 1/H twice, so q is off by 6 at most, which moves w and w' by 6 times the steepness. Evaluating them rounds
// terms of up to twice the steepness (splines cancel near q = 0) not more than 5 times. In all 16 steepnesses.
inline constexpr double error_of_kernel = 16.0 * rounding;
// Relative to the term: H to the power d + 1 <= 4, off by 2 each: 8; K, m, v_i, v_j, rho_i, rho_j, omega_P, balsara_i,
// balsara_j, cs_i, cs_j, alpha: 12; the longest chain of products and sums outside the kernel: below 20.
inline constexpr double error_of_term = 40.0 * rounding;

/// The error of a term that contains K / H^power value(r / H).
struct KernelError {
  const Space& space;
  double relative;
  double steepest;
  [[nodiscard]] double operator()(double value, double radius, int power) const {
    return space.norm * kernels::inverse_power(radius, power) *
           (relative * std::abs(value) + error_of_kernel * steepest);
  }
};

/// The errors of all terms, and of their addition, which rounds a partial sum for each hit.
template <class Kernel>
Tolerances tolerances(const Cloud& cloud, const Space& space, const kernels::NeighbourCache& cache) {
  Tolerances sum;
  const KernelError error{space, error_of_term + static_cast<double>(cache.hits) * rounding, steepness<Kernel>()};
  const double H = cloud.H[0];
  const int d = space.dimension;
  for (std::size_t k = 0; k < cache.hits; ++k) {
    const std::size_t j = cache.hit[k];
    const double m = cloud.m[j];
    const double r = std::sqrt(cache.r2[k]);
    const auto slope_at = [r](double radius) { return r < radius ? Kernel::dw_dq(r / radius) : 0.0; };
    const double W = error(r < H ? Kernel::w(r / H) : 0.0, H, d);
    const double dW_i = error(slope_at(H), H, d + 1);
    const double dW_j = error(slope_at(cloud.H[j]), cloud.H[j], d + 1);
    // Velocities are floats relative to that of the frame, of sizes up to 1.3, which adds an error of 2.6 roundings to
    // their difference: less than error_of_term has for a difference of 0.1.
    const double v = norm(cloud.v(0) - cloud.v(j)) + 0.1;
    const double Pi = alpha * (double{cloud.cs[0] + cloud.cs[j]} + 3.0 * v) * v / (cloud.rho[0] + cloud.rho[j]);
    sum.density += m * W;
    sum.slope += m * (d * W + H * dW_i) * space.gamma / H;
    sum.gradient += m * dW_i * v / cloud.rho[0];
    sum.acceleration += m * (cloud.omega_P[0] * dW_i + cloud.omega_P[j] * dW_j + 0.5 * Pi * (dW_i + dW_j));
    sum.dissipation += m * 0.5 * Pi * (dW_i + dW_j) * v;
  }
  return sum;
}

}  // namespace tacit::sph::vector_test
