// Density and velocity gradients of lattices, where exact values are known.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <type_traits>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/density.hpp"

namespace tacit::sph::density_test {
namespace {

using base::Vec3;
using kernels::Density;
constexpr double eta = 1.2348;
constexpr kernels::Point origin{0.0, 0.0, 0.0};

}  // namespace

TEST(DensitySum, OfALatticeIsItsMeanDensity) {
  testing::for_each_kernel([]<class K>(K) {
    auto cache = testing::lattice_cache(4);
    kernels::find_within(cache, origin, K::gamma * eta);
    // By Poisson's formula the error is the sum of the kernel's Fourier transform over the reciprocal lattice; its
    // first shell, six waves of length 1, gives below 1 % where a kernel holds 48 neighbours and less where it holds
    // more, but 1.8 % with C2, whose transform falls slowest.
    constexpr double error = std::is_same_v<K, kernels::WendlandC2> ? 0.02 : 0.01;
    EXPECT_NEAR(kernels::density_sum<K>(cache, eta).rho, 1.0, error);
    kernels::find_within(cache, origin, K::gamma * 1.8);
    // The transform falls at least as k^-4, and (1.2348 / 1.8)^4 = 0.22.
    EXPECT_NEAR(kernels::density_sum<K>(cache, 1.8).rho, 1.0, 0.0022);
  });
}

TEST(DensitySum, DerivativeInHIsThatOfDifferences) {
  testing::for_each_kernel([]<class K>(K) {
    auto cache = testing::lattice_cache(4);
    kernels::find_within(cache, origin, K::gamma * 1.5);
    constexpr double delta = 1e-5;
    const double above = kernels::density_sum<K>(cache, eta + delta).rho;
    const double below = kernels::density_sum<K>(cache, eta - delta).rho;
    // Some 80 terms, each with a third derivative in h below 500 gamma^3 K / H^6, about 1e3: 80 * 1e3 * delta^2 / 6.
    EXPECT_NEAR(kernels::density_sum<K>(cache, eta).drho_dh, (above - below) / (2.0 * delta), 1.4e-6);
  });
}

TEST(DensitySum, OfALoneParticleIsItsOwnKernel) {
  kernels::NeighbourCache cache;
  testing::add_candidate(cache, {}, {}, 3.0);
  kernels::find_within(cache, origin, 1.0);
  const Density density = kernels::density_sum<kernels::CubicSpline>(cache, 0.5);
  const double W = kernels::W<kernels::CubicSpline>(0.0, 0.5);
  EXPECT_DOUBLE_EQ(density.rho, 3.0 * W);
  EXPECT_DOUBLE_EQ(density.drho_dh, -3.0 * 3.0 * W / 0.5);
}

TEST(DensitySum, OfNothingIsZero) {
  kernels::NeighbourCache cache;
  kernels::find_within(cache, origin, 1.0);
  EXPECT_EQ(kernels::density_sum<kernels::CubicSpline>(cache, 0.5).rho, 0.0);
}

TEST(VelocityGradients, OfALinearFieldAreItsOwnUpToTheKernelsMoment) {
  const auto v = [](const Vec3& x) {  // div = 0.5 + 0.2 - 1.1, curl = (0.7 - 2, 0.3 - 0.9, -1 - 0.4)
    return Vec3{0.5 * x.x + 0.4 * x.y + 0.3 * x.z, -x.x + 0.2 * x.y + 2.0 * x.z, 0.9 * x.x + 0.7 * x.y - 1.1 * x.z};
  };
  testing::for_each_kernel([&v]<class K>(K) {
    auto cache = testing::lattice_cache(4, v);
    kernels::find_within(cache, origin, K::gamma * eta);
    const Density density = kernels::density_sum<K>(cache, eta);
    const auto gradients = kernels::velocity_gradients<K>(cache, origin, Vec3{}, eta, density.rho);
    // With cubic symmetry every component is scaled by -(1/3 rho) sum m r dW/dr = 1 + (h / 3 rho) drho/dh, exactly.
    const double moment = 1.0 + eta / (3.0 * density.rho) * density.drho_dh;
    // Some 80 terms of order 1 that partly cancel.
    constexpr double rounding = 1e-13;
    EXPECT_NEAR(gradients.div_v, moment * -0.4, rounding);
    EXPECT_NEAR(gradients.curl_v.x, moment * -1.3, rounding);
    EXPECT_NEAR(gradients.curl_v.y, moment * -0.6, rounding);
    EXPECT_NEAR(gradients.curl_v.z, moment * -1.4, rounding);
    // The moment is 1 up to h/3 times the slope of the density's error: 1 (C2: 2) % of rho, varying by its own size per
    // h.
    constexpr double slope = std::is_same_v<K, kernels::WendlandC2> ? 0.04 : 0.02;
    EXPECT_NEAR(moment, 1.0, slope);
  });
}

TEST(VelocityGradients, RotationHasNoDivergenceAndExpansionNoCurl) {
  auto rotating = testing::lattice_cache(4, [](const Vec3& x) { return Vec3{-2.0 * x.y, 2.0 * x.x, 0.0}; });
  auto expanding = testing::lattice_cache(4, [](const Vec3& x) { return 0.7 * x; });
  for (auto* cache : {&rotating, &expanding}) kernels::find_within(*cache, origin, kernels::CubicSpline::gamma * eta);
  const auto rotation = kernels::velocity_gradients<kernels::CubicSpline>(rotating, origin, Vec3{}, eta, 1.0);
  const auto expansion = kernels::velocity_gradients<kernels::CubicSpline>(expanding, origin, Vec3{}, eta, 1.0);
  // Each pair's v_ij . d or v_ij x d cancels by itself; what is left is rounding of terms of order 1.
  EXPECT_NEAR(rotation.div_v, 0.0, 1e-15);
  EXPECT_NEAR(norm(expansion.curl_v), 0.0, 1e-15);
  EXPECT_NEAR(rotation.curl_v.z, 4.0, 0.02 * 4.0);  // 2 % as above
  EXPECT_NEAR(expansion.div_v, 3.0 * 0.7, 0.02 * 3.0 * 0.7);
}

TEST(VelocityGradients, AParticleOnTopAddsNothing) {
  kernels::NeighbourCache cache;
  testing::add_candidate(cache, {}, {}, 1.0);
  testing::add_candidate(cache, {}, {5.0, 0.0, 0.0}, 1.0);
  kernels::find_within(cache, origin, 1.0);
  const auto gradients = kernels::velocity_gradients<kernels::CubicSpline>(cache, origin, Vec3{}, 0.5, 1.0);
  EXPECT_EQ(gradients.div_v, 0.0);
  EXPECT_EQ(gradients.curl_v, Vec3{});
}

TEST(BalsaraFactor, Limits) {
  using kernels::balsara_factor;
  EXPECT_EQ(balsara_factor({0.0, {0.0, 0.0, 2.0}}, 1.0, 1.0), 0.0);  // shear
  EXPECT_EQ(balsara_factor({-2.0, {}}, 0.0, 1.0), 1.0);              // compression of cold gas
  EXPECT_EQ(balsara_factor({0.0, {}}, 0.0, 1.0), 0.0);               // cold gas at rest
  // 3 / (3 + 4 + 1e-4 * 10 / 1e-3), each operation exact to an ulp.
  EXPECT_DOUBLE_EQ(balsara_factor({-3.0, {0.0, 4.0, 0.0}}, 10.0, 1e-3), 0.375);
}

}  // namespace tacit::sph::density_test
