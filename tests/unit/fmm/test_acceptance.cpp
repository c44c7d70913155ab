// When multipoles are accepted: powers against their bounds, the estimate of the error against its limits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/body_clouds.hpp"
#include "tacit/fmm/acceptance.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using test::Cloud;

Powers<5> powers_about(const Cloud& cloud, const Vec3& centre) {
  std::array<double, terms(5)> M{};
  Operators<5>::p2m(cloud.all(), centre, Terms<5>(M));
  return powers_of<5>(ConstTerms<5>(M));
}

TEST(FmmAcceptance, PowersOfOneBodyArePowersOfItsDistance) {
  Cloud cloud;
  cloud.add({1.0, -2.0, 2.0}, 0.7);  // at 3
  const Powers<5> P = powers_about(cloud, {});
  for (std::size_t n = 0; n <= 5; ++n) EXPECT_NEAR(P[n] / (0.7 * std::pow(3.0, n)), 1.0, 1e-14) << n;
}

TEST(FmmAcceptance, PowersAreBoundedByTheRadius) {
  const Cloud cloud = test::random_cloud(30, {}, 1.0, 1);
  const Multipole<5> cell = Operators<5>::multipole_of(cloud.all());
  const Powers<5> P = powers_of<5>(terms_of(cell));
  EXPECT_NEAR(P[1], 0.0, 1e-13);
  EXPECT_DOUBLE_EQ(P[0], cell.M[0]);
  for (std::size_t n = 2; n <= 5; ++n) {
    EXPECT_LE(P[n], cell.M[0] * std::pow(cell.radius, n));
    EXPECT_GT(P[n], 0.01 * cell.M[0] * std::pow(cell.radius, n));
  }
}

TEST(FmmAcceptance, PowersDoNotDependOnTheAxes) {
  const Cloud cloud = test::random_cloud(6, {0.3, 0.4, 0.1}, 1.0, 2);
  Cloud turned;  // about z, and then about x
  for (std::size_t b = 0; b < cloud.size(); ++b) {
    const double x = 0.6 * cloud.x[b] - 0.8 * cloud.y[b];
    const double y = 0.8 * cloud.x[b] + 0.6 * cloud.y[b];
    turned.add({x, 0.28 * y - 0.96 * cloud.z[b], 0.96 * y + 0.28 * cloud.z[b]}, cloud.m[b]);
  }
  const Powers<5> P = powers_about(cloud, {});
  const Powers<5> Q = powers_about(turned, {});
  for (std::size_t n = 0; n <= 5; ++n) EXPECT_NEAR(P[n], Q[n], 1e-13 * P[n]) << n;
}

TEST(FmmAcceptance, TheErrorOfAShellIsThatOfTheAngle) {
  // With P_n = M rho^n the sum is (rho_A + rho_B)^p.
  const double M = 3.0;
  const double rho_B = 0.5;
  Powers<4> P{};
  for (std::size_t n = 0; n <= 4; ++n) P[n] = M * std::pow(rho_B, n);
  const double R = 4.0;
  EXPECT_NEAR(acceleration_error<4>(P, rho_B, 0.7, R * R), 8.0 * 0.7 / 1.2 * M / (R * R) * std::pow(1.2 / R, 4), 1e-15);
  EXPECT_NEAR(acceleration_error<4>(P, rho_B, 0.0, R * R), 8.0 * P[4] / std::pow(R, 6), 1e-15);  // of m2p
  const Powers<3> odd{P[0], P[1], P[2], P[3]};
  EXPECT_NEAR(acceleration_error<3>(odd, rho_B, 0.7, R * R), 8.0 * 0.7 / 1.2 * M / (R * R) * std::pow(1.2 / R, 3),
              1e-15);
  EXPECT_DOUBLE_EQ(acceleration_error<0>({M}, rho_B, 0.5, R * R), 4.0 * M / (R * R));
  EXPECT_EQ(acceleration_error<2>({M, 0.0, 0.0}, 0.0, 0.0, R * R), 0.0);  // two bodies at their centres
}

TEST(FmmAcceptance, PairsHaveToLookSmall) {
  EXPECT_TRUE(is_small(1.0, 2.0, 0.0, 37.0, 0.5));
  EXPECT_FALSE(is_small(1.0, 2.0, 0.0, 35.0, 0.5));
  EXPECT_FALSE(is_small(1.0, 2.0, 0.2, 37.0, 0.5));
  EXPECT_FALSE(is_small(0.0, 0.0, 0.0, 0.0, 0.5));
}

TEST(FmmAcceptance, TheAdaptiveCriterionLooksAtErrorAndSeparation) {
  const Powers<2> P{1.0, 0.0, 0.01};
  const double rho = 0.2;
  const double R2 = 1.0;
  const double error = acceleration_error<2>(P, rho, rho, R2);
  EXPECT_TRUE(is_accurate<2>(P, rho, rho, 0.0, R2, 0.5, 2.01 * error));
  EXPECT_FALSE(is_accurate<2>(P, rho, rho, 0.0, R2, 0.5, 1.99 * error));
  EXPECT_FALSE(is_accurate<2>(P, rho, rho, 0.7, R2, 0.5, 2.01 * error));  // within the softening
}

}  // namespace
}  // namespace tacit::fmm
