// Gravity of a Plummer sphere by the dual walk through an octree, against direct sums.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/body_clouds.hpp"
#include "support/body_octree.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/fmm/acceptance.hpp"
#include "tacit/fmm/walk.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using test::Cloud;
using test::Octree;
using test::Sums;

constexpr std::size_t sphere_bodies = 4096;
constexpr std::size_t most_per_leaf = 24;

/// Accepts by the opening angle, and counts pairs of bodies.
struct Count {
  const Octree<1>& tree;
  std::size_t expanded = 0;
  std::size_t summed = 0;
  [[nodiscard]] bool accepts(std::size_t a, std::size_t b) const {
    const Vec3 R = centre_of(tree.multipoles[a]) - centre_of(tree.multipoles[b]);
    return is_small(tree.radius(a), tree.radius(b), 0.0, dot(R, R), 0.6);
  }
  void expand(std::size_t a, std::size_t b) { expanded += tree.cells[a].count * tree.cells[b].count; }
  void sum(std::size_t a, std::size_t b) { summed += tree.cells[a].count * tree.cells[b].count; }
  void sum(std::size_t leaf) { summed += tree.cells[leaf].count * (tree.cells[leaf].count - 1) / 2; }
};

TEST(FmmWalk, EveryPairIsCoveredOnce) {
  for (const std::size_t n : {1U, 24U, 25U, 300U, 4096U}) {
    Cloud cloud = test::plummer_sphere(n, 1);
    const Octree<1> tree(cloud, most_per_leaf);
    Count count{tree};
    walk(tree, std::size_t{0}, count);
    EXPECT_EQ(count.expanded + count.summed, n * (n - 1) / 2);
    if (n == 4096) {
      EXPECT_GT(count.expanded, count.summed);
    }
  }
}

/// Sums over all pairs.
Sums direct_sums(const Cloud& cloud, const Softening& softening) {
  NearBodies<double> near(base::best_instruction_set());
  near.add_forces_within(near.add(cloud.all()), softening);
  Sums sums(cloud.size());
  near.add_to({0, cloud.size()}, sums.all());
  return sums;
}

/// The whole method: M2L both ways and sums over pairs on the walk, then L2L and L2P.
template <int p, class Accepts>
class Gravity {
 public:
  Gravity(const Cloud& cloud, const Octree<p>& tree, const Softening& softening, const Accepts& accepts)
      : cloud_(cloud),
        tree_(tree),
        softening_(softening),
        accepts_(accepts),
        L_(tree.cells.size() * terms(p)),
        sums_(cloud.size()) {
    walk(tree, std::size_t{0}, *this);
    for (std::size_t c = 0; c < tree.cells.size(); ++c) {
      for (const std::size_t child : tree.children(c)) {
        Operators<p>::l2l(of(c), centre_of(tree.multipoles[child]) - centre_of(tree.multipoles[c]), of(child));
      }
      if (tree.is_leaf(c)) evaluate(c);
    }
  }
  [[nodiscard]] bool accepts(std::size_t a, std::size_t b) const { return accepts_(a, b); }
  void expand(std::size_t a, std::size_t b) {
    const auto& A = tree_.multipoles[a];
    const auto& B = tree_.multipoles[b];
    Operators<p>::m2l_mutual(terms_of(A), terms_of(B), centre_of(A) - centre_of(B), softening_.epsilon2(), of(a),
                             of(b));
    ++expansions;
  }
  void sum(std::size_t a, std::size_t b) { add_pairs(some(a), some(b), softening_, to(a), to(b)); }
  void sum(std::size_t leaf) { add_pairs(some(leaf), softening_, to(leaf)); }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  std::size_t expansions = 0;

 private:
  [[nodiscard]] Terms<p> of(std::size_t c) { return Terms<p>(L_.data() + c * terms(p), terms(p)); }
  [[nodiscard]] Bodies some(std::size_t c) const { return cloud_.some(tree_.cells[c].begin, tree_.cells[c].count); }
  [[nodiscard]] Fields to(std::size_t c) { return sums_.some(tree_.cells[c].begin, tree_.cells[c].count); }
  void evaluate(std::size_t leaf) {
    const Fields fields = to(leaf);
    for (std::size_t b = 0; b < tree_.cells[leaf].count; ++b) {
      const Field field = Operators<p>::l2p(of(leaf), some(leaf).at(b) - centre_of(tree_.multipoles[leaf]));
      fields.potential[b] += field.potential;
      fields.ax[b] += field.acceleration.x;
      fields.ay[b] += field.acceleration.y;
      fields.az[b] += field.acceleration.z;
    }
  }

  const Cloud& cloud_;
  const Octree<p>& tree_;
  Softening softening_;
  Accepts accepts_;
  std::vector<double> L_;
  Sums sums_;
};

struct SphereErrors {
  double rms = 0.0;
  double percentile_99 = 0.0;
  double potential_rms = 0.0;
  double net_force = 0.0;
  std::size_t expansions = 0;
};

/// Of the accelerations relative to their norms.
SphereErrors sphere_errors(const Cloud& cloud, const Sums& sums, const Sums& exact) {
  std::vector<double> errors;
  SphereErrors result;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    errors.push_back(norm(sums.a(i) - exact.a(i)) / norm(exact.a(i)));
    result.rms += errors[i] * errors[i];
    result.potential_rms += std::pow(sums.potential[i] / exact.potential[i] - 1.0, 2);
  }
  const auto n = static_cast<double>(cloud.size());
  std::ranges::sort(errors);
  result.rms = std::sqrt(result.rms / n);
  result.potential_rms = std::sqrt(result.potential_rms / n);
  result.percentile_99 = errors[cloud.size() * 99 / 100];
  result.net_force = test::net_force(cloud.m, sums);
  return result;
}

/// A sphere with its tree and the exact sums.
template <int p>
struct Sphere {
  Softening softening;
  Cloud cloud = test::plummer_sphere(sphere_bodies, 1);
  Octree<p> tree{cloud, most_per_leaf};
  Sums exact = direct_sums(cloud, softening);

  explicit Sphere(const Softening& softened) : softening(softened) {}

  template <class Accepts>
  [[nodiscard]] SphereErrors errors(const Accepts& accepts) const {
    const Gravity<p, Accepts> gravity(cloud, tree, softening, accepts);
    SphereErrors result = sphere_errors(cloud, gravity.sums(), exact);
    result.expansions = gravity.expansions;
    return result;
  }
  [[nodiscard]] double R2(std::size_t a, std::size_t b) const {
    const Vec3 R = centre_of(tree.multipoles[a]) - centre_of(tree.multipoles[b]);
    return dot(R, R);
  }
  [[nodiscard]] SphereErrors by_angle(double theta) const {
    return errors([this, theta](std::size_t a, std::size_t b) {
      return is_small(tree.radius(a), tree.radius(b), softening.reach(), R2(a, b), theta);
    });
  }
  /// Both ways, so that pairs stay symmetric.
  [[nodiscard]] SphereErrors by_error(double tolerance) const {
    std::vector<Powers<p>> powers;
    std::vector<double> smallest;
    for (std::size_t c = 0; c < tree.cells.size(); ++c) {
      powers.push_back(powers_of<p>(terms_of(tree.multipoles[c])));
      double least = std::numeric_limits<double>::max();
      for (std::size_t b = 0; b < tree.cells[c].count; ++b)
        least = std::min(least, norm(exact.a(tree.cells[c].begin + b)));
      smallest.push_back(least);
    }
    return errors([&, this](std::size_t a, std::size_t b) {
      const auto is_good = [&](std::size_t sink, std::size_t source) {
        return is_accurate<p>(powers[source], tree.radius(source), tree.radius(sink), softening.reach(), R2(a, b),
                              tolerance, smallest[sink]);
      };
      return is_good(a, b) && is_good(b, a);
    });
  }
};

/// @return the errors at an opening angle of 0.4
template <int p>
SphereErrors expect_angle() {
  SCOPED_TRACE("order " + std::to_string(p));
  const Sphere<p> sphere(Softening::plummer(0.05));
  const SphereErrors wide = sphere.by_angle(0.8);
  const SphereErrors narrow = sphere.by_angle(0.4);
  // Half the angle is 2^-p in the worst pair. Most pairs look smaller than they may, the more so the wider the angle,
  // which leaves 1.6^p.
  EXPECT_LT(narrow.rms, wide.rms / std::pow(1.6, p));
  EXPECT_LT(narrow.percentile_99, wide.percentile_99 / std::pow(1.6, p));
  EXPECT_LT(narrow.potential_rms, wide.potential_rms / std::pow(1.6, p + 1));
  EXPECT_GT(narrow.expansions, wide.expansions);
  EXPECT_LT(wide.rms, std::pow(0.8, p + 1));
  EXPECT_LT(wide.net_force, 1e-14);  // thousands of terms of either sign, each rounded
  return narrow;
}

TEST(FmmWalk, ErrorsFallWithTheAngleAndTheOrder) {
  const SphereErrors errors[] = {expect_angle<1>(), expect_angle<2>(), expect_angle<3>(), expect_angle<4>(),
                                 expect_angle<5>()};
  for (std::size_t k = 1; k < 5; ++k) {
    EXPECT_LT(errors[k].rms, 0.4 * errors[k - 1].rms);
    EXPECT_LT(errors[k].percentile_99, 0.4 * errors[k - 1].percentile_99);
    EXPECT_LT(errors[k].potential_rms, 0.4 * errors[k - 1].potential_rms);
  }
}

template <int p>
void expect_tolerance(const Softening& softening) {
  SCOPED_TRACE("order " + std::to_string(p));
  const Sphere<p> sphere(softening);
  SphereErrors before;
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    const SphereErrors errors = sphere.by_error(tolerance);
    // Each pair of cells errs by less than the tolerance; a body has some tens of them, of any sign.
    EXPECT_LT(errors.rms, 10.0 * tolerance);
    EXPECT_LT(errors.percentile_99, 30.0 * tolerance);
    EXPECT_LT(errors.net_force, 1e-14);
    EXPECT_GT(errors.expansions, 1000U);  // it is not all done in pairs
    if (before.rms > 0.0) {
      EXPECT_LT(errors.rms, before.rms / 2.5);
      EXPECT_LT(errors.percentile_99, before.percentile_99 / 2.5);
    }
    before = errors;
  }
}

TEST(FmmWalk, ErrorsFollowTheTolerance) {
  expect_tolerance<2>({});
  expect_tolerance<3>(Softening::wendland_c2(0.02));
  expect_tolerance<4>(Softening::wendland_c2(0.02));
}

}  // namespace
}  // namespace tacit::fmm
