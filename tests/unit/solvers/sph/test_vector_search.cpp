// Filling the cache of floats, short lists and searches, for every instruction set that this machine has.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tacit/solvers/sph/cell_data.hpp"
#include "vector_samples.hpp"

namespace tacit::sph::vector_search_test {

using namespace vector_test;

namespace {

/// What a search kept.
struct Found {
  std::vector<std::uint32_t> index;
  std::vector<float> r, m;
  explicit Found(const kernels::vector::Hits& hits)
      : index(hits.index, hits.index + hits.count), r(hits.r, hits.r + hits.count), m(hits.m, hits.m + hits.count) {}
};

/// The box around particles first .. first + 7, as far as there are so many; those far away are left out.
kernels::Box box_of_group(const Cloud& cloud, std::size_t first, std::vector<std::size_t>& members) {
  kernels::Box box{{1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}};
  members.clear();
  for (std::size_t i = first; i < std::min(first + 8, cloud.size()); ++i) {
    const Vec3 at = cloud.at(i);
    if (at.x > 100.0) continue;
    box.low = {std::min(box.low.x, at.x), std::min(box.low.y, at.y), std::min(box.low.z, at.z)};
    box.high = {std::max(box.high.x, at.x), std::max(box.high.y, at.y), std::max(box.high.z, at.z)};
    members.push_back(i);
  }
  return box;
}

}  // namespace

TEST(PlacedArrays, LieWhereTheyShouldAndKeepTheirNumbers) {
  kernels::vector::PlacedArrays<float, 0, 512, 40> arrays;
  for (const std::size_t size : {std::size_t{10}, std::size_t{1024}, std::size_t{5000}}) {
    arrays.grow(size, size > 10 ? 10 : 0);
    for (std::size_t array = 0; array < 3; ++array) {
      const auto place = reinterpret_cast<std::uintptr_t>(arrays[array]) % 4096 / sizeof(float);
      EXPECT_EQ(place, (std::array<std::size_t, 3>{0, 512, 40})[array]);
      for (std::size_t k = 0; k < size; ++k) {
        EXPECT_EQ(arrays[array][k], k < 10 && size > 10 ? static_cast<float>(100 * array + k) : 0.0F);
      }
      for (std::size_t k = 0; k < size; ++k) arrays[array][k] = static_cast<float>(100 * array + k);
    }
    for (std::size_t array = 0; array < 3; ++array) {  // none reaches into another
      for (std::size_t k = 0; k < size; ++k) ASSERT_EQ(arrays[array][k], static_cast<float>(100 * array + k));
    }
  }
}

// Groups far away are passed over together; who is left does not depend on that.
TEST(VectorCache, HoldsTheSameParticlesWhereFarGroupsArePassedOver) {
  const Frame frame = frame_around({0.5, 0.5, 0.5}, 3);
  const kernels::Box box{{-0.1, -0.1, -0.1}, {0.0, 0.1, 0.0}};
  const kernels::vector::Image image{{1.0, -1.0, 1.0}, {0.25, 0.5, 0.0}};
  for (const InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t n : {1U, 15U, 16U, 17U, 100U, 300U}) {
      Cloud cloud = random_cloud(n, n, 3);
      std::vector<std::uint32_t> begins;
      for (std::uint32_t begin = 0; begin < n; begin += 5 + begin % 3) begins.push_back(begin);
      begins.push_back(static_cast<std::uint32_t>(n));
      const std::size_t count = begins.size() - 1;
      std::vector<double> sides(GroupBoxes::room_for(count));
      std::vector<double> h(count);
      kernels::vector::FillGroups groups;
      groups.groups = {count, begins.data()};
      groups.boxes = {sides.data(), GroupBoxes::stride_for(count)};
      groups.h = h.data();
      const kernels::vector::GasView gas = gas_of(cloud);
      const auto functions = kernels::vector::pair_kernels<kernels::CubicSpline>(set);
      kernels::vector::DriftArrays arrays{};
      arrays.count = n;
      arrays.x = cloud.x.data();
      arrays.y = cloud.y.data();
      arrays.z = cloud.z.data();
      arrays.h = cloud.H.data();
      functions.drift.bound(arrays, groups.groups, groups.boxes, h.data());
      const kernels::vector::MotionView motion{cloud.x, cloud.y, cloud.z, cloud.m, cloud.vx, cloud.vy, cloud.vz};
      for (const double radius : {0.02, 0.3}) {
        VectorCache all(frame);
        VectorCache grouped(frame);
        all.append(functions.fill, motion, gas, image, box, radius);
        all.append(functions.fill, motion, image, box, radius);
        grouped.append(functions.fill, motion, gas, image, box, radius, groups);
        groups.h = nullptr;
        grouped.append(functions.fill, motion, image, box, radius, groups);
        groups.h = h.data();
        ASSERT_EQ(all.size(), grouped.size()) << name_of(set) << ", n = " << n;
        const auto expected = all.candidates();
        const auto found = grouped.candidates();
        EXPECT_TRUE(std::equal(expected.x, expected.x + expected.size, found.x));
        EXPECT_TRUE(std::equal(expected.place, expected.place + 4 * expected.size, found.place));
        EXPECT_TRUE(std::equal(expected.flow, expected.flow + 4 * expected.size, found.flow));
      }
    }
  }
}

TEST(VectorCache, HoldsTheParticlesNearTheBoxAsTheFrameSeesThem) {
  const Frame frame = frame_around({0.5, 0.5, 0.5}, 3);
  const kernels::Box box{{-0.4, 0.1, -0.3}, {0.3, 0.5, 0.8}};
  const kernels::vector::Image image{{1.0, -1.0, 1.0}, {0.25, 0.5, 0.0}};
  constexpr double radius = 0.3;
  for (const InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t n : sizes) {
      const Cloud cloud = random_cloud(n, n, 3);
      VectorCache cache(frame);
      const auto fill = kernels::vector::pair_kernels<kernels::CubicSpline>(set).fill;
      const kernels::vector::MotionView motion{cloud.x, cloud.y, cloud.z, cloud.m, cloud.vx, cloud.vy, cloud.vz};
      // Supports of 0.6 and more are larger than the radius: with the gas there are more candidates than without.
      cache.append(fill, motion, image, box, radius);
      const std::size_t without_gas = cache.size();
      cache.append(fill, motion, gas_of(cloud), image, box, radius);
      cache.seal();
      const auto found = cache.candidates();
      std::size_t k = 0;
      const auto expect_motion = [&](std::size_t j) {
        const auto at = frame.place(cloud.at(j), image);
        const auto v = frame.velocity({cloud.v(j).x, -cloud.v(j).y, cloud.v(j).z});
        const float m = frame.mass(cloud.m[j]);
        const std::array streams{found.x[k], found.y[k], found.z[k], found.m[k]};
        EXPECT_EQ(streams, (std::array{at.x, at.y, at.z, m})) << name_of(set) << ", particle " << j;
        EXPECT_TRUE(std::equal(streams.begin(), streams.end(), found.place + 4 * k));
        EXPECT_EQ((std::array{found.flow[4 * k], found.flow[4 * k + 1], found.flow[4 * k + 2]}),
                  (std::array{v.x, v.y, v.z}));
      };
      const auto is_near = [&](std::size_t j, double reach) {
        return box.distance2(cloud.x[j] + 0.25, 0.5 - cloud.y[j], cloud.z[j]) < reach * reach;
      };
      for (std::size_t j = 0; j < n; ++j) {
        if (!is_near(j, radius)) continue;
        expect_motion(j);
        ++k;
      }
      ASSERT_EQ(k, without_gas) << name_of(set) << ", n = " << n;
      for (std::size_t j = 0; j < n; ++j) {
        if (!is_near(j, std::max(radius, cloud.H[j]))) continue;
        expect_motion(j);
        const float H = frame.length(cloud.H[j]);
        EXPECT_EQ(found.H2[k], H * H);
        EXPECT_EQ(found.flow[4 * k + 3], frame.speed(double{cloud.cs[j]}));
        EXPECT_EQ(
            (std::array{found.state[4 * k], found.state[4 * k + 1], found.state[4 * k + 2], found.state[4 * k + 3]}),
            (std::array{1.0F / H, frame.density(cloud.rho[j]), frame.omega_P(cloud.omega_P[j]), cloud.balsara[j]}));
        EXPECT_EQ((std::array{found.thermal[4 * k], found.thermal[4 * k + 1], found.thermal[4 * k + 2],
                              found.thermal[4 * k + 3]}),
                  (std::array{frame.energy(cloud.u[j]), cloud.f[j], cloud.alpha_v[j], cloud.alpha_d[j]}));
        ++k;
      }
      ASSERT_EQ(k, cache.size()) << name_of(set) << ", n = " << n;
      EXPECT_EQ(found.m[k], 0.0F);  // the seal
    }
  }
}

TEST(VectorSearch, FindsTheSameNeighboursInTheSameOrder) {
  for_each_case({}, [](auto, const PairLoops& loops, const Cloud& cloud, const Space&, auto& oracle, auto& cache) {
    kernels::find_within(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0]);
    loops.find_within(cache, cloud.at(0), cloud.H[0]);
    const auto& hits = cache.hits();
    // No particle of these clouds is within the rounding of r^2 and H^2 of the edge, so none may differ.
    const std::vector<std::uint32_t> expected(oracle.hit.begin(), oracle.hit.begin() + std::ptrdiff_t(oracle.hits));
    EXPECT_EQ(std::vector<std::uint32_t>(hits.index, hits.index + hits.count), expected);
  });
}

TEST(VectorSearch, WithinEitherSupportFindsTheSameNeighbours) {
  for_each_case(
      {}, [](auto, const PairLoops& loops, const Cloud& cloud, const Space& space, auto& oracle, auto& cache) {
        kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
        loops.find_within_either(cache, cloud.at(0), cloud.H[0]);
        const auto& hits = cache.hits();
        const std::vector<std::uint32_t> expected(oracle.hit.begin(), oracle.hit.begin() + std::ptrdiff_t(oracle.hits));
        EXPECT_EQ(std::vector<std::uint32_t>(hits.index, hits.index + hits.count), expected);
      });
}

TEST(VectorSearch, AShortListChangesNoBit) {
  // Smaller than any support, so that the second form finds more than the first.
  constexpr double radius = 0.35;
  for_each_case({}, [](auto, const PairLoops& loops, const Cloud& cloud, const Space&, auto&, VectorCache& all) {
    auto listed = vector_cache(loops, cloud, all.frame());
    std::vector<std::size_t> group;
    for (std::size_t first = 0; first < cloud.size(); first += 40) {
      const kernels::Box box = box_of_group(cloud, first, group);
      loops.shortlist(listed, box, radius);
      EXPECT_TRUE(cloud.size() < 200 || listed.shortlist().size < cloud.size());
      for (const std::size_t i : group) {
        loops.find_within(all, cloud.at(i), radius);
        loops.find_within(listed, cloud.at(i), radius);
        const Found expected(all.hits());
        const Found found(listed.hits());
        EXPECT_EQ(found.index, expected.index);
        EXPECT_EQ(found.r, expected.r);
        EXPECT_EQ(found.m, expected.m);
        EXPECT_EQ(loops.density(listed, radius / 3.0).rho, loops.density(all, radius / 3.0).rho);
      }
      loops.shortlist_either(listed, box, radius);
      for (const std::size_t i : group) {
        loops.find_within_either(all, cloud.at(i), radius);
        loops.find_within_either(listed, cloud.at(i), radius);
        EXPECT_EQ(Found(listed.hits()).index, Found(all.hits()).index);
      }
    }
  });
}

TEST(VectorSearch, AListOfNothingFindsNothing) {
  for_each_case({}, [](auto, const PairLoops& loops, const Cloud& cloud, const Space&, auto&, VectorCache& cache) {
    const kernels::Box elsewhere{{-50.0, -50.0, -50.0}, {-40.0, -40.0, -40.0}};
    loops.shortlist(cache, elsewhere, 1.0);
    EXPECT_TRUE(cache.lists(cache.frame().length(1.0000001)));
    EXPECT_FALSE(cache.lists(cache.frame().length(1.00001)));
    EXPECT_EQ(cache.shortlist().size, 0U);
    loops.find_within(cache, cloud.at(0), 1.0);
    EXPECT_EQ(cache.hits().count, 0U);
    EXPECT_EQ(loops.density(cache, 1.0).rho, 0.0);
  });
}

TEST(VectorSearch, FindsTheSmoothingLengthOfTheScalarLoops) {
  for_each_case({}, []<class Kernel>(Kernel, const PairLoops& loops, const Cloud& cloud, const Space& space,
                                     auto& oracle, VectorCache& cache) {
    // The first has others on top of it, whose mass alone may be too much for any h; the second has none.
    const std::size_t i = cloud.size() > 1 ? 1 : 0;
    const kernels::Point at{cloud.x[i], cloud.y[i], cloud.z[i]};
    for (const double tolerance : {1e-4, 1e-12}) {
      kernels::SmoothingLengthRule rule;
      rule.dimension = space.dimension;
      rule.tolerance = tolerance;
      rule.h_max = 2.0;
      const auto expected = kernels::solve_smoothing_length<Kernel>(oracle, at, cloud.m[i], 0.4, 2.0, rule);
      const auto found = loops.solve_smoothing_length(cache, cloud.at(i), cloud.m[i], 0.4, 2.0, rule);
      ASSERT_EQ(found.state, expected.state);
      Cloud solved = cloud;
      solved.H[0] = space.gamma * expected.h;
      kernels::find_within(oracle, at, solved.H[0]);
      // An error of the density moves the root by that over d rho / h + drho/dh; each Newton iteration ends within its
      // tolerance of the root, that of floats within 2^-20.
      const double slope = space.dimension * expected.density.rho / expected.h + expected.density.drho_dh;
      const double of_floats = tolerances<Kernel>(solved, space, oracle).density / slope;
      EXPECT_NEAR(found.h, expected.h, of_floats + (tolerance + std::max(tolerance, 0x1p-20)) * expected.h);
      const auto again = loops.solve_smoothing_length(cache, cloud.at(i), cloud.m[i], found.h, 2.0, rule);
      EXPECT_EQ(again.h, found.h);
      EXPECT_EQ(again.density.rho, found.density.rho);
      EXPECT_EQ(again.density.drho_dh, found.density.drho_dh);
    }
  });
}

}  // namespace tacit::sph::vector_search_test
