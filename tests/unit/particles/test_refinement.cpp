// Cells that are split where particles cluster: sorting, lists and saving, compared with a search through everything.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <tuple>
#include <vector>

#include "clouds.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::particles::refinement_test {
namespace {

using base::Vec3;
using testing::Cloud;
using testing::reordered;
using testing::used;

struct Case {
  const char* name;
  Domain domain;
  double width;
  double longest;  ///< support of a particle
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const std::array cases{
    Case{"periodic line", {{-1, 0, 0}, {2, 1, 1}, true, 1}, 0.3, 0.4},
    Case{"open line", {{-1, 0, 0}, {2, 1, 1}, false, 1}, 0.3, 0.4},
    Case{"line between mirrors", {{-1, 0, 0}, {2, 1, 1}, false, 1, true}, 0.3, 0.4},
    Case{"periodic area", {{}, {1, 0.7, 0.01}, true, 2}, 0.25, 0.3},
    Case{"open area", {{1, -3, 0}, {1, 0.7, 0.01}, false, 2}, 0.25, 0.3},
    Case{"area between mirrors", {{1, -3, 0}, {1, 0.7, 0.01}, false, 2, true}, 0.25, 0.3},
    Case{"periodic", {{}, {1, 1, 1}, true}, 0.3, 0.3},
    Case{"one periodic cell that sees its second images", {{}, {1, 1, 1}, true}, 2.0, 1.2},
    Case{"thin periodic box", {{}, {2.0, 0.3, 0.15}, true}, 0.15, 0.2},
    Case{"open", {{-1, -1, -1}, {2, 1, 1.5}, false}, 0.4, 0.4},
    Case{"mirrors", {{0, -2, 3}, {1, 1, 1}, false, 3, true}, 0.3, 0.3},
    Case{"mirrors around one cell", {{0, -2, 3}, {1, 1, 1}, false, 3, true}, 2.0, 0.8},
};

constexpr std::size_t most_per_cell = 8;

/// Sorted particles in refined cells, and all that lists are made of.
struct Sorted {
  Sorted(const Case& c, std::size_t n, std::uint64_t seed) : tree(c.domain, c.width, 10000, 3) {
    const Cloud cloud = testing::clustered_cloud(c.domain, n, c.longest, seed);
    tree.refine(cloud.x, cloud.y, cloud.z, cloud.support, most_per_cell);
    order = tree.sort(cloud.x, cloud.y, cloud.z, cloud.id);
    gas = reordered(cloud, order);
    cell_of.resize(n);
    for (std::size_t a = 0; a < tree.cells(); ++a) {
      const auto [begin, count] = tree.range(a);
      double longest = 0.0;
      for (std::size_t i = begin; i < begin + count; ++i) {
        cell_of[i] = a;
        longest = std::max(longest, gas.support[i]);
      }
      reach.push_back(longest);
      slack.push_back(0.2 * tree.narrowest(a) * base::uniform(seed, a, 7));
    }
  }

  CellTree tree;
  std::span<const std::uint32_t> order;
  Cloud gas;
  std::vector<std::size_t> cell_of;
  std::vector<double> reach, slack;
};

template <class Visit>
void for_images(const Domain& domain, const Visit& visit) {
  const int most = domain.periodic || domain.mirrored ? 2 : 0;
  const int most_y = domain.dimension > 1 ? most : 0;
  const int most_z = domain.dimension > 2 ? most : 0;
  for (int i = -most; i <= most; ++i) {
    for (int j = -most_y; j <= most_y; ++j) {
      for (int k = -most_z; k <= most_z; ++k) {
        visit(Image{static_cast<std::int8_t>(i), static_cast<std::int8_t>(j), static_cast<std::int8_t>(k)});
      }
    }
  }
}

/// (cell, image) -> within_own_reach of one list.
using Listed = std::map<std::tuple<std::size_t, Image>, bool>;

std::vector<Listed> listed(const CellTree& tree) {
  std::vector<Listed> lists(tree.cells());
  for (std::size_t a = 0; a < tree.cells(); ++a) {
    for (const Neighbour& n : tree.neighbours(a)) {
      EXPECT_TRUE(lists[a].emplace(std::tuple(n.cell, n.image), n.within_own_reach).second) << "listed twice";
    }
    const auto order = [](const Neighbour& n) { return std::tuple(n.cell, n.image); };
    EXPECT_TRUE(std::ranges::is_sorted(tree.neighbours(a), {}, order));
  }
  return lists;
}

/// Distance along one axis of [a, b] and [c, d].
double gap(double a, double b, double c, double d) { return std::max({c - b, a - d, 0.0}); }

double distance(const CellTree& tree, const CellBox& a, const CellBox& b, const Neighbour& through) {
  const auto [sign, shift] = tree.view(through);
  Vec3 d;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(tree.domain().dimension); ++axis) {
    const double first = sign[axis] * b.lower[axis] + shift[axis];
    const double second = sign[axis] * b.upper[axis] + shift[axis];
    d[axis] = gap(a.lower[axis], a.upper[axis], std::min(first, second), std::max(first, second));
  }
  return norm(d);
}

/// Distances of boxes in the tests are sums of a few numbers of the order of 10, each rounded.
constexpr double rounding = 1e-14;

class RefinementCase : public ::testing::TestWithParam<Case> {};

TEST_P(RefinementCase, SortIsAPermutationIntoBoxesAndGroups) {
  const Sorted sorted(GetParam(), 1000, 1);
  const CellTree& tree = sorted.tree;
  std::vector<std::uint32_t> indices(sorted.order.begin(), sorted.order.end());
  std::ranges::sort(indices);
  std::vector<std::uint32_t> all(1000);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(indices, all);
  EXPECT_GT(tree.cells(), static_cast<std::size_t>(tree.shape()[0] * tree.shape()[1] * tree.shape()[2]));  // is refined
  std::size_t next = 0;
  std::size_t groups = 0;
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    EXPECT_EQ(tree.range(c).begin, next);
    EXPECT_EQ(tree.first_group(c), groups);
    EXPECT_EQ(tree.groups(c).back(), tree.range(c).count);
    EXPECT_TRUE(std::ranges::is_sorted(tree.groups(c), std::ranges::less_equal{}));
    groups += tree.groups(c).size() - 1;
    const CellBox box = tree.box(c);
    for (; next < tree.range(c).begin + tree.range(c).count; ++next) {
      const Vec3 at{sorted.gas.x[next], sorted.gas.y[next], sorted.gas.z[next]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_GE(at[axis], box.lower[axis] - rounding);
        EXPECT_LE(at[axis], box.upper[axis] + rounding);
      }
    }
  }
  EXPECT_EQ(next, 1000U);
  EXPECT_EQ(tree.total_groups(), groups);
}

TEST_P(RefinementCase, ListsHoldExactlyTheCellsWithinEitherReach) {
  Sorted sorted(GetParam(), 120, 2);
  CellTree& tree = sorted.tree;
  ASSERT_TRUE(tree.link(sorted.reach, sorted.slack));
  const auto lists = listed(tree);
  std::vector<CellBox> boxes;
  for (std::size_t c = 0; c < tree.cells(); ++c) boxes.push_back(tree.box(c));
  std::size_t entries = 0;
  for (std::size_t a = 0; a < tree.cells(); ++a) {
    for (std::size_t b = 0; b < tree.cells(); ++b) {
      for_images(tree.domain(), [&](const Image& image) {
        const double between = distance(tree, boxes[a], boxes[b], {static_cast<std::uint32_t>(b), image}) -
                               sorted.slack[a] - sorted.slack[b];
        const double furthest = std::max(sorted.reach[a], sorted.reach[b]);
        const auto found = lists[a].find({b, image});
        if (found == lists[a].end()) {
          ASSERT_GT(between, furthest - rounding) << a << " and " << b;
          return;
        }
        ++entries;
        ASSERT_LE(between, furthest + rounding) << a << " and " << b;
        if (std::abs(between - sorted.reach[a]) <= rounding) return;
        EXPECT_EQ(found->second, between < sorted.reach[a]);
      });
    }
    entries -= lists[a].size();
  }
  EXPECT_EQ(entries, 0U);  // no image beyond those searched here
}

/// Moves each particle by the slack of its cell in any direction.
void move(Cloud& gas, const Sorted& sorted) {
  const Domain& domain = sorted.tree.domain();
  for (std::size_t i = 0; i < gas.x.size(); ++i) {
    Vec3 step{base::uniform(5, i, 0) - 0.5, used(domain, 1) * (base::uniform(5, i, 1) - 0.5),
              used(domain, 2) * (base::uniform(5, i, 2) - 0.5)};
    step = (sorted.slack[sorted.cell_of[i]] / norm(step)) * step;
    const auto moved = [&](double value, std::size_t axis) {
      const double there = value + step[axis];
      return domain.mirrored ? reflect(there, domain.origin[axis], domain.size[axis]).value : there;
    };
    gas.x[i] = moved(gas.x[i], 0);
    gas.y[i] = moved(gas.y[i], 1);
    gas.z[i] = moved(gas.z[i], 2);
  }
}

TEST_P(RefinementCase, EveryPairWithinSupportIsFoundAlsoAfterParticlesMoved) {
  for (const std::uint64_t seed : {3U, 4U}) {
    Sorted sorted(GetParam(), 200, seed);
    ASSERT_TRUE(sorted.tree.link(sorted.reach, sorted.slack));
    const auto lists = listed(sorted.tree);
    Cloud gas = sorted.gas;
    move(gas, sorted);
    std::size_t pairs = 0;
    for_images(sorted.tree.domain(), [&](const Image& image) {
      const auto [sign, shift] = sorted.tree.view({0, image});
      for (std::size_t j = 0; j < gas.x.size(); ++j) {
        const Vec3 seen{sign.x * gas.x[j] + shift.x, sign.y * gas.y[j] + shift.y, sign.z * gas.z[j] + shift.z};
        for (std::size_t i = 0; i < gas.x.size(); ++i) {
          const double r = norm(Vec3{gas.x[i], gas.y[i], gas.z[i]} - seen);
          if (!(r < std::max(gas.support[i], gas.support[j]))) continue;
          ++pairs;
          const auto& list = lists[sorted.cell_of[i]];
          const auto found = list.find({sorted.cell_of[j], image});
          ASSERT_NE(found, list.end()) << "particles " << i << " and " << j << " at distance " << r;
          EXPECT_TRUE(found->second || !(r < gas.support[i]));
        }
      }
    });
    EXPECT_GT(pairs, 2 * gas.x.size());
  }
}

TEST_P(RefinementCase, SpreadsTheMaximumOverTheCellsThatTouch) {
  const Sorted sorted(GetParam(), 120, 2);
  const CellTree& tree = sorted.tree;
  const auto spread = tree.spread_maximum(sorted.reach);
  for (std::size_t a = 0; a < tree.cells(); ++a) {
    double largest = 0.0;
    for (std::size_t b = 0; b < tree.cells(); ++b) {
      for_images(tree.domain(), [&](const Image& image) {
        if (distance(tree, tree.box(a), tree.box(b), {0, image}) < rounding) {
          largest = std::max(largest, sorted.reach[b]);
        }
      });
    }
    EXPECT_EQ(spread[a], largest) << "cell " << a;
  }
}

TEST_P(RefinementCase, FindsTheLargestOfWhatMayCome) {
  const Case& c = GetParam();
  const Sorted sorted(c, 300, 6);
  const CellTree& tree = sorted.tree;
  const Cloud& gas = sorted.gas;
  constexpr double travel = 0.3;
  const auto bound = tree.largest_nearby({gas.x, gas.y, gas.z}, gas.support, travel);
  for (std::size_t a = 0; a < tree.cells(); ++a) {
    EXPECT_GE(bound[a], sorted.reach[a]);
    EXPECT_LE(bound[a], *std::ranges::max_element(gas.support));
  }
  // Particles that travel as far as they may, in any direction, end in cells that expect them.
  Cloud moved = gas;
  for (std::size_t i = 0; i < moved.x.size(); ++i) {
    const double length = travel * tree.narrowest(sorted.cell_of[i]);
    const std::array<double, 3> step{base::uniform(9, i, 0) - 0.5, used(c.domain, 1) * (base::uniform(9, i, 1) - 0.5),
                                     used(c.domain, 2) * (base::uniform(9, i, 2) - 0.5)};
    const double scale = 0.999 * length / std::hypot(step[0], step[1], step[2]);
    const auto go = [&](double value, std::size_t axis) {
      const double origin = c.domain.origin[axis];
      const double size = c.domain.size[axis];
      const double there = value + scale * step[axis];
      if (c.domain.periodic) return wrap(there, origin, size);
      if (c.domain.mirrored) return reflect(there, origin, size).value;
      return std::clamp(there, origin, origin + size);
    };
    moved.x[i] = go(moved.x[i], 0);
    moved.y[i] = go(moved.y[i], 1);
    moved.z[i] = go(moved.z[i], 2);
  }
  CellTree later = tree;
  const auto order = later.sort(moved.x, moved.y, moved.z, moved.id);
  for (std::size_t a = 0; a < later.cells(); ++a) {
    const auto [begin, count] = later.range(a);
    for (std::size_t i = begin; i < begin + count; ++i) EXPECT_LE(gas.support[order[i]], bound[a]);
  }
}

TEST_P(RefinementCase, ComesBackFromWhatItStored) {
  const Case& c = GetParam();
  Sorted sorted(c, 500, 4);
  CellTree& tree = sorted.tree;
  auto back = CellTree::restore(c.domain, tree.stored(), 500);
  ASSERT_TRUE(back.has_value());
  ASSERT_EQ(back->cells(), tree.cells());
  ASSERT_TRUE(tree.link(sorted.reach, sorted.slack));
  ASSERT_TRUE(back->link(sorted.reach, sorted.slack));
  EXPECT_EQ(listed(*back), listed(tree));
  EXPECT_EQ(back->total_groups(), tree.total_groups());
  for (std::size_t cell = 0; cell < tree.cells(); ++cell) {
    EXPECT_EQ(back->range(cell).begin, tree.range(cell).begin);
    EXPECT_EQ(back->range(cell).count, tree.range(cell).count);
    EXPECT_TRUE(std::ranges::equal(back->groups(cell), tree.groups(cell)));
  }
  const Cloud other = testing::clustered_cloud(c.domain, 600, c.longest, 5);
  EXPECT_TRUE(std::ranges::equal(back->sort(other.x, other.y, other.z, other.id),
                                 tree.sort(other.x, other.y, other.z, other.id)));
}

TEST_P(RefinementCase, DependsNotOnTheOrderOfParticles) {
  const Case& c = GetParam();
  const Sorted sorted(c, 500, 4);
  // The sorted particles as they come, which is another order than that in which they were made.
  const Cloud& gas = sorted.gas;
  CellTree other(c.domain, c.width, 10000, 3);
  other.refine(gas.x, gas.y, gas.z, gas.support, most_per_cell);
  std::vector<std::uint32_t> all(500);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_TRUE(std::ranges::equal(other.sort(gas.x, gas.y, gas.z, gas.id), all));
  EXPECT_EQ(other.stored().levels, sorted.tree.stored().levels);
  EXPECT_EQ(other.stored().group_sizes, sorted.tree.stored().group_sizes);
}

INSTANTIATE_TEST_SUITE_P(Domains, RefinementCase, ::testing::ValuesIn(cases));

TEST(Refinement, ForgetsEarlierSplits) {
  const Domain domain{{}, {1, 1, 1}, true};
  CellTree tree(domain, 0.5, 100);
  const Cloud cloud = testing::clustered_cloud(domain, 300, 0.1, 1);
  tree.refine(cloud.x, cloud.y, cloud.z, cloud.support, 10);
  EXPECT_GT(tree.cells(), 8U);
  static_cast<void>(tree.sort(cloud.x, cloud.y, cloud.z, cloud.id));
  const std::vector<double> wide(300, 0.1);
  tree.refine(cloud.x, cloud.y, cloud.z, wide, 300);
  EXPECT_EQ(tree.cells(), 8U);
  EXPECT_EQ(tree.narrowest(7), 0.5);
  EXPECT_EQ(tree.range(7).count, 0U);
  EXPECT_EQ(tree.total_groups(), 0U);
  EXPECT_TRUE(tree.neighbours(7).empty());
}

TEST(Refinement, RefusesStoredTreesThatDoNotFit) {
  using Numbers = std::vector<std::uint64_t>;
  const auto accepts = [](int dimension, const std::array<int, 3>& shape, const Numbers& levels) {
    Numbers counts(levels.size(), 0);
    counts.back() = 1;
    return CellTree::restore({{}, {1, 1, 1}, true, dimension}, {shape, 12, levels, counts, {1}}, 1).has_value();
  };
  EXPECT_TRUE(accepts(1, {2, 1, 1}, {1, 1, 0}));
  EXPECT_TRUE(accepts(2, {1, 1, 1}, {1, 1, 1, 1}));
  EXPECT_FALSE(accepts(2, {2, 1, 1}, {1, 1, 0}));
  EXPECT_FALSE(accepts(1, {3, 1, 1}, {1, 1, 0}));
  EXPECT_FALSE(accepts(1, {2, 1, 1}, {0, 0, 0}));
  EXPECT_FALSE(accepts(1, {2, 1, 1}, {1, 0, 1}));
  EXPECT_FALSE(accepts(1, {2, 1, 1}, {~0ULL, 1, 0}));
  EXPECT_FALSE(accepts(1, {2, 2, 1}, {0, 0, 0, 0}));  // two layers along an axis that is not used
  const Numbers one{1};
  EXPECT_FALSE(CellTree::restore({{}, {1, 1, 1}, true, 1}, {{1, 1, 1}, 12, {}, one, one}, 1).has_value());
}

TEST(Refinement, RefusesAbsurdLists) {
  CellTree tree({{}, {1, 0.5, 1}, true}, 0.25, 1000);
  std::vector<double> reach(tree.cells(), 0.1);
  ASSERT_TRUE(tree.link(reach, 0.0));
  for (const double absurd : {4.1, 1e300, std::numeric_limits<double>::infinity()}) {
    reach[3] = absurd;
    EXPECT_FALSE(tree.link(reach, 0.0));
    EXPECT_TRUE(tree.neighbours(0).empty());
    reach[3] = 0.1;
    EXPECT_FALSE(tree.link(reach, absurd));
  }
  ASSERT_TRUE(tree.link(reach, 0.0));
  // An open domain has no images, but all of its cells may be listed by all.
  CellTree open({{}, {1, 1, 1}, false}, 0.05, 10000);
  reach.assign(open.cells(), 0.1);
  reach[3] = 1e300;
  EXPECT_TRUE(open.link(reach, 0.0));
  EXPECT_EQ(open.neighbours(3).size(), open.cells());
  reach.assign(open.cells(), 1e300);
  EXPECT_GT(open.cells() * open.cells(), CellTree::most_neighbours(open.cells()));
  trace::Recorder recorder(2, 16);
  tasks::Scheduler workers({.workers = 2, .pin = false}, recorder);  // who have too many only together
  EXPECT_FALSE(open.link(reach, 0.0, &workers));
  EXPECT_TRUE(open.neighbours(3).empty());
}

}  // namespace
}  // namespace tacit::particles::refinement_test
