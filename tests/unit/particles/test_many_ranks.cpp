// Cells of which each rank has some: the same trees, and together the same cells, groups and lists as on one rank.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <numeric>
#include <tuple>
#include <vector>

#include "clouds.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/particles/spacing.hpp"
#include "tacit/particles/split.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::particles::many_ranks_test {
namespace {

using testing::Cloud;

constexpr std::size_t per_cell = 40;

Domain domain_of(int dimension, bool periodic) { return {{-1.0, 0.5, 2.0}, {2.0, 1.5, 1.0}, periodic, dimension}; }

/// All that is known of a cell, in numbers of leaves.
struct Known {
  std::vector<std::uint64_t> ids;
  std::vector<std::uint32_t> groups;
  std::vector<std::tuple<std::size_t, Image, bool>> neighbours;
  friend bool operator==(const Known&, const Known&) = default;
};
using Cells = std::map<std::size_t, Known>;

Cells known_of(const CellTree& tree, const Cloud& sorted) {
  Cells cells;
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    Known& known = cells[tree.leaf(c)];
    const auto [begin, count] = tree.range(c);
    for (std::size_t i = begin; i < begin + count; ++i) known.ids.push_back(sorted.id[i]);
    known.groups.assign(tree.groups(c).begin(), tree.groups(c).end());
    for (const Neighbour& n : tree.neighbours(c)) {
      known.neighbours.emplace_back(tree.leaf(n.cell), n.image, n.within_own_reach);
    }
  }
  return cells;
}

/// Every leaf's reach differs, and so does its slack.
std::vector<double> some_lengths(std::size_t leaves, std::uint64_t seed) {
  std::vector<double> lengths;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) lengths.push_back(0.05 + 0.2 * base::uniform(seed, leaf, 0));
  return lengths;
}

Cloud part_of(const Cloud& cloud, const std::vector<std::uint32_t>& chosen) {
  return testing::reordered(cloud, chosen);
}

/// The cells of one rank of several, which has the particles whose leaves it owns; at first it has others.
Cells cells_of_rank(comm::Communicator& world, const Domain& domain, const Cloud& cloud) {
  const std::size_t own = comm::number(world.rank());
  CellTree tree(domain, 0.4, 1000);
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < cloud.x.size(); ++i) {
    if (i % world.size() == own) first.push_back(i);
  }
  const Cloud some = part_of(cloud, first);
  tree.refine(some.x, some.y, some.z, some.support, per_cell, &world);
  const auto owner_of = [&](std::size_t leaf) { return (leaf / 3) % world.size(); };
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    if (owner_of(leaf) == own) leaves.push_back(leaf);
  }
  tree.own(leaves);
  const auto find = tree.finder();
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < cloud.x.size(); ++i) {
    if (owner_of(find(cloud.x[i], cloud.y[i], cloud.z[i]).leaf) == own) chosen.push_back(i);
  }
  const Cloud mine = part_of(cloud, chosen);
  const auto order = tree.sort(mine.x, mine.y, mine.z, mine.id);
  const Cloud sorted = testing::reordered(mine, order);
  std::vector<double> reach = tree.largest_nearby({sorted.x, sorted.y, sorted.z}, sorted.support, 0.1);
  exchange::take_largest(world, std::span<double>(reach));
  EXPECT_TRUE(tree.link(reach, some_lengths(tree.leaves(), 2)));
  // Copies stand behind the cells, by leaf, and none is a cell of this rank.
  for (std::size_t c = tree.cells(); c < tree.all_cells(); ++c) {
    EXPECT_NE(owner_of(tree.leaf(c)), own);
    EXPECT_TRUE(c == tree.cells() || tree.leaf(c) > tree.leaf(c - 1));
  }
  return known_of(tree, sorted);
}

}  // namespace

TEST(ManyRanks, HaveTheCellsAndListsOfOne) {
  for (const int dimension : {1, 2, 3}) {
    for (const bool periodic : {true, false}) {
      const Domain domain = domain_of(dimension, periodic);
      const Cloud cloud = testing::clustered_cloud(domain, 2000, 0.3, 5);
      Cells alone;
      comm::testing::on_ranks(1, [&](comm::Communicator& world) { alone = cells_of_rank(world, domain, cloud); });
      CellTree tree(domain, 0.4, 1000);
      tree.refine(cloud.x, cloud.y, cloud.z, cloud.support, per_cell);
      EXPECT_EQ(alone.size(), tree.leaves());
      for (const std::size_t ranks : {2U, 3U}) {
        Cells together;
        std::mutex lock;
        comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
          Cells mine = cells_of_rank(world, domain, cloud);
          const std::scoped_lock guard(lock);
          together.merge(mine);
        });
        EXPECT_EQ(together, alone) << dimension << ", " << ranks;
      }
    }
  }
}

TEST(ManyRanks, CopiesHaveRangesAndGroups) {
  const Domain domain = domain_of(3, true);
  const Cloud cloud = testing::random_cloud(domain, 400, 1);
  CellTree tree(domain, 0.5, 1000);
  static_cast<void>(tree.sort(cloud.x, cloud.y, cloud.z, cloud.id));
  const std::vector<std::uint32_t> groups_of_first(tree.groups(0).begin(), tree.groups(0).end());
  tree.own(std::vector<std::uint32_t>{0});
  ASSERT_EQ(tree.cells(), 1U);
  EXPECT_EQ(std::vector<std::uint32_t>(tree.groups(0).begin(), tree.groups(0).end()), groups_of_first);
  ASSERT_TRUE(tree.link(std::vector<double>(tree.leaves(), 0.1), 0.0));
  ASSERT_GT(tree.all_cells(), 2U);
  std::vector<std::uint64_t> counts(tree.all_cells() - 1, 0);
  counts[0] = 5;
  counts[1] = 7;
  EXPECT_FALSE(tree.set_copies(counts, std::vector<std::uint64_t>{5, 8}));
  EXPECT_EQ(tree.range(1).count, 0U);
  EXPECT_TRUE(tree.set_copies(counts, std::vector<std::uint64_t>{2, 3, 7}));
  EXPECT_EQ(tree.range(1).begin, 0U);
  EXPECT_EQ(tree.range(2).begin, 5U);
  EXPECT_EQ(std::vector<std::uint32_t>(tree.groups(1).begin(), tree.groups(1).end()),
            (std::vector<std::uint32_t>{0, 2, 5}));
  EXPECT_EQ(tree.stored().group_sizes.size(), groups_of_first.size() - 1);
}

TEST(ManyRanks, FindTheSpacingThatOneFinds) {
  for (const int dimension : {1, 2, 3}) {
    const Domain domain = domain_of(dimension, false);
    Cloud cloud = testing::clustered_cloud(domain, 3000, 0.3, 7);
    // Some far away, and many at one place.
    cloud.x[17] = 1e9;
    for (std::size_t i = 100; i < 200; ++i) {
      cloud.x[i] = cloud.x[100];
      cloud.y[i] = cloud.y[100];
      cloud.z[i] = cloud.z[100];
    }
    const std::vector<double> alone = local_spacing({cloud.x, cloud.y, cloud.z}, dimension);
    for (const std::size_t ranks : {2U, 3U, 4U}) {
      comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
        std::vector<std::uint32_t> mine;  // the last rank has none
        for (std::uint32_t i = 0; i < cloud.x.size(); ++i) {
          if (i % (ranks - 1) == comm::number(world.rank())) mine.push_back(i);
        }
        const Cloud some = part_of(cloud, mine);
        const auto found = local_spacing({some.x, some.y, some.z}, dimension, &world);
        for (std::size_t k = 0; k < mine.size(); ++k) ASSERT_EQ(found[k], alone[mine[k]]) << dimension << ", " << ranks;
      });
    }
  }
}

}  // namespace tacit::particles::many_ranks_test
