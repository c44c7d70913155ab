// Sorting into cells that are not split and the lists of neighbours, compared with a search through everything.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <span>
#include <tuple>
#include <vector>

#include "clouds.hpp"
#include "tacit/base/random.hpp"
#include "tacit/particles/cell_tree.hpp"

namespace tacit::particles::cell_tree_test {
namespace {

using base::Vec3;

using testing::Cloud;
using testing::random_cloud;
using testing::reordered;
using testing::used;

struct Case {
  const char* name;
  Domain domain;
  double width;
  double shortest_reach, longest_reach;  ///< cells get reaches between these
  double slack;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const std::array cases{
    Case{"one periodic cell", {{}, {1, 1, 1}, true}, 2.0, 0.2, 0.7, 0.0},
    Case{"one periodic cell that sees its second images", {{}, {1, 1, 1}, true}, 2.0, 0.2, 1.4, 0.05},
    Case{"two cells per side", {{-1, 2, 0}, {1, 1, 1}, true}, 0.45, 0.1, 0.5, 0.01},
    Case{"three cells per side", {{}, {1, 1, 1}, true}, 0.3, 0.1, 0.3, 0.02},
    Case{"small cells, long reach", {{}, {1, 1, 1}, true}, 0.19, 0.05, 0.6, 0.01},
    Case{"thin box", {{}, {2.0, 0.3, 0.11}, true}, 0.1, 0.05, 0.25, 0.01},
    Case{"flat box of one layer", {{}, {1.0, 1.0, 0.12}, true}, 0.2, 0.1, 0.3, 0.0},
    Case{"open", {{-1, -1, -1}, {2, 1, 1.5}, false}, 0.3, 0.1, 0.5, 0.01},
    Case{"open, reach beyond the domain", {{}, {1, 1, 1}, false}, 0.3, 0.2, 5.0, 0.1},
    Case{"open, one cell", {{}, {1, 2, 1}, false}, 3.0, 0.2, 1.0, 0.0},
    Case{"periodic line", {{-1, 0, 0}, {2, 1, 1}, true, 1}, 0.07, 0.02, 0.3, 0.005},
    Case{"open line", {{-1, 0, 0}, {2, 1, 1}, false, 1}, 0.07, 0.02, 0.3, 0.005},
    Case{"periodic area", {{}, {1, 0.7, 0.01}, true, 2}, 0.12, 0.05, 0.3, 0.01},
    Case{"line between mirrors", {{-1, 0, 0}, {2, 1, 1}, false, 1, true}, 0.07, 0.02, 0.3, 0.005},
    Case{"area between mirrors", {{1, -3, 0}, {1, 0.7, 0.01}, false, 2, true}, 0.12, 0.05, 0.3, 0.01},
    Case{"mirrors around one cell", {{0, -2, 3}, {1, 1, 1}, false, 3, true}, 2.0, 0.2, 1.4, 0.05},
    Case{"mirrors around three cells per side", {{0, -2, 3}, {1, 1, 1}, false, 3, true}, 0.3, 0.1, 0.4, 0.02},
};

std::vector<double> random_reaches(const Case& c, std::size_t cells) {
  std::vector<double> reach(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const double u = base::uniform(77, i, 0);
    reach[i] = c.shortest_reach + (c.longest_reach - c.shortest_reach) * u * u;
  }
  return reach;
}

std::array<int, 3> index_of(const CellTree& grid, std::size_t cell) {
  std::array<int, 3> index{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid.domain().dimension); ++axis) {
    const double cells = (grid.box(cell).lower[axis] - grid.domain().origin[axis]) / grid.cell_size()[axis];
    index[axis] = static_cast<int>(std::lround(cells));
  }
  return index;
}

/// How many cells the image of `there` lies from `here` along one axis.
int offset_along(const CellTree& grid, std::size_t axis, int here, int there, int image) {
  const int n = grid.shape()[axis];
  const bool is_turned = grid.domain().mirrored && image % 2 != 0;
  return (is_turned ? n - 1 - there : there) + image * n - here;
}

/// Distance between two cells as boxes, the second as seen through `image`.
double distance(const CellTree& grid, std::size_t a, std::size_t b, const std::array<int, 3>& image) {
  const auto here = index_of(grid, a);
  const auto there = index_of(grid, b);
  Vec3 d;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int offset = offset_along(grid, axis, here[axis], there[axis], image[axis]);
    d[axis] = grid.cell_size()[axis] * std::max(std::abs(offset) - 1, 0);
  }
  return norm(d);
}

template <class Visit>
void for_images(const Domain& domain, const Visit& visit) {
  const int most = domain.periodic || domain.mirrored ? 3 : 0;
  const int most_y = domain.dimension > 1 ? most : 0;
  const int most_z = domain.dimension > 2 ? most : 0;
  for (int i = -most; i <= most; ++i) {
    for (int j = -most_y; j <= most_y; ++j) {
      for (int k = -most_z; k <= most_z; ++k) visit(std::array<int, 3>{i, j, k});
    }
  }
}

/// (cell, image) -> within_own_reach of one list.
using Listed = std::map<std::tuple<std::size_t, int, int, int>, bool>;

Listed listed(const CellTree& grid, std::size_t cell) {
  Listed result;
  for (const Neighbour& n : grid.neighbours(cell)) {
    const bool is_new =
        result.emplace(std::tuple(n.cell, n.image[0], n.image[1], n.image[2]), n.within_own_reach).second;
    EXPECT_TRUE(is_new) << "cell " << cell << " lists " << n.cell << " twice through one image";
  }
  return result;
}

class CellTreeCase : public ::testing::TestWithParam<Case> {};

TEST_P(CellTreeCase, ListsHoldExactlyTheCellsWithinEitherReach) {
  const Case& c = GetParam();
  CellTree grid(c.domain, c.width, 10000);
  const auto reach = random_reaches(c, grid.cells());
  ASSERT_TRUE(grid.link(reach, c.slack));
  std::size_t entries = 0;
  for (std::size_t a = 0; a < grid.cells(); ++a) {
    const Listed list = listed(grid, a);
    std::size_t expected = 0;
    for (std::size_t b = 0; b < grid.cells(); ++b) {
      for_images(c.domain, [&](const std::array<int, 3>& image) {
        const double gap = distance(grid, a, b, image);
        const bool own = gap <= reach[a] + 2.0 * c.slack;
        const bool either = own || gap <= reach[b] + 2.0 * c.slack;
        const auto found = list.find({b, image[0], image[1], image[2]});
        ASSERT_EQ(found != list.end(), either) << a << " and " << b << ", gap " << gap;
        EXPECT_EQ(either && found->second, own);
        expected += either ? 1U : 0U;
      });
    }
    EXPECT_EQ(list.size(), expected);  // no image beyond those searched here
    entries += expected;
    const auto order = [](const Neighbour& n) { return std::tuple(n.cell, n.image); };
    EXPECT_TRUE(std::ranges::is_sorted(grid.neighbours(a), {}, order));
  }
  EXPECT_GE(entries, grid.cells());
}

TEST_P(CellTreeCase, EveryPairWithinReachIsFoundAlsoAfterParticlesMoved) {
  const Case& c = GetParam();
  CellTree grid(c.domain, c.width, 10000);
  const Cloud cloud = random_cloud(c.domain, 60, 3);
  Cloud moved = reordered(cloud, grid.sort(cloud.x, cloud.y, cloud.z, cloud.id));
  const auto reach = random_reaches(c, grid.cells());
  ASSERT_TRUE(grid.link(reach, c.slack));
  for (std::size_t i = 0; i < moved.x.size(); ++i) {
    Vec3 step{base::uniform(5, i, 0) - 0.5, used(c.domain, 1) * (base::uniform(5, i, 1) - 0.5),
              used(c.domain, 2) * (base::uniform(5, i, 2) - 0.5)};
    step = (c.slack / norm(step)) * step;
    moved.x[i] += step.x;
    moved.y[i] += step.y;
    moved.z[i] += step.z;
    if (!c.domain.mirrored) continue;
    moved.x[i] = reflect(moved.x[i], c.domain.origin.x, c.domain.size.x).value;
    moved.y[i] = reflect(moved.y[i], c.domain.origin.y, c.domain.size.y).value;
    moved.z[i] = reflect(moved.z[i], c.domain.origin.z, c.domain.size.z).value;
  }
  std::vector<std::size_t> cell_of(moved.x.size());
  std::vector<Listed> lists;
  for (std::size_t a = 0; a < grid.cells(); ++a) {
    lists.push_back(listed(grid, a));
    for (std::size_t i = 0; i < grid.range(a).count; ++i) cell_of[grid.range(a).begin + i] = a;
  }
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < moved.x.size(); ++i) {
    for (std::size_t j = 0; j < moved.x.size(); ++j) {
      for_images(c.domain, [&](const std::array<int, 3>& image) {
        const Neighbour through{static_cast<std::uint32_t>(cell_of[j]),
                                {static_cast<std::int8_t>(image[0]), static_cast<std::int8_t>(image[1]),
                                 static_cast<std::int8_t>(image[2])}};
        const auto [sign, shift] = grid.view(through);
        const double r =
            norm(Vec3{moved.x[i] - sign.x * moved.x[j] - shift.x, moved.y[i] - sign.y * moved.y[j] - shift.y,
                      moved.z[i] - sign.z * moved.z[j] - shift.z});
        const bool own = r < reach[cell_of[i]];
        if (!own && !(r < reach[cell_of[j]])) return;
        ++pairs;
        const auto& list = lists[cell_of[i]];
        const auto found = list.find({cell_of[j], image[0], image[1], image[2]});
        ASSERT_NE(found, list.end()) << "particles " << i << " and " << j << " at distance " << r;
        EXPECT_TRUE(!own || found->second);
      });
    }
  }
  EXPECT_GT(pairs, moved.x.size());
}

void expect_permutation(std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> indices(order.begin(), order.end());
  std::ranges::sort(indices);
  std::vector<std::uint32_t> all(order.size());
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(indices, all);
}

TEST_P(CellTreeCase, SortIsAPermutationByCell) {
  const Case& c = GetParam();
  CellTree grid(c.domain, c.width, 10000, 9);
  const Cloud cloud = random_cloud(c.domain, 1000, 9);
  EXPECT_TRUE(grid.holds(cloud.x, cloud.y, cloud.z));
  const auto order = grid.sort(cloud.x, cloud.y, cloud.z, cloud.id);
  expect_permutation(order);

  const Cloud sorted = reordered(cloud, order);
  std::size_t next = 0;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const auto [begin, count] = grid.range(cell);
    EXPECT_EQ(begin, next);
    next += count;
    const auto index = index_of(grid, cell);
    for (std::size_t i = begin; i < next; ++i) {
      const Vec3 at{sorted.x[i], sorted.y[i], sorted.z[i]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = c.domain.origin[axis] + index[axis] * grid.cell_size()[axis];
        // The position's place in the cells is a rounded quotient: it may err by a few ulp of the domain.
        const double error = 4e-16 * (std::abs(c.domain.origin[axis]) + c.domain.size[axis]);
        EXPECT_GE(at[axis], low - error);
        EXPECT_LE(at[axis], low + grid.cell_size()[axis] + error);
      }
    }
  }
  EXPECT_EQ(next, 1000U);
}

/// Whether two boxes have no more than faces in common.
bool are_apart(const CellBox& a, const CellBox& b, int dimension) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    if (a.upper[axis] <= b.lower[axis] || b.upper[axis] <= a.lower[axis]) return true;
  }
  return false;
}

CellBox box_around(const Cloud& cloud, std::size_t begin, std::size_t end) {
  CellBox box;
  const std::array<const std::vector<double>*, 3> positions{&cloud.x, &cloud.y, &cloud.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto values = std::span(*positions[axis]).subspan(begin, end - begin);
    box.lower[axis] = std::ranges::min(values);
    box.upper[axis] = std::ranges::max(values);
  }
  return box;
}

TEST_P(CellTreeCase, GroupsAreBoxesApartInTheOrderOfIds) {
  const Case& c = GetParam();
  constexpr std::size_t per_group = 4;  // so few that the fullest sub-cell is one group
  CellTree grid(c.domain, c.width, 10000, per_group);
  const Cloud cloud = random_cloud(c.domain, 3000, 9);
  const Cloud sorted = reordered(cloud, grid.sort(cloud.x, cloud.y, cloud.z, cloud.id));
  std::size_t total = 0;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const auto [begin, count] = grid.range(cell);
    const auto groups = grid.groups(cell);
    EXPECT_EQ(grid.first_group(cell), total);
    total += groups.size() - 1;
    EXPECT_EQ(groups.front(), 0U);
    EXPECT_EQ(groups.back(), count);
    std::vector<CellBox> boxes;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      EXPECT_GE(groups[g + 1] - groups[g], 1U);
      EXPECT_LE(groups[g + 1] - groups[g], Groups::most_per_group);
      const auto ids = std::span(sorted.id).subspan(begin + groups[g], groups[g + 1] - groups[g]);
      EXPECT_TRUE(std::ranges::is_sorted(ids));
      boxes.push_back(box_around(sorted, begin + groups[g], begin + groups[g + 1]));
      for (std::size_t other = 0; other < g; ++other)
        EXPECT_TRUE(are_apart(boxes[other], boxes[g], c.domain.dimension));
    }
    // The number of sub-cells is at least two thirds of what was asked for, and at most three halves: the last side is
    // cut into the whole number next to what the others left, and 1.5 is the worst. Sub-cells may be empty.
    EXPECT_LE(static_cast<double>(groups.size() - 1), std::max(1.0, 1.5 * static_cast<double>(count) / per_group));
  }
  EXPECT_EQ(grid.total_groups(), total);
  EXPECT_GE(total, grid.cells() < 100 ? 3000U / 12U : grid.cells() / 2);
}

TEST_P(CellTreeCase, ComesBackFromWhatItStored) {
  const Case& c = GetParam();
  CellTree grid(c.domain, c.width, 10000, 9);
  const Cloud cloud = random_cloud(c.domain, 500, 4);
  static_cast<void>(grid.sort(cloud.x, cloud.y, cloud.z, cloud.id));
  auto back = CellTree::restore(c.domain, grid.stored(), 500);
  ASSERT_TRUE(back.has_value());
  const auto reach = random_reaches(c, grid.cells());
  ASSERT_TRUE(grid.link(reach, c.slack));
  ASSERT_TRUE(back->link(reach, c.slack));
  EXPECT_EQ(back->cell_size(), grid.cell_size());
  EXPECT_EQ(back->total_groups(), grid.total_groups());
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    EXPECT_EQ(back->range(cell).begin, grid.range(cell).begin);
    EXPECT_EQ(back->range(cell).count, grid.range(cell).count);
    EXPECT_EQ(back->first_group(cell), grid.first_group(cell));
    EXPECT_TRUE(std::ranges::equal(back->groups(cell), grid.groups(cell)));
    EXPECT_EQ(listed(*back, cell), listed(grid, cell));
  }
  // What is sorted later comes in the same order, too.
  const Cloud other = random_cloud(c.domain, 500, 5);
  EXPECT_TRUE(std::ranges::equal(back->sort(other.x, other.y, other.z, other.id),
                                 grid.sort(other.x, other.y, other.z, other.id)));
}

TEST_P(CellTreeCase, SpreadsTheMaximumOverTheCellsAround) {
  const Case& c = GetParam();
  const CellTree grid(c.domain, c.width, 10000);
  const auto values = random_reaches(c, grid.cells());
  const auto spread = grid.spread_maximum(values);
  for (std::size_t a = 0; a < grid.cells(); ++a) {
    double largest = 0.0;
    for (std::size_t b = 0; b < grid.cells(); ++b) {
      for_images(c.domain, [&](const std::array<int, 3>& image) {
        const auto here = index_of(grid, a);
        const auto there = index_of(grid, b);
        bool touches = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          touches = touches && std::abs(offset_along(grid, axis, here[axis], there[axis], image[axis])) <= 1;
        }
        if (touches) largest = std::max(largest, values[b]);
      });
    }
    EXPECT_EQ(spread[a], largest) << "cell " << a;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, CellTreeCase, ::testing::ValuesIn(cases));

TEST(CellTree, CellsAreAtLeastAsWideAsAskedAndNotTooMany) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto random_length = [i](std::uint64_t draw) {
      return std::pow(10.0, 6.0 * base::uniform(2, i, draw) - 3.0);
    };
    const Domain domain{{}, {random_length(0), random_length(1), random_length(2)}, true};
    const double width = random_length(3);
    const auto most = static_cast<std::size_t>(1.0 + 5000.0 * base::uniform(2, i, 4));
    const CellTree grid(domain, width, most);
    EXPECT_LE(grid.cells(), most);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // One cell is as wide as the domain, however narrow; the quotient of the others may err by an ulp.
      EXPECT_TRUE(grid.shape()[axis] == 1 || grid.cell_size()[axis] >= width * (1.0 - 1e-15));
    }
  }
}

TEST(CellTree, SeesPeriodicImagesMovedAndReflectedOnesTurned) {
  const CellTree periodic({{-1, 0, 0}, {2, 3, 4}, true}, 1.0, 100);
  EXPECT_EQ(periodic.view({0, {1, -2, 0}, true}).sign, (Vec3{1.0, 1.0, 1.0}));
  EXPECT_EQ(periodic.view({0, {1, -2, 0}, true}).shift, (Vec3{2.0, -6.0, 0.0}));
  const CellTree mirrors({{-1, 0, 0}, {2, 3, 4}, false, 3, true}, 1.0, 100);
  // Mirrors at x = -1 (x -> -2 - x) and at x = 1 (x -> 2 - x); twice reflected is moved by twice the size.
  const View lower = mirrors.view({0, {-1, 2, 0}, true});
  EXPECT_EQ(lower.sign, (Vec3{-1.0, 1.0, 1.0}));
  EXPECT_EQ(lower.shift, (Vec3{-2.0, 6.0, 0.0}));
  EXPECT_EQ(mirrors.view({0, {1, 0, 0}, true}).shift, (Vec3{2.0, 0.0, 0.0}));
}

TEST(CellTree, UsesOneLayerAlongUnusedAxes) {
  const CellTree line({{}, {1, 1, 1}, true, 1}, 0.01, 10000);
  EXPECT_EQ(line.shape(), (std::array{100, 1, 1}));
  EXPECT_EQ(line.narrowest(7), 0.01);
  const CellTree area({{}, {1, 0.5, 1e-9}, true, 2}, 0.1, 10000);
  EXPECT_EQ(area.shape(), (std::array{10, 5, 1}));
  EXPECT_EQ(area.narrowest(7), 0.1);
}

TEST(CellTree, HoldsTheHalfOpenBox) {
  const CellTree grid({{-1, 0, 0}, {2, 1, 1}, false}, 0.5, 100);
  const std::array<double, 1> inside{0.5};
  const auto holds_x = [&](double x) { return grid.holds(std::array{x}, inside, inside); };
  EXPECT_TRUE(holds_x(-1.0));
  EXPECT_TRUE(holds_x(std::nextafter(1.0, 0.0)));
  EXPECT_FALSE(holds_x(1.0));
  EXPECT_FALSE(holds_x(std::nextafter(-1.0, -2.0)));
  EXPECT_FALSE(holds_x(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(grid.holds(inside, inside, std::array{1.0}));
}

TEST(CellTree, NeighbouringGroupsTouch) {
  // One particle in the middle of each of 4 x 3 x 2 sub-cells: consecutive ones lie one sub-cell apart.
  CellTree grid({{}, {4, 3, 2}, true}, 5.0, 1, 1);
  Cloud cloud;
  for (std::uint64_t i = 0; i < 24; ++i) {
    const std::uint64_t layer = i / 12;
    const std::uint64_t row = i % 12 / 4;
    cloud.x.push_back(static_cast<double>(i % 4) + 0.5);
    cloud.y.push_back(static_cast<double>(row) + 0.5);
    cloud.z.push_back(static_cast<double>(layer) + 0.5);
    cloud.id.push_back(i);
  }
  const Cloud sorted = reordered(cloud, grid.sort(cloud.x, cloud.y, cloud.z, cloud.id));
  EXPECT_EQ(grid.total_groups(), 24U);
  for (std::size_t i = 1; i < 24; ++i) {
    const Vec3 step{sorted.x[i] - sorted.x[i - 1], sorted.y[i] - sorted.y[i - 1], sorted.z[i] - sorted.z[i - 1]};
    EXPECT_EQ(norm(step), 1.0);  // exact in binary
  }
}

TEST(CellTree, CutsCrowdedSubCellsIntoEvenRuns) {
  const auto sizes_of = [](std::size_t n) {
    CellTree grid({{}, {1, 1, 1}, true}, 2.0, 1);
    const std::vector<double> at(n, 0.25);  // all in one sub-cell
    std::vector<std::uint64_t> id(n);
    std::iota(id.begin(), id.end(), 0U);
    static_cast<void>(grid.sort(at, at, at, id));
    return grid.stored().group_sizes;
  };
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(sizes_of(32), (Sizes{32}));
  EXPECT_EQ(sizes_of(33), (Sizes{16, 17}));
  EXPECT_EQ(sizes_of(100), (Sizes{25, 25, 25, 25}));
}

TEST(CellTree, SortsNoParticlesAndOne) {
  CellTree grid({{}, {1, 1, 1}, true}, 0.3, 100);
  const std::array<std::uint32_t, 1> nothing{0};
  EXPECT_TRUE(std::ranges::equal(grid.groups(3), nothing));  // also before the first sort
  EXPECT_TRUE(grid.sort({}, {}, {}, {}).empty());
  EXPECT_EQ(grid.range(grid.cells() - 1).count, 0U);
  EXPECT_TRUE(std::ranges::equal(grid.groups(3), nothing));
  const std::array at{std::nextafter(1.0, 0.0)};
  const std::array<std::uint64_t, 1> id{7};
  EXPECT_TRUE(std::ranges::equal(grid.sort(at, at, at, id), std::array<std::uint32_t, 1>{0}));
  EXPECT_EQ(grid.range(grid.finder()(at[0], at[0], at[0]).leaf).count, 1U);
  EXPECT_EQ(grid.total_groups(), 1U);
}

TEST(CellTree, RefusesStoredNumbersThatDoNotFit) {
  const Domain box{{}, {1, 1, 1}, true};
  using Counts = std::vector<std::uint64_t>;
  using Shape = std::array<int, 3>;
  const auto accepts = [](const Domain& domain, const Shape& shape, const Counts& counts, std::size_t particles) {
    Counts groups;  // some of those asked for by absurd counts would fill the memory
    for (const std::uint64_t count : counts) groups.insert(groups.end(), std::min<std::uint64_t>(count, 100), 1);
    return CellTree::restore(domain, {shape, 12, Counts(counts.size(), 0), counts, groups}, particles).has_value();
  };
  EXPECT_TRUE(accepts(box, {2, 1, 1}, {3, 4}, 7));
  EXPECT_FALSE(accepts(box, {2, 1, 1}, {3, 4}, 8));
  EXPECT_FALSE(accepts(box, {2, 1, 1}, {3, 4}, 6));
  EXPECT_FALSE(accepts(box, {2, 2, 1}, {3, 4}, 7));
  EXPECT_FALSE(accepts(box, {1, 1, 1}, {3, 4}, 7));
  EXPECT_FALSE(accepts(box, {-2, -1, 1}, {3, 4}, 7));
  EXPECT_FALSE(accepts(box, {0, 1, 1}, {}, 0));
  // Counts whose sum wraps around to the right number.
  EXPECT_FALSE(accepts(box, {2, 1, 1}, {~0ULL, 8}, 7));
  EXPECT_FALSE(accepts(box, {2, 1, 1}, {8, ~0ULL}, 7));
  constexpr int huge = 2'000'000'000;
  EXPECT_FALSE(accepts(box, {huge, huge, huge}, {3, 4}, 7));
  EXPECT_FALSE(accepts({{}, {1, 0, 1}, true}, {2, 1, 1}, {3, 4}, 7));
  EXPECT_FALSE(accepts({{}, {1, NAN, 1}, true}, {2, 1, 1}, {3, 4}, 7));
}

TEST(CellTree, RefusesStoredGroupsThatDoNotFit) {
  using Sizes = std::vector<std::uint64_t>;
  const auto accepts = [](std::uint64_t per_group, const Sizes& sizes) {
    return CellTree::restore({{}, {1, 1, 1}, true}, {{2, 1, 1}, per_group, {0, 0}, {3, 40}, sizes}, 43).has_value();
  };
  EXPECT_TRUE(accepts(8, {3, 20, 20}));
  EXPECT_TRUE(accepts(8, {1, 2, 8, 32}));
  EXPECT_FALSE(accepts(8, {}));
  EXPECT_FALSE(accepts(8, {3, 40}));             // a group too large
  EXPECT_FALSE(accepts(8, {3, 20}));             // some without a group
  EXPECT_FALSE(accepts(8, {3, 20, 20, 1}));      // more than there are
  EXPECT_FALSE(accepts(8, {4, 20, 19}));         // across cells
  EXPECT_FALSE(accepts(8, {3, 20, 0, 20}));      // empty
  EXPECT_FALSE(accepts(8, {3, 20, 21, ~0ULL}));  // wraps around
  EXPECT_FALSE(accepts(0, {3, 20, 20}));
}

}  // namespace
}  // namespace tacit::particles::cell_tree_test
