// Pair forces: opposite, dissipative, and equal to values by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"

namespace tacit::sph::force_test {
namespace {

using base::Vec3;
using kernels::Force;
using kernels::ForceTarget;
using K = kernels::CubicSpline;
constexpr double alpha = 0.8;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct Particle {
  ForceTarget state;
  double m;
};

Particle random_particle(std::uint64_t key) {
  const auto u = [key](std::uint64_t draw) { return base::uniform(31, key, draw); };
  return {{{u(0), u(1), u(2)}, {u(3) - 0.5, u(4) - 0.5, u(5) - 0.5}, 0.4 + u(6), 0.5 + u(7), u(8), u(9), u(10)},
          0.5 + u(11)};
}

void add(kernels::NeighbourCache& cache, const Particle& p) {
  testing::add_candidate(cache, {p.state.at.x, p.state.at.y, p.state.at.z}, p.state.v, p.m);
  const std::size_t k = cache.size - 1;
  cache.h[k] = p.state.h;
  cache.rho[k] = p.state.rho;
  cache.omega_P[k] = p.state.omega_P;
  cache.cs[k] = p.state.cs;
  cache.balsara[k] = p.state.balsara;
}

/// What the others do to `p`, which is among the candidates as in a run.
template <class Kernel = K>
Force force_on(const Particle& p, std::initializer_list<Particle> others, double viscosity = alpha) {
  kernels::NeighbourCache cache;
  add(cache, p);
  for (const Particle& other : others) add(cache, other);
  kernels::find_within_either(cache, p.state.at, Kernel::gamma * p.state.h, Kernel::gamma);
  return kernels::force_sum<Kernel>(cache, p.state, viscosity);
}

/// Two particles at (0, 0, 0) and (0.5, 0, 0) that move along x.
std::pair<Particle, Particle> head_on(double v_left, double v_right) {
  const Particle left{{{0.0, 0.0, 0.0}, {v_left, 0.0, 0.0}, 1.0, 2.0, 0.3, 1.5, 0.6}, 1.25};
  const Particle right{{{0.5, 0.0, 0.0}, {v_right, 0.0, 0.0}, 0.5, 4.0, 0.2, 0.5, 1.0}, 0.75};
  return {left, right};
}

}  // namespace

TEST(PairForce, ActionIsReaction) {
  testing::for_each_kernel([]<class Kernel>(Kernel) {
    for (std::uint64_t pair = 0; pair < 500; ++pair) {
      const Particle i = random_particle(2 * pair);
      const Particle j = random_particle(2 * pair + 1);
      const Force on_i = force_on<Kernel>(i, {j});
      const Force on_j = force_on<Kernel>(j, {i});
      // The bracket is symmetric to the bit; the product with m_j / r and then m_i rounds four times on each side.
      const double rounding = 4.0 * epsilon * i.m * norm(on_i.a);
      for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(i.m * on_i.a[axis], -j.m * on_j.a[axis], rounding);
      EXPECT_EQ(on_i.dissipation * i.m > 0.0, on_j.dissipation * j.m > 0.0);
      EXPECT_GE(on_i.dissipation, 0.0);
    }
  });
}

TEST(PairForce, OfEqualMassesIsOppositeToTheBit) {
  for (std::uint64_t pair = 0; pair < 100; ++pair) {
    Particle i = random_particle(2 * pair);
    Particle j = random_particle(2 * pair + 1);
    i.m = j.m = 1.0 / 3.0;
    const Vec3 sum = force_on(i, {j}).a + force_on(j, {i}).a;
    EXPECT_EQ(sum, Vec3{});
  }
}

TEST(PairForce, RecedingPairsFeelNoViscosity) {
  const auto [left, right] = head_on(-1.0, 1.0);
  const Force force = force_on(left, {right});
  const Force without = force_on(left, {right}, 0.0);
  EXPECT_EQ(force.dissipation, 0.0);
  EXPECT_EQ(force.a, without.a);
  EXPECT_LT(force.a.x, 0.0);  // pressure pushes apart
  EXPECT_EQ(force.v_sig, 2.0 * 1.5);
}

TEST(PairForce, ApproachingPairByHand) {
  const auto [left, right] = head_on(1.0, -1.0);
  const Force force = force_on(left, {right});
  // r = 1/2, v_ij = (2, 0, 0), d = (-1/2, 0, 0), so w = v_ij . d / r = -2 and v_sig = 1.5 + 0.5 + 3 * 2 = 8.
  EXPECT_EQ(force.v_sig, 8.0);
  // Pi = -(alpha/4) (0.6 + 1) v_sig w / rho_mean = 0.2 * 1.6 * 8 * 2 / 3; rho_mean = 3.
  const double Pi = 0.2 * 1.6 * 16.0 / 3.0;
  const double dW_left = kernels::dW_dr<K>(0.5, 1.0);
  const double dW_right = kernels::dW_dr<K>(0.5, 0.5);
  const double bracket = 0.3 * dW_left + 0.2 * dW_right + 0.5 * Pi * (dW_left + dW_right);
  // grad_i W = dW/dr d/r, along -x; a few roundings.
  EXPECT_NEAR(force.a.x, 0.75 * bracket, 1e-14 * std::abs(bracket));
  EXPECT_EQ(force.a.y, 0.0);
  EXPECT_EQ(force.a.z, 0.0);
  // sum m Pi v_ij . grad W = m Pi (dW_mean / r) v_ij . d, with v_ij . d = -1.
  EXPECT_NEAR(force.dissipation, -0.75 * Pi * 0.5 * (dW_left + dW_right) / 0.5, 1e-14 * force.dissipation);
  EXPECT_GT(force.dissipation, 0.0);
}

TEST(PairForce, ZeroDistanceAddsNothing) {
  auto [left, right] = head_on(1.0, -1.0);
  right.state.at = left.state.at;
  const Force force = force_on(left, {right});
  EXPECT_EQ(force.a, Vec3{});
  EXPECT_EQ(force.dissipation, 0.0);
  EXPECT_EQ(force.v_sig, 2.0 * left.state.cs);
}

TEST(PairForce, ReachesAsFarAsTheLongerKernel) {
  auto [left, right] = head_on(0.0, 0.0);
  right.state.at.x = 1.2;  // beyond the right kernel (0.91), within the left (1.83)
  EXPECT_NE(force_on(right, {left}).a.x, 0.0);
  right.state.at.x = 1.9;
  EXPECT_EQ(force_on(right, {left}).a.x, 0.0);
}

TEST(EntropyRate, FollowsTheFormula) {
  // (1/2) (gamma - 1) X rho^(1 - gamma) with gamma = 5/3, rho = 8: 1/2 * 2/3 * 6 / 4; pow errs by an ulp or two.
  EXPECT_NEAR(kernels::entropy_rate(6.0, 8.0, 5.0 / 3.0), 0.5, 1e-15);
  EXPECT_EQ(kernels::entropy_rate(0.0, 8.0, 5.0 / 3.0), 0.0);
}

}  // namespace tacit::sph::force_test
