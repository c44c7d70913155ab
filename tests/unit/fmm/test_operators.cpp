// Each operator against direct sums, and against what it may not change.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "support/body_clouds.hpp"
#include "tacit/fmm/kernels/multi_index.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using test::Cloud;
using test::random_cloud;

template <int p>
using Coefficients = std::array<double, terms(p)>;

template <int p>
Coefficients<p> multipoles_about(const Cloud& cloud, const Vec3& centre) {
  Coefficients<p> M{};
  Operators<p>::p2m(cloud.all(), centre, Terms<p>(M));
  return M;
}

/// Calls a generic function for all orders.
template <class Function>
void for_each_order(const Function& function) {
  for (int p = 0; p <= highest_order; ++p) with_order(p, function);
}

/// A source and a sink whose bodies have their centres of mass elsewhere than where the expansions are, so that no
/// order vanishes; `size` scales both about these places.
struct Scene {
  explicit Scene(double size, std::uint64_t seed = 1)
      : sink_centre(source_centre + direction(seed)),
        source(random_cloud(7, source_centre + size * Vec3{0.2, -0.1, 0.3}, 0.5 * size, 2 * seed)),
        sink(random_cloud(6, sink_centre + size * Vec3{-0.2, 0.25, 0.1}, 0.5 * size, 2 * seed + 1)) {}
  static Vec3 direction(std::uint64_t seed) {
    const auto u = [seed](std::uint64_t draw) { return base::uniform(7, seed, draw) - 0.5; };
    const Vec3 d{u(0), u(1), u(2)};
    return (4.0 / norm(d)) * d;
  }
  Vec3 source_centre{0.3, -0.2, 0.1};
  Vec3 sink_centre;
  Cloud source, sink;
  [[nodiscard]] Vec3 R() const { return sink_centre - source_centre; }
};

struct Errors {
  double potential = 0.0;
  double acceleration = 0.0;
};

/// Norms over the sinks of the errors of field(body), relative to the norms of the fields.
template <class Evaluate>
Errors errors_of(const Scene& scene, const Softening& softening, const Evaluate& evaluate) {
  Errors errors;
  Errors scale;
  for (std::size_t i = 0; i < scene.sink.size(); ++i) {
    const Vec3 at = scene.sink.all().at(i);
    const Field exact = field_at(at, scene.source.all(), softening);
    const Field field = evaluate(at);
    errors.potential += std::pow(field.potential - exact.potential, 2);
    errors.acceleration += std::pow(norm(field.acceleration - exact.acceleration), 2);
    scale.potential += std::pow(exact.potential, 2);
    scale.acceleration += std::pow(norm(exact.acceleration), 2);
  }
  return {std::sqrt(errors.potential / scale.potential), std::sqrt(errors.acceleration / scale.acceleration)};
}

template <int p>
Errors errors_of_m2p(const Scene& scene, const Softening& softening) {
  const auto M = multipoles_about<p>(scene.source, scene.source_centre);
  return errors_of(scene, softening, [&](const Vec3& at) {
    return Operators<p>::m2p(ConstTerms<p>(M), at - scene.source_centre, softening.epsilon2());
  });
}

template <int p>
Errors errors_of_m2l(const Scene& scene, const Softening& softening) {
  const auto M = multipoles_about<p>(scene.source, scene.source_centre);
  Coefficients<p> L{};
  Operators<p>::m2l(ConstTerms<p>(M), scene.R(), softening.epsilon2(), Terms<p>(L));
  return errors_of(scene, softening,
                   [&](const Vec3& at) { return Operators<p>::l2p(ConstTerms<p>(L), at - scene.sink_centre); });
}

/// From multipoles of two halves about places of their own, to expansions about another place than the sink's centre.
template <int p>
Errors errors_of_chain(const Scene& scene, double size) {
  Coefficients<p> M{};
  for (std::size_t half = 0; half < 2; ++half) {
    const Vec3 centre = scene.source_centre + size * Vec3{half == 0 ? 0.2 : -0.1, 0.1, 0.15};
    Coefficients<p> part{};
    Operators<p>::p2m(scene.source.some(half == 0 ? 0 : 3, half == 0 ? 3 : 4), centre, Terms<p>(part));
    Operators<p>::m2m(ConstTerms<p>(part), centre - scene.source_centre, Terms<p>(M));
  }
  Coefficients<p> far{};
  Operators<p>::m2l(ConstTerms<p>(M), scene.R(), 0.0, Terms<p>(far));
  const Vec3 shift = size * Vec3{0.1, -0.3, 0.2};
  Coefficients<p> L{};
  Operators<p>::l2l(ConstTerms<p>(far), shift, Terms<p>(L));
  return errors_of(scene, {},
                   [&](const Vec3& at) { return Operators<p>::l2p(ConstTerms<p>(L), at - scene.sink_centre - shift); });
}

/// Cells of half the size have errors 2^orders smaller. With theta of some 1/25 and 1/50 the next order rules; over ten
/// directions, as it vanishes along some.
template <class ErrorsOf>
void expect_orders(const ErrorsOf& errors_at, int of_potential, int of_acceleration) {
  Errors sums[2];
  for (std::size_t halved = 0; halved < 2; ++halved) {
    const double size = halved == 0 ? 0.12 : 0.06;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Errors errors = errors_at(Scene(size, seed), size);
      sums[halved].potential += std::pow(errors.potential, 2);
      sums[halved].acceleration += std::pow(errors.acceleration, 2);
    }
  }
  EXPECT_NEAR(0.5 * std::log2(sums[0].potential / sums[1].potential), of_potential, 0.2);
  EXPECT_NEAR(0.5 * std::log2(sums[0].acceleration / sums[1].acceleration), of_acceleration, 0.2);
}

TEST(FmmOperators, M2PHasItsOrder) {
  for (const Softening& softening : {Softening{}, Softening::plummer(1.5)}) {
    for_each_order([&](auto p) {
      SCOPED_TRACE("order " + std::to_string(p));
      expect_orders([&](const Scene& scene, double) { return errors_of_m2p<p>(scene, softening); }, p + 1, p + 1);
    });
  }
}

TEST(FmmOperators, M2LAndL2PHaveTheirOrder) {
  for (const Softening& softening : {Softening{}, Softening::plummer(1.5)}) {
    for_each_order([&](auto p) {
      SCOPED_TRACE("order " + std::to_string(p));
      expect_orders([&](const Scene& scene, double) { return errors_of_m2l<p>(scene, softening); }, p + 1, p);
    });
  }
}

TEST(FmmOperators, TheWholeChainHasItsOrder) {
  for_each_order([](auto p) {
    SCOPED_TRACE("order " + std::to_string(p));
    expect_orders([&](const Scene& scene, double size) { return errors_of_chain<p>(scene, size); }, p + 1, p);
  });
}

TEST(FmmOperators, M2MGivesTheMultipolesOfTheBodies) {
  for_each_order([](auto p) {
    const Cloud cloud = random_cloud(9, {1.0, 2.0, -1.0}, 0.7, 3);
    const Vec3 from{1.2, 1.7, -0.9};
    const Vec3 to{0.4, 2.2, -1.5};
    const auto M = multipoles_about<p>(cloud, from);
    Coefficients<p> moved{};
    Operators<p>::m2m(ConstTerms<p>(M), from - to, Terms<p>(moved));
    const auto expected = multipoles_about<p>(cloud, to);
    // Terms are sums of up to 21 products, none above 9 bodies of 1.5 at 1.5.
    for (std::size_t n = 0; n < terms(p); ++n) EXPECT_NEAR(moved[n], expected[n], 1e-13) << n;
  });
}

TEST(FmmOperators, P2MOfOneBodyIsAPower) {
  Cloud cloud;
  cloud.add({1.5, 0.5, -2.0}, 3.0);
  const auto M = multipoles_about<5>(cloud, {1.0, 1.0, 0.0});
  EXPECT_DOUBLE_EQ(M[0], 3.0);
  EXPECT_DOUBLE_EQ(M[kernels::place_of({1, 0, 0})], 1.5);
  EXPECT_DOUBLE_EQ(M[kernels::place_of({1, 1, 1})], 3.0 * 0.5 * -0.5 * -2.0);
  EXPECT_DOUBLE_EQ(M[kernels::place_of({2, 0, 3})], 3.0 * 0.25 / 2.0 * -8.0 / 6.0);
}

TEST(FmmOperators, L2LKeepsThePolynomial) {
  for_each_order([](auto p) {
    Coefficients<p> L;
    for (std::uint64_t n = 0; n < terms(p); ++n) L[n] = base::uniform(4, n, 0) - 0.5;
    const Vec3 shift{0.3, -0.8, 0.5};
    Coefficients<p> moved{};
    Operators<p>::l2l(ConstTerms<p>(L), shift, Terms<p>(moved));
    for (std::uint64_t k = 0; k < 5; ++k) {
      const Vec3 at{base::uniform(5, k, 0), base::uniform(5, k, 1), base::uniform(5, k, 2)};
      const Field expected = Operators<p>::l2p(ConstTerms<p>(L), at);
      const Field field = Operators<p>::l2p(ConstTerms<p>(moved), at - shift);
      EXPECT_NEAR(field.potential, expected.potential, 1e-14);
      EXPECT_NEAR(norm(field.acceleration - expected.acceleration), 0.0, 1e-14);
    }
  });
}

TEST(FmmOperators, BothWaysIsOneWayTwice) {
  for_each_order([](auto p) {
    const Scene scene(0.5);
    const auto M_A = multipoles_about<p>(scene.sink, scene.sink_centre);
    const auto M_B = multipoles_about<p>(scene.source, scene.source_centre);
    Coefficients<p> L_A{};
    Coefficients<p> L_B{};
    L_A[0] = L_B[0] = 1.0;  // it adds
    Coefficients<p> one_way_A = L_A;
    Coefficients<p> one_way_B = L_B;
    Operators<p>::m2l_mutual(ConstTerms<p>(M_A), ConstTerms<p>(M_B), scene.R(), 0.2, Terms<p>(L_A), Terms<p>(L_B));
    Operators<p>::m2l(ConstTerms<p>(M_B), scene.R(), 0.2, Terms<p>(one_way_A));
    Operators<p>::m2l(ConstTerms<p>(M_A), -1.0 * scene.R(), 0.2, Terms<p>(one_way_B));
    for (std::size_t n = 0; n < terms(p); ++n) {
      EXPECT_NEAR(L_A[n], one_way_A[n], 1e-14) << n;
      EXPECT_NEAR(L_B[n], one_way_B[n], 1e-14) << n;
    }
  });
}

TEST(FmmOperators, BothWaysKeepsMomentum) {
  for_each_order([](auto p) {
    SCOPED_TRACE("order " + std::to_string(p));
    const Scene scene(1.5);  // near enough for large errors of each side
    const auto M_A = multipoles_about<p>(scene.sink, scene.sink_centre);
    const auto M_B = multipoles_about<p>(scene.source, scene.source_centre);
    Coefficients<p> L_A{};
    Coefficients<p> L_B{};
    Operators<p>::m2l_mutual(ConstTerms<p>(M_A), ConstTerms<p>(M_B), scene.R(), 0.0, Terms<p>(L_A), Terms<p>(L_B));
    Vec3 net;
    double scale = 0.0;
    const auto add = [&](const Cloud& cloud, const Vec3& centre, const Coefficients<p>& L) {
      for (std::size_t b = 0; b < cloud.size(); ++b) {
        const Field field = Operators<p>::l2p(ConstTerms<p>(L), cloud.all().at(b) - centre);
        net = net + cloud.m[b] * field.acceleration;
        scale += cloud.m[b] * norm(field.acceleration);
      }
    };
    add(scene.sink, scene.sink_centre, L_A);
    add(scene.source, scene.source_centre, L_B);
    EXPECT_LE(norm(net), 1e-14 * scale);  // some 50 operations on each of 13 bodies
    if constexpr (p > 0) {
      EXPECT_GT(scale, 1.0);
    }
  });
}

TEST(FmmOperators, CellsTogetherAreTheirBodiesTogether) {
  const Cloud cloud = random_cloud(12, {4.0, -3.0, 2.0}, 1.0, 6);
  const std::array<Multipole<4>, 3> parts{Operators<4>::multipole_of(cloud.some(0, 5)),
                                          Operators<4>::multipole_of(cloud.some(5, 1)),
                                          Operators<4>::multipole_of(cloud.some(6, 6))};
  const Multipole<4> whole = Operators<4>::multipole_of(std::span<const Multipole<4>>(parts));
  const Multipole<4> expected = Operators<4>::multipole_of(cloud.all());
  EXPECT_NEAR(norm(centre_of(whole) - centre_of(expected)), 0.0, 1e-14);
  for (std::size_t n = 0; n < terms(4); ++n) EXPECT_NEAR(whole.M[n], expected.M[n], 1e-13) << n;
  for (std::size_t n = 1; n < 4; ++n) EXPECT_NEAR(whole.M[n], 0.0, 1e-13) << "dipole";
  EXPECT_EQ(parts[1].radius, 0.0);
  EXPECT_GE(whole.radius, expected.radius);
  for (std::size_t b = 0; b < cloud.size(); ++b) {
    EXPECT_LE(norm(cloud.all().at(b) - centre_of(whole)), whole.radius * (1.0 + 1e-14));
  }
}

TEST(FmmOperators, CellsWithoutMassHaveACentre) {
  Cloud cloud;
  cloud.add({1.0, 2.0, 3.0}, 0.0);
  cloud.add({3.0, 2.0, 1.0}, 0.0);
  const Multipole<2> multipole = Operators<2>::multipole_of(cloud.all());
  EXPECT_EQ(centre_of(multipole), (Vec3{2.0, 2.0, 2.0}));
  EXPECT_DOUBLE_EQ(multipole.radius, std::sqrt(2.0));
}

TEST(FmmOperators, OrdersThatAreNotThereAreRefused) {
  EXPECT_EQ(with_order(5, [](auto p) { return int{p}; }), 5);
  try {
    with_order(6, [](auto) {});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "expansions have an order of 0 to 5, not 6");
  }
}

}  // namespace
}  // namespace tacit::fmm
