// Direct sums: softening against its formulas, the loops of each instruction set against the plain sums.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "support/body_clouds.hpp"
#include "support/count_allocations.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/fmm/direct.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using test::Cloud;
using test::random_cloud;
using test::Sums;

/// What a body of mass 1 at the origin does at a distance: attraction per mass, and minus the potential.
struct Pull {
  double potential, force;
};
Pull pull_at(double r, const Softening& softening) {
  Cloud cloud;
  cloud.add({}, 1.0);
  const Field field = field_at({0.6 * r, 0.0, 0.8 * r}, cloud.all(), softening);
  return {-field.potential, norm(field.acceleration)};
}

TEST(FmmSoftening, WendlandHasItsValues) {
  const double epsilon = 0.5;
  const Softening softening = Softening::wendland_c2(epsilon);
  const double H = 1.5;
  EXPECT_EQ(softening.reach(), H);
  EXPECT_DOUBLE_EQ(pull_at(0.0, softening).potential, 1.0 / epsilon);  // that of Plummer's sphere
  EXPECT_EQ(pull_at(0.0, softening).force, 0.0);
  EXPECT_DOUBLE_EQ(pull_at(0.5 * H, softening).potential, 1.8984375 / H);  // the polynomials at 1/2, by hand
  EXPECT_DOUBLE_EQ(pull_at(0.5 * H, softening).force, 5.53125 * 0.5 / (H * H));
  for (const double r : {H, 1.01 * H, 3.0 * H}) {
    EXPECT_DOUBLE_EQ(pull_at(r, softening).potential, 1.0 / r);
    EXPECT_DOUBLE_EQ(pull_at(r, softening).force, 1.0 / (r * r));
  }
}

TEST(FmmSoftening, WendlandIsTheGravityOfItsDensity) {
  const double H = 1.5;
  const Softening softening{SofteningKind::wendland_c2, H};
  const double h = 1e-4;  // differences of second order: errors of h^2 times third derivatives of order 100
  for (double r = 0.1; r < 1.8; r += 0.1) {
    const double u = r / H;
    const double W =
        u < 1.0 ? 21.0 / (2.0 * std::numbers::pi * H * H * H) * std::pow(1.0 - u, 4) * (1.0 + 4.0 * u) : 0.0;
    const auto flux = [&](double at) { return at * at * pull_at(at, softening).force; };
    EXPECT_NEAR((flux(r + h) - flux(r - h)) / (2.0 * h), 4.0 * std::numbers::pi * r * r * W, 1e-5) << r;
    const double slope = (pull_at(r + h, softening).potential - pull_at(r - h, softening).potential) / (2.0 * h);
    EXPECT_NEAR(slope, -pull_at(r, softening).force, 1e-5) << r;
  }
}

TEST(FmmSoftening, PlummerIsItsFormula) {
  const Softening softening = Softening::plummer(0.4);
  EXPECT_EQ(softening.reach(), 0.0);
  EXPECT_DOUBLE_EQ(softening.epsilon2(), 0.4 * 0.4);
  for (const double r : {0.0, 0.3, 2.0}) {
    EXPECT_DOUBLE_EQ(pull_at(r, softening).potential, 1.0 / std::sqrt(r * r + 0.16));
    EXPECT_DOUBLE_EQ(pull_at(r, softening).force, r / std::pow(r * r + 0.16, 1.5));
  }
}

TEST(FmmSoftening, BodiesAtOnePlaceAreFiniteWithoutSoftening) {
  EXPECT_EQ(pull_at(0.0, {}).potential, 0.0);
  EXPECT_EQ(pull_at(0.0, {}).force, 0.0);
  EXPECT_DOUBLE_EQ(pull_at(2.0, {}).force, 0.25);
}

const Softening softenings[] = {{}, Softening::plummer(0.3), Softening::wendland_c2(0.3)};

TEST(FmmDirect, PairsAreSumsOverOthers) {
  for (const Softening& softening : softenings) {
    const Cloud cloud = random_cloud(14, {}, 1.0, 1);
    Sums sums(14);
    add_pairs(cloud.some(0, 5), softening, sums.some(0, 5));
    add_pairs(cloud.some(5, 9), softening, sums.some(5, 9));
    add_pairs(cloud.some(0, 5), cloud.some(5, 9), softening, sums.some(0, 5), sums.some(5, 9));
    for (std::size_t i = 0; i < 14; ++i) {
      Cloud others;
      for (std::size_t j = 0; j < 14; ++j) {
        if (j != i) others.add(cloud.all().at(j), cloud.m[j]);
      }
      const Field expected = field_at(cloud.all().at(i), others.all(), softening);
      // 13 terms, of which the nearest pair without softening is the largest.
      const double rounding = 1e-14 * norm(expected.acceleration);
      EXPECT_NEAR(norm(sums.a(i) - expected.acceleration), 0.0, rounding + 1e-14);
      EXPECT_NEAR(sums.potential[i], expected.potential, 1e-14 * std::abs(expected.potential));
    }
    EXPECT_LE(test::net_force(cloud.m, sums), 1e-15);
  }
}

/// Rounds to floats, so that what is compared is arithmetic alone.
void round_to_floats(Cloud& cloud) {
  for (auto* of : {&cloud.x, &cloud.y, &cloud.z, &cloud.m}) {
    for (double& value : *of) value = static_cast<float>(value);
  }
}

/// Sums over the sources of the absolute values of what is added: what rounding is relative to.
Pull scale_at(const Vec3& at, const Bodies& sources, const Softening& softening) {
  Pull scale{};
  for (std::size_t j = 0; j < sources.size(); ++j) {
    const Pull pull = pull_at(norm(sources.at(j) - at), softening);
    scale.potential += sources.m[j] * pull.potential;
    scale.force += sources.m[j] * pull.force;
  }
  return scale;
}

template <class Real>
void expect_loops(base::InstructionSet set) {
  SCOPED_TRACE(std::string(base::name_of(set)) + (std::is_same_v<Real, float> ? ", floats" : ", doubles"));
  // A pair takes some 15 operations, each rounded by half of epsilon; lanes add up to 9 pairs.
  const double tolerance = 12.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (const Softening& softening : softenings) {
    NearBodies<Real> near(set);
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 15U, 16U, 17U, 33U, 5U}) {
      Cloud cloud = random_cloud(count, {}, 1.0, 1);
      Cloud other = random_cloud(3, {0.5, 0.2, 0.1}, 1.0, 2);
      round_to_floats(cloud);
      round_to_floats(other);
      for (const bool is_mutual : {false, true}) {
        near.restart({});
        const Group sources = near.add(cloud.all());
        const Group sinks = near.add(other.all());
        if (is_mutual) {
          near.add_forces_between(sinks, sources, softening);
        } else {
          near.add_forces(sinks, sources, softening);
          near.add_forces(sources, sinks, softening);
        }
        const auto expect = [&](Group group, const Cloud& of, const Cloud& by) {
          Sums sums(of.size());
          std::ranges::fill(sums.ay, 5.0);  // it adds
          near.add_to(group, sums.all());
          for (std::size_t i = 0; i < of.size(); ++i) {
            const Vec3 at = of.all().at(i);
            const Field expected = field_at(at, by.all(), softening);
            const Pull scale = scale_at(at, by.all(), softening);
            EXPECT_NEAR(sums.potential[i], expected.potential, tolerance * scale.potential) << count;
            EXPECT_NEAR(norm(sums.a(i) - Vec3{0.0, 5.0, 0.0} - expected.acceleration), 0.0,
                        tolerance * scale.force + 1e-15)
                << count;
          }
        };
        expect(sinks, other, cloud);
        expect(sources, cloud, other);
      }
    }
  }
}

TEST(FmmDirect, LoopsOfAllSetsAreThePlainSums) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    expect_loops<float>(set);
    expect_loops<double>(set);
  }
}

TEST(FmmDirect, ASinkLeavesItselfOut) {
  Cloud cloud = random_cloud(37, {}, 1.0, 3);
  cloud.x[20] = cloud.x[11];  // two at the same place, whose softened potential counts
  cloud.y[20] = cloud.y[11];
  cloud.z[20] = cloud.z[11];
  const Cloud strangers = random_cloud(20, {}, 1.0, 4);  // before and behind, which act on nobody
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (const Softening& softening : softenings) {
      Sums expected(37);
      add_pairs(cloud.all(), softening, expected.all());
      NearBodies<double> near(set);
      for (int way = 0; way < 3; ++way) {
        near.restart({});
        near.add(strangers.some(0, 5));
        const Group all = near.add(cloud.all());
        near.add(strangers.all());
        const Group first{all.begin, 9};
        const Group second{all.begin + 9, 28};
        if (way == 0) {
          near.add_forces(first, all, softening);
          near.add_forces(second, all, softening);
        } else if (way == 1) {
          near.add_forces_within(all, softening);
        } else {
          near.add_forces_within(first, softening);
          near.add_forces_within(second, softening);
          near.add_forces_between(second, first, softening);
        }
        Sums sums(37);
        near.add_to(all, sums.all());
        for (std::size_t i = 0; i < 37; ++i) {
          EXPECT_NEAR(sums.potential[i], expected.potential[i], 1e-13 * std::abs(expected.potential[i])) << i;
          EXPECT_NEAR(norm(sums.a(i) - expected.a(i)), 0.0, 1e-13 * norm(expected.a(i)) + 1e-13) << i;
        }
        EXPECT_LE(test::net_force(cloud.m, sums), 1e-14);  // 37 terms, each rounded
        Sums of_strangers(20);
        near.add_to({all.end(), 20}, of_strangers.all());
        EXPECT_EQ(of_strangers.az, std::vector<double>(20));
      }
    }
  }
}

TEST(FmmDirect, PotentialsAreLeftOutWhereNobodyWantsThem) {
  const Cloud cloud = random_cloud(8, {}, 1.0, 4);
  NearBodies<float> near(base::best_instruction_set());
  near.add_forces_within(near.add(cloud.all()), {});
  Sums with(8);
  Sums without(8);
  near.add_to({0, 8}, with.all());
  near.add_to({0, 8}, {{}, without.ax, without.ay, without.az});
  EXPECT_EQ(with.ax, without.ax);
  EXPECT_EQ(with.az, without.az);
  EXPECT_LT(with.potential[0], 0.0);
}

/// Stars in cgs units, which no float could hold the squares of.
TEST(FmmDirect, FloatsWorkInAnyUnits) {
  const Vec3 centre{3e24, -2e24, 1e24};
  const double size = 1e19;
  Cloud cloud = random_cloud(40, centre, size, 5);
  for (double& m : cloud.m) m *= 2e33;
  const Softening softening = Softening::wendland_c2(0.05 * size);
  NearBodies<float> near(base::best_instruction_set());
  near.restart(Frame::around(centre, size, 2e33));
  near.add_forces_within(near.add(cloud.all()), softening);
  Sums sums(40);
  near.add_to({0, 40}, sums.all());
  Sums expected(40);
  add_pairs(cloud.all(), softening, expected.all());
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(sums.potential[i] / expected.potential[i], 1.0, 1e-6);
    // Positions are rounded to 2^-24 of the size: of a pair at 0.15 sizes, 1e-6; the sum of 40 is larger than it.
    EXPECT_LE(norm(sums.a(i) - expected.a(i)), 4e-6 * norm(expected.a(i)));
  }
}

TEST(FmmDirect, UsedAgainItAllocatesNothing) {
  const Cloud cloud = random_cloud(100, {}, 1.0, 6);
  NearBodies<float> near(base::best_instruction_set());
  near.add(cloud.all());
  Sums sums(100);
  const std::size_t before = tacit::test::allocations.load();
  near.restart({});
  near.add_forces_within(near.add(cloud.some(0, 60)), {});
  near.add_to({0, 60}, sums.some(0, 60));
  EXPECT_EQ(tacit::test::allocations.load(), before);
}

}  // namespace
}  // namespace tacit::fmm
