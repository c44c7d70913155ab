// Ewald's sum against lattice constants, itself with another splitting, and its own derivatives; images against it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/body_clouds.hpp"
#include "tacit/base/random.hpp"
#include "tacit/fmm/ewald.hpp"
#include "tacit/fmm/images.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;

const Vec3 unit_box{1.0, 1.0, 1.0};

/// Potential at the first of charges in a box that repeats, with the sign of electrostatics.
double potential_at_first(const Vec3& box, const std::vector<std::array<double, 4>>& charges) {
  const Ewald ewald(box);
  double sum = 0.0;
  for (const auto& [x, y, z, q] : charges) {
    const auto& first = charges.front();
    sum -= q * ewald.field_at(Vec3{first[0] - x, first[1] - y, first[2] - z}).potential;
  }
  return sum;
}

double place(std::uint64_t i, std::uint64_t axis) { return base::uniform(11, i, axis); }

}  // namespace

TEST(Ewald, GivesTheConstantsOfLattices) {
  EXPECT_NEAR(Ewald(unit_box).field_at({}).potential, 2.837297479480620, 1e-13);
  EXPECT_NEAR(Ewald({3.0, 3.0, 3.0}).field_at({}).potential, 2.837297479480620 / 3.0, 1e-13);
  std::vector<std::array<double, 4>> salt;
  for (int k = 0; k < 8; ++k) {
    const int x = k / 4;
    const int y = k / 2 % 2;
    const int z = k % 2;
    salt.push_back({double(x), double(y), double(z), (x + y + z) % 2 == 0 ? 1.0 : -1.0});
  }
  EXPECT_NEAR(potential_at_first({2.0, 2.0, 2.0}, salt), -1.747564594633182, 1e-12);
  // Per distance of neighbours, sqrt(3) / 2.
  const double caesium = potential_at_first(unit_box, {{0.0, 0.0, 0.0, 1.0}, {0.5, 0.5, 0.5, -1.0}});
  EXPECT_NEAR(0.5 * std::sqrt(3.0) * caesium, -1.762674773070988, 1e-12);
  // Salt again, as a box of half the size along one axis and twice along another: rectangular boxes.
  std::vector<std::array<double, 4>> slab;
  for (int x = 0; x < 4; ++x) {
    for (int k = 0; k < 4; ++k) {
      slab.push_back({double(x), double(k / 2), double(k % 2), (x + k / 2 + k % 2) % 2 == 0 ? 1.0 : -1.0});
    }
  }
  EXPECT_NEAR(potential_at_first({4.0, 2.0, 2.0}, slab), -1.747564594633182, 1e-12);
}

TEST(Ewald, TheSplittingChangesNothing) {
  for (const Vec3& box : {unit_box, Vec3{1.0, 1.7, 0.9}}) {
    const Ewald plain(box);
    for (const double splitting : {1.2, 2.5, 3.5}) {
      const Ewald other(box, splitting);
      for (std::uint64_t i = 0; i < 5; ++i) {
        const Vec3 R{box.x * place(i, 0), box.y * place(i, 1), box.z * place(i, 2)};
        EXPECT_NEAR(other.field_at(R).potential, plain.field_at(R).potential, 1e-12);
        EXPECT_LT(norm(other.field_at(R).acceleration - plain.field_at(R).acceleration), 1e-11);
      }
      EXPECT_NEAR(other.field_at({}).potential, plain.field_at({}).potential, 1e-12);
      const auto a = plain.far_derivatives(6, {1, 1, 1});
      const auto b = other.far_derivatives(6, {1, 1, 1});
      for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 1e-8);  // 720 / 1e-16, and what cancels
    }
  }
}

TEST(Ewald, TheFieldIsTheGradientOfThePotentialAndRepeats) {
  const Vec3 box{1.0, 1.3, 0.8};
  const Ewald ewald(box);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Vec3 R{box.x * place(i, 0), box.y * place(i, 1), box.z * place(i, 2)};
    const Vec3 a = ewald.field_at(R).acceleration;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double step = 1e-5;
      Vec3 plus = R;
      Vec3 minus = R;
      plus[axis] += step;
      minus[axis] -= step;
      const double slope = (ewald.field_at(plus).potential - ewald.field_at(minus).potential) / (2.0 * step);
      EXPECT_NEAR(a[axis], -slope, 1e-7 * (1.0 + norm(a) / dot(R, R)));
      Vec3 image = R;
      image[axis] += 3.0 * box[axis];
      EXPECT_NEAR(ewald.field_at(image).acceleration[axis], a[axis], 1e-11 * (1.0 + norm(a)));
    }
  }
}

/// Of sources at x, the field at y: images that are near one by one, and the others together.
TEST(Images, NearAndFarAreAllTogether) {
  for (const Vec3& box : {unit_box, Vec3{2.0, 1.2, 1.0}}) {
    const Ewald ewald(box);
    const Vec3 lower{-5.0, 7.0, 0.5};
    const Images images(lower, box);
    double largest = 0.0;
    double squares = 0.0;
    constexpr std::uint64_t pairs = 200;
    for (std::uint64_t i = 0; i < pairs; ++i) {
      const auto at = [&](std::uint64_t axis) {
        return Vec3{lower.x + box.x * place(i, axis), lower.y + box.y * place(i, axis + 1),
                    lower.z + box.z * place(i, axis + 2)};
      };
      const Vec3 source = at(0);
      const Vec3 sink = at(3);
      const std::array<double, 1> M{1.0};
      Images::Expansion all{};
      images.add_source<0>(ConstTerms<0>(M), source, all);
      std::array<double, terms(1)> L{};
      images.add_to<1>(images.act(all), sink, Terms<1>(L));
      Field sum = Operators<1>::l2p(ConstTerms<1>(L), {});
      for (const Vec3& shift : images.near()) {
        const Vec3 r = sink - source - shift;
        sum.potential -= 1.0 / norm(r);
        sum.acceleration = sum.acceleration - (1.0 / std::pow(norm(r), 3)) * r;
      }
      const Field exact = ewald.field_at(sink - source);
      const double off = norm(sum.acceleration - exact.acceleration);
      largest = std::max(largest, off);
      squares += off * off;
    }
    // The first order that is missing is P + 2. The mean acceleration is of the order 1 / L^2.
    EXPECT_LT(std::sqrt(squares / double(pairs)), 2e-4) << box.x;
    EXPECT_LT(largest, 2e-3) << box.x;
    EXPECT_GT(largest, 1e-9) << "exact, as if all images were near";
    std::printf("box %g x %g x %g: %zu near images, far part off by %.2e rms, %.2e at most\n", box.x, box.y, box.z,
                images.near().size(), std::sqrt(squares / double(pairs)), largest);
  }
}

TEST(Images, ForcesOfFarImagesAddUpToNothing) {
  constexpr int p = 4;
  const Images images({}, unit_box);
  const auto cloud = [](const Vec3& centre, std::uint64_t seed) { return test::random_cloud(20, centre, 0.2, seed); };
  const std::array clouds{cloud({0.2, 0.3, 0.1}, 1), cloud({0.8, 0.6, 0.7}, 2), cloud({0.4, 0.9, 0.5}, 3)};
  Images::Expansion all{};
  for (const auto& bodies : clouds) {
    const Multipole<p> source = Operators<p>::multipole_of(bodies.all());
    images.add_source<p>(terms_of(source), centre_of(source), all);
  }
  const Images::Expansion far = images.act(all);
  Vec3 sum{};
  double scale = 0.0;
  for (const auto& bodies : clouds) {
    const Vec3 centre = centre_of(Operators<p>::multipole_of(bodies.all()));
    std::array<double, terms(p)> L{};
    images.add_to<p>(far, centre, Terms<p>(L));
    for (std::size_t b = 0; b < bodies.all().size(); ++b) {
      const Vec3 a = Operators<p>::l2p(ConstTerms<p>(L), bodies.all().at(b) - centre).acceleration;
      sum = sum + bodies.all().m[b] * a;
      scale += bodies.all().m[b] * norm(a);
    }
  }
  EXPECT_LT(norm(sum), 1e-13 * scale);
  EXPECT_GT(scale, 0.0);
}

}  // namespace tacit::fmm
