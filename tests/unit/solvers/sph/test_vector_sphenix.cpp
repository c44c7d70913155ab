// The vector loops of SPHENIX against the scalar ones, for every instruction set that this machine has.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sphenix_samples.hpp"

namespace tacit::sph::vector_sphenix_test {

using namespace vector_test;

TEST(VectorSphenix, GradientsEqualTheScalarSums) {
  for_each_case({}, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                     auto& oracle, auto& cache) {
    kernels::find_within(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0]);
    loops.find_within(cache, cloud.at(0), 1.1 * cloud.H[0]);  // hits beyond the support count for nothing
    auto i = sphenix_target(cloud, space);
    for (const double hubble : {0.0, 0.75}) {
      i.gas.hubble = hubble;
      const auto expected = kernels::sphenix_gradients<Kernel>(oracle, i, beta_v, space);
      const auto found = loops.sphenix_gradients(cache, i, beta_v);
      EXPECT_NEAR(found.laplace_u, expected.laplace_u, (errors<Kernel>(cloud, space, oracle).laplace));
      EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);  // these signal velocities are below 8
      EXPECT_EQ(found.alpha_v, expected.alpha_v);
    }
  });
}

TEST(VectorSphenix, ForceEqualsTheScalarSum) {
  const Vec3 far_away{1e6, -2e6, 5e5};  // where doubles hold the clouds' positions exactly
  for (const Vec3& middle : {Vec3{}, far_away}) {
    for_each_case(middle, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                           auto& oracle, auto& cache) {
      kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
      loops.find_within_either(cache, cloud.at(0), cloud.H[0]);
      auto i = sphenix_target(cloud, space);
      for (const double hubble : {0.0, 0.75}) {
        i.gas.hubble = hubble;
        const auto expected = kernels::sphenix_force<Kernel>(oracle, i, beta_v, space);
        const auto found = loops.sphenix_force(cache, i, beta_v);
        const SphenixErrors error = errors<Kernel>(cloud, space, oracle);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(found.a[axis], expected.a[axis], error.acceleration);
        }
        EXPECT_NEAR(found.du_dt, expected.du_dt, error.du_dt);
        EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);
      }
    });
  }
}

TEST(VectorSphenix, NoCandidatesGiveZero) {
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const Space& space = kernels::space_of<kernels::CubicSpline>(3);
    const PairLoops loops(kernels::vector::pair_kernels<kernels::CubicSpline>(set), space);
    auto cache = vector_cache(loops, {}, frame_around({}, 3));
    const Cloud one = random_cloud(1, 1, 3);
    const auto i = sphenix_target(one, space);
    loops.find_within(cache, one.at(0), 1.0);
    const auto gradients = loops.sphenix_gradients(cache, i, beta_v);
    EXPECT_EQ(gradients.laplace_u, 0.0);
    EXPECT_EQ(gradients.v_sig, 2.0 * i.gas.cs);
    EXPECT_EQ(gradients.alpha_v, i.alpha_v);
    loops.find_within_either(cache, one.at(0), 1.0);
    const auto force = loops.sphenix_force(cache, i, beta_v);
    EXPECT_EQ(force.a, Vec3{});
    EXPECT_EQ(force.du_dt, 0.0);
    EXPECT_EQ(force.v_sig, 2.0 * i.gas.cs);
  }
}

TEST(VectorSphenix, ActionIsReactionToTheBitThoughEachSideHasItsOwnFrame) {
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const Space& space = kernels::space_of<kernels::CubicSpline>(3);
    const PairLoops loops(kernels::vector::pair_kernels<kernels::CubicSpline>(set), space);
    std::size_t touching = 0;
    for (std::uint64_t pair = 0; pair < 300; ++pair) {
      Cloud cloud = random_cloud(2, 50 + pair, 3, {0.3, 17.0, -4.0});
      cloud.m = {0.7, 0.7};
      const bool at_rest = pair % 2 == 0;
      for (auto* v : {&cloud.vx, &cloud.vy, &cloud.vz}) (*v)[1] = at_rest ? (*v)[0] : (*v)[1];
      // The same quantum, velocity and scales, and another origin: as two cells see the pair.
      auto here = vector_cache(loops, cloud, frame_around({0.31, 17.2, -4.05}, 3));
      auto there = vector_cache(loops, cloud, frame_around({1.17, 16.1, -3.2}, 3));
      loops.find_within_either(here, cloud.at(0), cloud.H[0]);
      const auto on_first = loops.sphenix_force(here, sphenix_target(cloud, space, 0), beta_v);
      loops.find_within_either(there, cloud.at(1), cloud.H[1]);
      const auto on_second = loops.sphenix_force(there, sphenix_target(cloud, space, 1), beta_v);
      EXPECT_EQ(on_first.a, -1.0 * on_second.a) << name_of(set);
      EXPECT_TRUE(!at_rest || on_first.du_dt == -on_second.du_dt) << "conduction, " << name_of(set);
      touching += on_first.a == Vec3{} ? 0 : 1;
    }
    EXPECT_GT(touching, 30U);
  }
}

TEST(VectorSphenix, UnitsFarFromOneChangeNoBit) {
  // A gas in units that differ by powers of two has the same floats in a cache of its own scales.
  const Space& space = kernels::space_of<kernels::QuarticSpline>(3);
  constexpr double length = 0x1p-90;
  constexpr double mass = 0x1p110;
  constexpr double speed = 0x1p40;
  const double density = mass / (length * length * length);
  const Cloud cloud = random_cloud(100, 3, 3);
  Cloud scaled = cloud;
  for (std::size_t j = 0; j < cloud.size(); ++j) {
    for (auto* field : {&scaled.x, &scaled.y, &scaled.z, &scaled.H}) (*field)[j] *= length;
    for (auto* field : {&scaled.vx, &scaled.vy, &scaled.vz, &scaled.cs}) (*field)[j] *= static_cast<float>(speed);
    scaled.m[j] *= mass;
    scaled.u[j] *= speed * speed;
    scaled.rho[j] *= density;
    scaled.omega_P[j] *= speed * speed / density;
  }
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const PairLoops loops(kernels::vector::pair_kernels<kernels::QuarticSpline>(set), space);
    auto plain = vector_cache(loops, cloud, {{}, 2.4, {}, {1.0, 0.5}, 3});
    auto other = vector_cache(loops, scaled, {{}, 2.4 * length, {}, {mass, 0.5 * speed}, 3});
    loops.find_within(plain, cloud.at(0), cloud.H[0]);
    loops.find_within(other, scaled.at(0), scaled.H[0]);
    const auto gradients = loops.sphenix_gradients(plain, sphenix_target(cloud, space), beta_v);
    const auto scaled_gradients = loops.sphenix_gradients(other, sphenix_target(scaled, space), beta_v);
    EXPECT_EQ(scaled_gradients.laplace_u, speed * speed / (length * length) * gradients.laplace_u);
    EXPECT_EQ(scaled_gradients.v_sig, speed * gradients.v_sig);
    EXPECT_NE(gradients.laplace_u, 0.0);
    loops.find_within_either(plain, cloud.at(0), cloud.H[0]);
    loops.find_within_either(other, scaled.at(0), scaled.H[0]);
    const auto force = loops.sphenix_force(plain, sphenix_target(cloud, space), beta_v);
    const auto scaled_force = loops.sphenix_force(other, sphenix_target(scaled, space), beta_v);
    EXPECT_EQ(scaled_force.a, (speed * speed / length) * force.a);
    EXPECT_EQ(scaled_force.du_dt, (speed * speed * speed / length) * force.du_dt);
    EXPECT_NE(force.du_dt, 0.0);
  }
}

}  // namespace tacit::sph::vector_sphenix_test
