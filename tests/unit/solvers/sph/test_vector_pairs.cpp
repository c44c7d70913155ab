// Vector loops against the scalar ones, for every instruction set that this machine has.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "vector_samples.hpp"

namespace tacit::sph::vector_pairs_test {

using namespace vector_test;

TEST(VectorPairs, DensityEqualsTheScalarSum) {
  for_each_case({}, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                     auto& oracle, auto& cache) {
    const double h = cloud.H[0] / space.gamma;
    const kernels::Point at{cloud.x[0], cloud.y[0], cloud.z[0]};
    kernels::find_within(oracle, at, cloud.H[0]);
    loops.find_within(cache, cloud.at(0), 1.1 * cloud.H[0]);  // as in a search for h: the kernel cuts off
    const kernels::Density expected = kernels::density_sum<Kernel>(oracle, h, space);
    const kernels::Density found = loops.density(cache, h);
    const Tolerances error = tolerances<Kernel>(cloud, space, oracle);
    EXPECT_NEAR(found.rho, expected.rho, error.density);
    EXPECT_NEAR(found.drho_dh, expected.drho_dh, error.slope);
  });
}

TEST(VectorPairs, GradientsEqualTheScalarSums) {
  for_each_case({}, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                     auto& oracle, auto& cache) {
    const double h = cloud.H[0] / space.gamma;
    const kernels::Point at{cloud.x[0], cloud.y[0], cloud.z[0]};
    kernels::find_within(oracle, at, cloud.H[0]);
    loops.find_within(cache, cloud.at(0), cloud.H[0]);
    const auto expected = kernels::velocity_gradients<Kernel>(oracle, at, cloud.v(0), h, cloud.rho[0], space);
    const auto found = loops.gradients(cache, cloud.at(0), cloud.v(0), h, cloud.rho[0]);
    const double tolerance = tolerances<Kernel>(cloud, space, oracle).gradient;
    EXPECT_NEAR(found.div_v, expected.div_v, tolerance);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found.curl_v[axis], expected.curl_v[axis], tolerance);
  });
}

TEST(VectorPairs, ForceEqualsTheScalarSum) {
  for_each_case({}, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                     auto& oracle, auto& cache) {
    kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
    loops.find_within_either(cache, cloud.at(0), cloud.H[0]);
    auto i = target(cloud, space);
    for (const double hubble : {0.0, 0.75}) {
      i.hubble = hubble;
      const kernels::Force expected = kernels::force_sum<Kernel>(oracle, i, alpha, space);
      const kernels::Force found = loops.force(cache, i, alpha);
      const Tolerances error = tolerances<Kernel>(cloud, space, oracle);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(found.a[axis], expected.a[axis], error.acceleration);
      }
      EXPECT_NEAR(found.dissipation, expected.dissipation, error.dissipation);
      EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);  // these signal velocities are below 8
    }
  });
}

// What rests in space that expands parts like particles with velocities H x, for which pressure does not work.
TEST(VectorPairs, SpaceThatExpandsPartsParticlesAsVelocitiesDo) {
  constexpr double hubble = 0.75;
  const auto v_of = [](const auto& oracle, std::size_t j) { return Vec3{oracle.vx[j], oracle.vy[j], oracle.vz[j]}; };
  for_each_case(
      {}, [&]<class Kernel>(Kernel, const PairLoops&, const Cloud& cloud, const Space& space, auto& oracle, auto&) {
        kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
        auto i = target(cloud, space);
        i.hubble = hubble;
        const kernels::Force in_space = kernels::force_sum<Kernel>(oracle, i, alpha, space);
        for (std::size_t j = 0; j < oracle.size; ++j) {
          const Vec3 moved = v_of(oracle, j) + hubble * Vec3{oracle.x[j], oracle.y[j], oracle.z[j]};
          oracle.vx[j] = moved.x;
          oracle.vy[j] = moved.y;
          oracle.vz[j] = moved.z;
        }
        i.hubble = 0.0;
        i.v = i.v + hubble * Vec3{i.at.x, i.at.y, i.at.z};
        const kernels::Force by_velocities = kernels::force_sum<Kernel>(oracle, i, alpha, space);
        constexpr double rounding = 1e-12;
        EXPECT_NEAR(norm(in_space.a - by_velocities.a), 0.0, rounding * (1.0 + norm(by_velocities.a)));
        EXPECT_NEAR(in_space.dissipation, by_velocities.dissipation,
                    rounding * (1.0 + std::abs(by_velocities.dissipation)));
        EXPECT_NEAR(in_space.v_sig, by_velocities.v_sig, rounding * by_velocities.v_sig);
      });
}

TEST(VectorPairs, FarFromTheOriginNothingIsLost) {
  // Doubles near 10^6 hold the clouds' multiples of 2^-20 exactly, so the tolerance is that near the origin; floats of
  // such positions would be off by 1/32.
  const Vec3 middle{1e6, -2e6, 5e5};
  for_each_case(middle, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                         auto& oracle, auto& cache) {
    kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
    loops.find_within_either(cache, cloud.at(0), cloud.H[0]);
    const auto i = target(cloud, space);
    const kernels::Force expected = kernels::force_sum<Kernel>(oracle, i, alpha, space);
    const kernels::Force found = loops.force(cache, i, alpha);
    const double tolerance = tolerances<Kernel>(cloud, space, oracle).acceleration;
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found.a[axis], expected.a[axis], tolerance);
  });
}

TEST(VectorPairs, NoCandidatesGiveZero) {
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const Space& space = kernels::space_of<kernels::CubicSpline>(3);
    const PairLoops loops(kernels::vector::pair_kernels<kernels::CubicSpline>(set), space);
    auto cache = vector_cache(loops, {}, frame_around({}, 3));
    const Cloud one = random_cloud(1, 1, 3);
    loops.find_within(cache, one.at(0), 1.0);
    EXPECT_EQ(cache.hits().count, 0U);
    EXPECT_EQ(loops.density(cache, 1.0).rho, 0.0);
    loops.find_within_either(cache, one.at(0), 1.0);
    const auto force = loops.force(cache, target(one, space), alpha);
    EXPECT_EQ(force.a, Vec3{});
    EXPECT_EQ(force.v_sig, 2.0 * double{one.cs[0]});
  }
}

TEST(VectorPairs, FormsWithoutAListAgreeWithThoseThatHaveOne) {
  for_each_case({}, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                     auto& oracle, auto& cache) {
    kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
    const Tolerances error = tolerances<Kernel>(cloud, space, oracle);
    const Frame& frame = cache.frame();
    const kernels::vector::Float3 at = frame.place(cloud.at(0));
    const float H = frame.length(cloud.H[0]);
    const auto& functions = loops.kernels();
    cache.hits().count = functions.search.find_within(cache.shortlist(), at, H, cache.hits());
    const auto listed = functions.density(cache.hits(), 1.0F / H);
    const auto all = functions.density_of_all(cache.candidates(), at, 1.0F / H);
    // In units of the cache (mass 1, length 2): without the powers of H.
    const double scale = space.norm * kernels::inverse_power(cloud.H[0], space.dimension);
    EXPECT_NEAR(all.sum_w, listed.sum_w, error.density / scale);
    EXPECT_NEAR(all.sum_q_dw, listed.sum_q_dw, error.slope * cloud.H[0] / scale);

    cache.hits().count = functions.search.find_within_either(cache.shortlist(), at, H, cache.hits());
    const kernels::vector::GasCentre i{
        {at, frame.velocity(cloud.v(0))}, frame.speed(double{cloud.cs[0]}), 1.0F / H,
        frame.density(cloud.rho[0]),      frame.omega_P(cloud.omega_P[0]),  cloud.balsara[0]};
    const kernels::vector::ForceConstants constants{0.8F, static_cast<float>(space.norm), space.dimension};
    const auto force = functions.forces(cache.candidates(), cache.hits(), i, constants);
    const auto force_all = functions.forces_of_all(cache.candidates(), i, constants);
    const double unit = frame.velocity_unit() * frame.velocity_unit() / frame.length_unit();
    EXPECT_NEAR(unit * force_all.ax, unit * force.ax, error.acceleration);
    EXPECT_NEAR(unit * force_all.dissipation * frame.velocity_unit(), unit * force.dissipation * frame.velocity_unit(),
                error.dissipation);
    EXPECT_EQ(force_all.v_sig, force.v_sig);
  });
}

TEST(VectorPairs, ActionIsReactionToTheBitThoughEachSideHasItsOwnFrame) {
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const Space& space = kernels::space_of<kernels::CubicSpline>(3);
    const PairLoops loops(kernels::vector::pair_kernels<kernels::CubicSpline>(set), space);
    for (std::uint64_t pair = 0; pair < 300; ++pair) {
      Cloud cloud = random_cloud(2, 50 + pair, 3, {0.3, 17.0, -4.0});
      cloud.m = {0.7, 0.7};
      // The same quantum, velocity and scales, and another origin: as two cells see the pair.
      auto here = vector_cache(loops, cloud, frame_around({0.31, 17.2, -4.05}, 3));
      auto there = vector_cache(loops, cloud, frame_around({1.17, 16.1, -3.2}, 3));
      loops.find_within_either(here, cloud.at(0), cloud.H[0]);
      const auto on_first = loops.force(here, target(cloud, space, 0), alpha);
      loops.find_within_either(there, cloud.at(1), cloud.H[1]);
      const auto on_second = loops.force(there, target(cloud, space, 1), alpha);
      EXPECT_EQ(on_first.a, -1.0 * on_second.a) << name_of(set);
      EXPECT_EQ(on_first.dissipation, on_second.dissipation);
      EXPECT_EQ(on_first.v_sig > 2.0 * double{cloud.cs[0]} || on_first.a == Vec3{} || cloud.cs[1] < cloud.cs[0], true);
    }
  }
}

TEST(VectorPairs, AMirroredOrPeriodicImageIsTheParticleAtItsPlace) {
  const Space& space = kernels::space_of<kernels::CubicSpline>(3);
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const PairLoops loops(kernels::vector::pair_kernels<kernels::CubicSpline>(set), space);
    const kernels::vector::Image image{{-1.0, 1.0, 1.0}, {0.5, -3.0, 0.0}};
    const Cloud original = random_cloud(40, 9, 3);
    Cloud seen = original;
    for (std::size_t j = 0; j < seen.size(); ++j) {
      seen.x[j] = image.shift.x - original.x[j];
      seen.y[j] = image.shift.y + original.y[j];
      seen.vx[j] = -original.vx[j];
    }
    auto through_image = vector_cache(loops, original, frame_around({0.0, -3.0, 0.0}, 3), image);
    auto direct = vector_cache(loops, seen, frame_around({0.0, -3.0, 0.0}, 3));
    const auto i = target(seen, space);
    loops.find_within_either(through_image, seen.at(0), seen.H[0]);
    loops.find_within_either(direct, seen.at(0), seen.H[0]);
    const auto expected = loops.force(direct, i, alpha);
    const auto found = loops.force(through_image, i, alpha);
    auto oracle = scalar_cache(seen, space);
    kernels::find_within_either(oracle, i.at, seen.H[0], space.gamma);
    const double tolerance = tolerances<kernels::CubicSpline>(seen, space, oracle).acceleration;
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found.a[axis], expected.a[axis], tolerance);
    EXPECT_NE(expected.a, Vec3{});
  }
}

TEST(VectorPairs, UnitsFarFromOneChangeNoBit) {
  // A gas in units that differ by powers of two has the same floats in a cache of its own scales.
  const Space& space = kernels::space_of<kernels::CubicSpline>(3);
  const double length = 0x1p-90;
  const double mass = 0x1p110;
  const double speed = 0x1p40;
  const Cloud cloud = random_cloud(100, 3, 3);
  Cloud scaled = cloud;
  for (std::size_t j = 0; j < cloud.size(); ++j) {
    for (auto* field : {&scaled.x, &scaled.y, &scaled.z, &scaled.H}) (*field)[j] *= length;
    for (auto* field : {&scaled.vx, &scaled.vy, &scaled.vz, &scaled.cs}) (*field)[j] *= 0x1p40F;
    scaled.m[j] *= mass;
    scaled.rho[j] *= mass / (length * length * length);
    scaled.omega_P[j] *= speed * speed / (mass / (length * length * length));
  }
  for (const InstructionSet set : base::usable_instruction_sets()) {
    const PairLoops loops(kernels::vector::pair_kernels<kernels::CubicSpline>(set), space);
    auto plain = vector_cache(loops, cloud, {{}, 2.4, {}, {1.0, 0.5}, 3});
    auto other = vector_cache(loops, scaled, {{}, 2.4 * length, {}, {mass, 0.5 * speed}, 3});
    loops.find_within_either(plain, cloud.at(0), cloud.H[0]);
    loops.find_within_either(other, scaled.at(0), scaled.H[0]);
    const auto expected = loops.force(plain, target(cloud, space), alpha);
    const auto found = loops.force(other, target(scaled, space), alpha);
    EXPECT_EQ(found.a, (speed * speed / length) * expected.a);
    EXPECT_EQ(found.dissipation, (speed * speed * speed / length) * expected.dissipation);
    EXPECT_EQ(found.v_sig, speed * expected.v_sig);
    EXPECT_NE(found.a, Vec3{});
  }
}

}  // namespace tacit::sph::vector_pairs_test
