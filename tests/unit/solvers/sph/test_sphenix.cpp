// The scalar loops of SPHENIX: conservation, limits, a pair by hand; and its switches.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "vector_samples.hpp"

namespace tacit::sph::sphenix_test {

using namespace vector_test;

namespace {

constexpr double beta_v = 3.0;
/// Half the distance of neighbouring doubles around 1.
constexpr double rounding_of_doubles = 0x1p-53;
const kernels::SphenixParameters published;

/// Forces on particle i of a cloud, over all the others in reach.
template <class Kernel>
kernels::SphenixForce force_on(const Cloud& cloud, kernels::NeighbourCache& cache, const Space& space, std::size_t i) {
  const auto target = sphenix_target(cloud, space, i);
  kernels::find_within_either(cache, target.gas.at, cloud.H[i], space.gamma);
  return kernels::sphenix_force<Kernel>(cache, target, beta_v, space);
}

/// Two particles at that distance along x, at rest, equal in everything.
Cloud equal_pair(double distance) {
  Cloud cloud;
  for (const double x : {0.0, distance}) {
    cloud.add({x, 0.0, 0.0}, 1);
    for (auto* v : {&cloud.vx, &cloud.vy, &cloud.vz}) v->back() = 0.0F;
  }
  return cloud;
}

}  // namespace

TEST(Sphenix, KeepsMomentumAndEnergyOfAClosedSet) {
  testing::for_each_space([]<class Kernel>(Kernel, const Space& space) {
    constexpr std::size_t n = 150;
    const Cloud cloud = random_cloud(n, 21, space.dimension);
    auto cache = scalar_cache(cloud, space);
    Vec3 momentum;
    double energy = 0.0;
    double sizes = 0.0;
    double heat = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto force = force_on<Kernel>(cloud, cache, space, i);
      momentum = momentum + cloud.m[i] * force.a;
      energy += cloud.m[i] * (dot(cloud.v(i), force.a) + force.du_dt);
      sizes += cloud.m[i] * (norm(force.a) + std::abs(force.du_dt));
      heat += cloud.m[i] * force.du_dt;
    }
    // Every term rounds some 50 times and each sum at most n times more; sizes of whole sums are smaller than those of
    // their up to n terms, of which fewer than 10 cancel.
    const double tolerance = 10.0 * (50.0 + n) * rounding_of_doubles * sizes;
    EXPECT_NEAR(norm(momentum), 0.0, tolerance);
    EXPECT_NEAR(energy, 0.0, tolerance);
    EXPECT_GT(std::abs(heat), 1e3 * tolerance);
  });
}

TEST(Sphenix, ConductionMovesEnergyFromHotToColdAndKeepsIt) {
  testing::for_each_space([]<class Kernel>(Kernel, const Space& space) {
    Cloud cloud = equal_pair(0.4);
    cloud.u = {2.0, 1.5};
    cloud.omega_P = {0.4, 0.1};  // conduction needs a jump in pressure where nothing moves
    auto cache = scalar_cache(cloud, space);
    const double first = force_on<Kernel>(cloud, cache, space, 0).du_dt;
    const double second = force_on<Kernel>(cloud, cache, space, 1).du_dt;
    EXPECT_LT(first, 0.0);
    EXPECT_EQ(first, -second);
  });
}

TEST(Sphenix, EqualPressuresAtRestDoNotConduct) {
  using Kernel = kernels::CubicSpline;
  const Space& space = kernels::space_of<Kernel>(3);
  Cloud cloud = equal_pair(0.4);
  cloud.u = {2.0, 1.5};
  auto cache = scalar_cache(cloud, space);
  EXPECT_EQ(force_on<Kernel>(cloud, cache, space, 0).du_dt, 0.0);
}

TEST(Sphenix, ColdGasIsAtRest) {
  using Kernel = kernels::CubicSpline;
  const Space& space = kernels::space_of<Kernel>(3);
  Cloud cloud = equal_pair(0.4);
  cloud.u = cloud.omega_P = {0.0, 0.0};
  cloud.cs = {0.0F, 0.0F};
  auto cache = scalar_cache(cloud, space);
  const auto force = force_on<Kernel>(cloud, cache, space, 0);
  EXPECT_EQ(force.a, Vec3{});
  EXPECT_EQ(force.du_dt, 0.0);
  EXPECT_EQ(force.v_sig, 0.0);
}

TEST(Sphenix, UniformGasFeelsNothing) {
  testing::for_each_kernel([]<class Kernel>(Kernel) {
    const Space& space = kernels::space_of<Kernel>(3);
    auto cache = testing::lattice_cache(4, [](const Vec3&) { return Vec3{0.3, -0.2, 0.1}; });
    for (auto* field : {&cache.rho, &cache.omega_P, &cache.cs, &cache.balsara, &cache.u, &cache.f}) {
      field->assign(field->size(), 1.0);
    }
    cache.h.assign(cache.h.size(), 1.2);
    cache.alpha_v.assign(cache.alpha_v.size(), 0.7);
    cache.alpha_d.assign(cache.alpha_d.size(), 0.5);
    const kernels::SphenixTarget i{{{}, {0.3, -0.2, 0.1}, 1.2, 1.0, 1.0, 1.0, 1.0}, 1.0, 1.0, 0.7, 0.5};
    kernels::find_within(cache, i.gas.at, space.gamma * i.gas.h);
    const auto gradients = kernels::sphenix_gradients<Kernel>(cache, i, beta_v, space);
    EXPECT_EQ(gradients.laplace_u, 0.0);
    EXPECT_EQ(gradients.v_sig, 2.0);
    EXPECT_EQ(gradients.alpha_v, 0.7);
    const auto force = kernels::sphenix_force<Kernel>(cache, i, beta_v, space);
    // Opposite neighbours cancel; each of some 100 sums of order 1 may round.
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(force.a[axis], 0.0, 100.0 * 0x1p-53);
    EXPECT_EQ(force.du_dt, 0.0);
    EXPECT_EQ(force.v_sig, 2.0);
  });
}

TEST(Sphenix, FindsTheLaplacianOfAParabola) {
  testing::for_each_kernel([]<class Kernel>(Kernel) {
    const Space& space = kernels::space_of<Kernel>(3);
    auto cache = testing::lattice_cache(6);
    for (std::size_t j = 0; j < cache.size; ++j) {
      cache.rho[j] = 1.0;
      cache.cs[j] = cache.h[j] = 1.0;
      cache.u[j] = 10.0 + cache.x[j] * cache.x[j] + 2.0 * cache.y[j] * cache.y[j] - 0.5 * cache.z[j] * cache.z[j];
    }
    const kernels::SphenixTarget i{{{}, {}, 1.6, 1.0, 1.0, 1.0, 1.0}, 10.0, 1.0, 0.1, 0.0};
    kernels::find_within(cache, i.gas.at, space.gamma * i.gas.h);
    const auto gradients = kernels::sphenix_gradients<Kernel>(cache, i, beta_v, space);
    // u = 10 + sum_k a_k x_k^2 on a lattice gives -(2/3) sum_k a_k sum_j V r W' = (2/3) sum_k a_k (3 rho + h drho/dh):
    // each axis has a third of r^2. Some 500 neighbours, each term rounded some 10 times.
    const kernels::Density density = kernels::density_sum<Kernel>(cache, i.gas.h, space);
    const double expected = 2.0 / 3.0 * 2.5 * (3.0 * density.rho + i.gas.h * density.drho_dh);
    EXPECT_NEAR(gradients.laplace_u, expected, 510.0 * rounding_of_doubles * 10.0 * 5.0);
    // The density of this lattice is 1 and constant with h to 2 %.
    EXPECT_NEAR(gradients.laplace_u, 2.0 + 4.0 - 1.0, 0.02 * 5.0);
  });
}

TEST(Sphenix, IsGadgetWhereItsOwnTermsAreSwitchedOff) {
  testing::for_each_space([]<class Kernel>(Kernel, const Space& space) {
    Cloud cloud = random_cloud(80, 5, space.dimension);
    cloud.f.assign(cloud.size(), 1.0F);
    cloud.alpha_v.assign(cloud.size(), 0.5F);
    cloud.alpha_d.assign(cloud.size(), 0.0F);
    auto cache = scalar_cache(cloud, space);
    const auto found = force_on<Kernel>(cloud, cache, space, 0);
    const auto expected = kernels::force_sum<Kernel>(cache, target(cloud, space), 0.5, space);
    // Terms of the same size in another order: some 20 roundings of each and of up to 80 partial sums.
    const double tolerance = 100.0 * rounding_of_doubles * 80.0 * (1.0 + norm(expected.a));
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found.a[axis], expected.a[axis], tolerance);
    EXPECT_EQ(found.v_sig, expected.v_sig);
    double work = 0.0;  // of the pressure alone: omega_P_i sum m v . grad W_i
    for (std::size_t k = 0; k < cache.hits; ++k) {
      const std::size_t j = cache.hit[k];
      const double r = std::sqrt(cache.r2[k]);
      if (r == 0.0 || r >= cloud.H[0]) continue;
      const double v_r = dot(cloud.v(0) - cloud.v(j), cloud.at(0) - cloud.at(j));
      work += cloud.m[j] * cloud.omega_P[0] * kernels::dW_dr<Kernel>(r, cloud.H[0] / space.gamma, space) * v_r / r;
    }
    EXPECT_NEAR(found.du_dt, work + 0.5 * expected.dissipation, tolerance * (1.0 + std::abs(expected.dissipation)));
  });
}

TEST(Sphenix, APairByHand) {
  using Kernel = kernels::CubicSpline;
  const Space& space = kernels::space_of<Kernel>(3);
  // i moves at 0.5 towards j, which lies at a distance of 0.3 along x.
  Cloud cloud = equal_pair(0.3);
  cloud.vx = {0.5F, 0.0F};
  cloud.m = {1.0, 2.0};
  cloud.H = {1.0, 0.8};
  cloud.rho = {1.5, 0.5};
  cloud.omega_P = {0.3, 0.8};
  cloud.cs = {1.25F, 0.75F};
  cloud.balsara = {0.5F, 1.0F};
  cloud.u = {1.0, 3.0};
  cloud.f = {1.0F, 0.5F};
  cloud.alpha_v = {0.5F, 1.0F};
  cloud.alpha_d = {0.25F, 0.75F};
  auto cache = scalar_cache(cloud, space);
  const double dW_i = kernels::dW_dr<Kernel>(0.3, 1.0 / space.gamma);
  const double dW_j = kernels::dW_dr<Kernel>(0.3, 0.8 / space.gamma);
  const double v_sig = 1.25 + 0.75 + 3.0 * 0.5;
  const double Pi = 0.75 * 0.75 * v_sig * 0.5 / 2.0;            // mean alpha, mean limiter, rho_i + rho_j = 2
  const double viscous = Pi * 0.5 * (1.0 * dW_i + 0.5 * dW_j);  // < 0: pushes apart
  const double P_i = 0.3 * 1.5 * 1.5 / 1.0;                     // 0.675
  const double P_j = 0.8 * 0.5 * 0.5 / 0.5;                     // 0.4
  const double v_d = 0.5 * (0.5 + std::sqrt(2.0 * (P_i - P_j) / 2.0));
  const double alpha_d = (P_i * 0.25 + P_j * 0.75) / (P_i + P_j);
  const double conducted = alpha_d * v_d * (1.0 - 3.0) * (1.0 * dW_i / 1.5 + 0.5 * dW_j / 0.5);
  const double v_grad_i = 0.5 * -1.0;  // (v_i - v_j) . (x_i - x_j) / r
  const auto force = force_on<Kernel>(cloud, cache, space, 0);
  // x_i - x_j points to -x. Sums of a few terms of order 1 to 30, each rounded some 20 times.
  const double tolerance = 30.0 * 20.0 * rounding_of_doubles;
  EXPECT_NEAR(force.a.x, 2.0 * (0.3 * dW_i + 0.8 * dW_j + viscous), tolerance);
  EXPECT_EQ(force.a.y, 0.0);
  EXPECT_NEAR(force.du_dt, 2.0 * ((0.3 * dW_i + 0.5 * viscous) * v_grad_i + conducted), tolerance);
  EXPECT_DOUBLE_EQ(force.v_sig, v_sig);
  kernels::find_within(cache, {}, 1.0);
  const auto gradients = kernels::sphenix_gradients<Kernel>(cache, sphenix_target(cloud, space), beta_v, space);
  EXPECT_NEAR(gradients.laplace_u, 2.0 * 2.0 / 0.5 * (1.0 - 3.0) / 0.3 * dW_i, 10.0 * tolerance);
  EXPECT_DOUBLE_EQ(gradients.v_sig, v_sig);
  EXPECT_EQ(gradients.alpha_v, 1.0);
}

TEST(SphenixViscosity, JumpsUpWhereCompressionGrows) {
  // S = H^2 (4 - 1) / dt = 0.25 * 3 / 0.5 = 1.5 and c^2 = 4.5, so alpha_loc = 2 * 1.5 / 6.
  const kernels::Compression growing{-4.0, -1.0, 0.5};
  const double cs = std::sqrt(4.5);
  EXPECT_DOUBLE_EQ(kernels::viscosity_coefficient(0.1, growing, cs, 0.5, published), 0.5);
  // Above the local value it decays instead: x = 0.05 c dt / H.
  const double x = 0.05 * cs;
  EXPECT_DOUBLE_EQ(kernels::viscosity_coefficient(1.5, growing, cs, 0.5, published), (1.5 + x * 0.5) / (1.0 + x));
}

TEST(SphenixViscosity, DecaysInQuietAndExpandingGas) {
  // x = 0.05 * 2 * 10 / 0.5 = 2: a third is left.
  for (const kernels::Compression& quiet :
       {kernels::Compression{0.0, 0.0, 10.0}, {3.0, 5.0, 10.0}, {-1.0, -4.0, 10.0}, {-1.0, -1.0, 10.0}}) {
    EXPECT_DOUBLE_EQ(kernels::viscosity_coefficient(0.9, quiet, 2.0, 0.5, published), 0.3);
  }
  // Expansion that slows down is no shock either.
  EXPECT_DOUBLE_EQ(kernels::viscosity_coefficient(0.9, {1.0, 4.0, 10.0}, 2.0, 0.5, published), 0.3);
}

TEST(SphenixViscosity, StaysWithinItsBoundsForAnyStep) {
  kernels::SphenixParameters bounded = published;
  bounded.alpha_v_min = 0.05;
  for (const double dt : {0.0, 1e-300, 1e-6, 1.0, 1e6, 1e300}) {
    for (const double cs : {0.0, 1e-3, 1.0, 1e100}) {
      for (const double div_v : {-1e200, -1.0, 0.0, 1.0}) {
        const double alpha = kernels::viscosity_coefficient(0.7, {div_v, 0.0, dt}, cs, 0.1, bounded);
        EXPECT_GE(alpha, 0.05) << dt << ' ' << cs << ' ' << div_v;
        EXPECT_LE(alpha, 2.0);
      }
    }
  }
  EXPECT_EQ(kernels::viscosity_coefficient(0.7, {-5.0, 0.0, 0.0}, 1.0, 0.1, published), 0.7);  // no step yet
}

TEST(SphenixConduction, GrowsWithTheLaplacianAndDecays) {
  // H laplace u / sqrt(u) dt = 0.5 * 3 / 2 * 0.4 = 0.3; v_sig dt / H = 2 * 0.4 / 0.5 = 1.6.
  const kernels::SphenixGradients quiet{2.0, 3.0, 0.0};
  EXPECT_DOUBLE_EQ(kernels::conduction_coefficient(0.22, quiet, 4.0, 0.5, 0.4, published), 0.2);
  // Without a kink it only decays, by 1 / (1 + 1.6); with a negative one to nothing.
  EXPECT_DOUBLE_EQ(kernels::conduction_coefficient(0.52, {2.0, 0.0, 0.0}, 4.0, 0.5, 0.4, published), 0.2);
  EXPECT_EQ(kernels::conduction_coefficient(0.52, {2.0, -30.0, 0.0}, 4.0, 0.5, 0.4, published), 0.0);
}

TEST(SphenixConduction, IsLimitedInViscousFlows) {
  const auto limited = [](double alpha_v) {
    return kernels::conduction_coefficient(0.0, {1.0, 1e9, alpha_v}, 1.0, 1.0, 1.0, published);
  };
  EXPECT_EQ(limited(0.0), 1.0);
  EXPECT_EQ(limited(0.5), 0.75);
  EXPECT_EQ(limited(2.0), 0.0);
  EXPECT_EQ(limited(2.5), 0.0);  // nor below its minimum
}

TEST(SphenixConduction, StaysWithinItsBoundsForAnyStep) {
  for (const double dt : {0.0, 1e-300, 1e-6, 1.0, 1e6, 1e100}) {
    for (const double u : {0.0, 1e-100, 1.0}) {
      for (const double laplace : {-1e50, 0.0, 1e50}) {
        const double alpha = kernels::conduction_coefficient(0.4, {1.0, laplace, 0.2}, u, 0.1, dt, published);
        EXPECT_GE(alpha, 0.0);
        EXPECT_LE(alpha, 0.9);
      }
    }
  }
}

}  // namespace tacit::sph::sphenix_test
