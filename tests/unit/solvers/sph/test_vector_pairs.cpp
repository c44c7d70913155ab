// Vector loops against the scalar ones, for every instruction set that this machine has.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"

namespace tacit::sph::vector_pairs_test {
namespace {

using base::InstructionSet;
using base::Vec3;
using kernels::Space;
using kernels::vector::Frame;
using kernels::vector::PairLoops;
using kernels::vector::VectorCache;

constexpr double alpha = 0.8;
/// Half the distance of neighbouring floats around 1.
constexpr double rounding = 0x1p-24;

/// Particles with all that forces need, and one of them, number 0, for which sums are taken.
struct Cloud {
  std::vector<double> x, y, z, m, vx, vy, vz, H, rho, omega_P, cs, balsara;
  [[nodiscard]] std::size_t size() const { return x.size(); }

  void add(const Vec3& at, std::uint64_t key) {
    const auto u = [key](std::uint64_t draw) { return base::uniform(77, key, draw); };
    x.push_back(at.x);
    y.push_back(at.y);
    z.push_back(at.z);
    m.push_back(0.5 + u(0));
    vx.push_back(u(1) - 0.5);
    vy.push_back(u(2) - 0.5);
    vz.push_back(u(3) - 0.5);
    H.push_back(0.6 + 0.5 * u(4));
    rho.push_back(0.5 + u(5));
    omega_P.push_back(0.1 + u(6));
    cs.push_back(0.5 + u(7));
    balsara.push_back(u(8));
  }
  [[nodiscard]] Vec3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
  [[nodiscard]] Vec3 v(std::size_t i) const { return {vx[i], vy[i], vz[i]}; }
};

/// The nearest multiple of 2^-20, which frames of extent 2.4 hold without rounding.
double on_quanta(double x) { return std::round(x * 0x1p20) * 0x1p-20; }

/// n particles at most 1.2 from `middle` along each axis in use, some of them on top of each other or at equal
/// distances from the first, some far away.
Cloud random_cloud(std::size_t n, std::uint64_t seed, int dimension, const Vec3& middle = {}) {
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

kernels::NeighbourCache scalar_cache(const Cloud& cloud, const Space& space) {
  kernels::NeighbourCache cache;
  for (std::size_t j = 0; j < cloud.size(); ++j) {
    testing::add_candidate(cache, cloud.at(j), cloud.v(j), cloud.m[j]);
    cache.h[j] = cloud.H[j] / space.gamma;
    cache.rho[j] = cloud.rho[j];
    cache.omega_P[j] = cloud.omega_P[j];
    cache.cs[j] = cloud.cs[j];
    cache.balsara[j] = cloud.balsara[j];
  }
  return cache;
}

VectorCache vector_cache(const PairLoops& loops, const Cloud& cloud, const Frame& frame,
                         const kernels::vector::Image& image = {}) {
  VectorCache cache(frame);
  const kernels::Box everywhere{{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}};
  cache.append(loops.kernels().fill, {cloud.x, cloud.y, cloud.z, cloud.m, cloud.vx, cloud.vy, cloud.vz},
               {cloud.H, cloud.rho, cloud.omega_P, cloud.cs, cloud.balsara}, image, everywhere, 1.0);
  cache.seal();
  return cache;
}

kernels::ForceTarget target(const Cloud& cloud, const Space& space, std::size_t i = 0) {
  return {{cloud.x[i], cloud.y[i], cloud.z[i]},
          cloud.v(i),
          cloud.H[i] / space.gamma,
          cloud.rho[i],
          cloud.omega_P[i],
          cloud.cs[i],
          cloud.balsara[i]};
}

Frame frame_around(const Vec3& origin, int dimension) { return {origin, 2.4, {0.1, -0.2, 0.3}, {1.0, 0.5}, dimension}; }

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
constexpr std::array<std::size_t, 20> sizes{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 200, 1001};

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
constexpr double error_of_kernel = 16.0 * rounding;
// Relative to the term: H to the power d + 1 <= 4, off by 2 each: 8; K, m, v_i, v_j, rho_i, rho_j, omega_P, balsara_i,
// balsara_j, cs_i, cs_j, alpha: 12; the longest chain of products and sums outside the kernel: below 20.
constexpr double error_of_term = 40.0 * rounding;

/// The errors of all terms, and of their addition, which rounds a partial sum for each hit.
template <class Kernel>
Tolerances tolerances(const Cloud& cloud, const Space& space, const kernels::NeighbourCache& cache) {
  Tolerances sum;
  const double steepest = steepness<Kernel>();
  const double relative = error_of_term + static_cast<double>(cache.hits) * rounding;
  const auto scale = [&space](double radius, int power) { return space.norm * kernels::inverse_power(radius, power); };
  // Bounds |K / H^power value(r / H)| and its error at once.
  const auto error = [&](double value, double radius, int power) {
    return scale(radius, power) * (relative * std::abs(value) + error_of_kernel * steepest);
  };
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
    const double Pi = alpha * (cloud.cs[0] + cloud.cs[j] + 3.0 * v) * v / (cloud.rho[0] + cloud.rho[j]);
    sum.density += m * W;
    sum.slope += m * (d * W + H * dW_i) * space.gamma / H;
    sum.gradient += m * dW_i * v / cloud.rho[0];
    sum.acceleration += m * (cloud.omega_P[0] * dW_i + cloud.omega_P[j] * dW_j + 0.5 * Pi * (dW_i + dW_j));
    sum.dissipation += m * 0.5 * Pi * (dW_i + dW_j) * v;
  }
  return sum;
}

}  // namespace

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

TEST(VectorPairs, SearchFindsTheSameNeighboursInTheSameOrder) {
  for_each_case({}, [](auto, const PairLoops& loops, const Cloud& cloud, const Space&, auto& oracle, auto& cache) {
    kernels::find_within(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0]);
    loops.find_within(cache, cloud.at(0), cloud.H[0]);
    const auto& hits = cache.hits();
    // No particle of these clouds is within the rounding of r^2 and H^2 of the edge, so none may differ.
    const std::vector<std::uint32_t> expected(oracle.hit.begin(), oracle.hit.begin() + std::ptrdiff_t(oracle.hits));
    EXPECT_EQ(std::vector<std::uint32_t>(hits.index, hits.index + hits.count), expected);
  });
}

TEST(VectorPairs, SearchWithinEitherSupportFindsTheSameNeighbours) {
  for_each_case(
      {}, [](auto, const PairLoops& loops, const Cloud& cloud, const Space& space, auto& oracle, auto& cache) {
        kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
        loops.find_within_either(cache, cloud.at(0), cloud.H[0]);
        const auto& hits = cache.hits();
        const std::vector<std::uint32_t> expected(oracle.hit.begin(), oracle.hit.begin() + std::ptrdiff_t(oracle.hits));
        EXPECT_EQ(std::vector<std::uint32_t>(hits.index, hits.index + hits.count), expected);
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
    const auto i = target(cloud, space);
    const kernels::Force expected = kernels::force_sum<Kernel>(oracle, i, alpha, space);
    const kernels::Force found = loops.force(cache, i, alpha);
    const Tolerances error = tolerances<Kernel>(cloud, space, oracle);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(found.a[axis], expected.a[axis], error.acceleration);
    }
    EXPECT_NEAR(found.dissipation, expected.dissipation, error.dissipation);
    EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);  // these signal velocities are below 8
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
      cache.append(fill, motion, {cloud.H, cloud.rho, cloud.omega_P, cloud.cs, cloud.balsara}, image, box, radius);
      cache.seal();
      const auto found = cache.candidates();
      std::size_t k = 0;
      const auto expect_motion = [&](std::size_t j) {
        const auto at = frame.place(cloud.at(j), image);
        const auto v = frame.velocity({cloud.vx[j], -cloud.vy[j], cloud.vz[j]});
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
        EXPECT_EQ(found.flow[4 * k + 3], frame.speed(cloud.cs[j]));
        EXPECT_EQ(
            (std::array{found.state[4 * k], found.state[4 * k + 1], found.state[4 * k + 2], found.state[4 * k + 3]}),
            (std::array{1.0F / H, frame.density(cloud.rho[j]), frame.omega_P(cloud.omega_P[j]),
                        static_cast<float>(cloud.balsara[j])}));
        ++k;
      }
      ASSERT_EQ(k, cache.size()) << name_of(set) << ", n = " << n;
      EXPECT_EQ(found.m[k], 0.0F);  // the seal
    }
  }
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
    EXPECT_EQ(force.v_sig, 2.0 * one.cs[0]);
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
    cache.hits().count = functions.find_within(cache.candidates(), at, H, cache.hits());
    const auto listed = functions.density(cache.hits(), 1.0F / H);
    const auto all = functions.density_of_all(cache.candidates(), at, 1.0F / H);
    // In units of the cache (mass 1, length 2): without the powers of H.
    const double scale = space.norm * kernels::inverse_power(cloud.H[0], space.dimension);
    EXPECT_NEAR(all.sum_w, listed.sum_w, error.density / scale);
    EXPECT_NEAR(all.sum_q_dw, listed.sum_q_dw, error.slope * cloud.H[0] / scale);

    cache.hits().count = functions.find_within_either(cache.candidates(), at, H, cache.hits());
    const kernels::vector::GasCentre i{
        {at, frame.velocity(cloud.v(0))}, frame.speed(cloud.cs[0]),        1.0F / H,
        frame.density(cloud.rho[0]),      frame.omega_P(cloud.omega_P[0]), static_cast<float>(cloud.balsara[0])};
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
      EXPECT_EQ(on_first.v_sig > 2.0 * cloud.cs[0] || on_first.a == Vec3{} || cloud.cs[1] < cloud.cs[0], true);
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
    for (auto* field : {&scaled.vx, &scaled.vy, &scaled.vz, &scaled.cs}) (*field)[j] *= speed;
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
