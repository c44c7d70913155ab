// Cells, orders, lists and maxima are the same on any number of workers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clouds.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/base/random.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/particles/chunks.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "support/count_allocations.hpp"
#endif

namespace tacit::particles::workers_test {
namespace {

using testing::Cloud;

/// Workers and what they need.
class Team {
 public:
  explicit Team(std::size_t workers)
      : recorder_(workers, 1024), scheduler_({.workers = workers, .pin = false}, recorder_) {}
  [[nodiscard]] tasks::Scheduler* workers() { return &scheduler_; }

 private:
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
};

struct Case {
  const char* name;
  Domain domain;
  double width;  ///< of top-level cells
  std::size_t most_per_cell;
  Cloud cloud;
};

Cloud with_supports(Cloud cloud, double support) {
  cloud.support.assign(cloud.x.size(), support);
  return cloud;
}

/// All at one place of a domain whose other cells are empty.
Cloud in_one_cell(std::size_t n) {
  Cloud cloud = testing::random_cloud({{}, {1, 1, 1}}, n, 5);
  for (auto* values : {&cloud.x, &cloud.y, &cloud.z}) {
    for (double& value : *values) value = 0.51 + 1e-3 * value;
  }
  return with_supports(std::move(cloud), 0.01);
}

std::vector<Case> cases() {
  const Domain box{{-1, 2, 0}, {1, 2, 1}, true};
  const Domain unit{{}, {1, 1, 1}, true};
  const Domain open{{}, {1, 1, 1}, false};
  const Domain mirrors{{0, -2, 3}, {1, 1, 1}, false, 3, true};
  const Domain area{{}, {1, 0.7, 0.01}, true, 2};
  const Domain line{{-1, 0, 0}, {2, 1, 1}, false, 1};
  return {{"uniform", box, 0.13, 1000, with_supports(testing::random_cloud(box, 8000, 1), 0.06)},
          {"clustered", unit, 0.3, 30, testing::clustered_cloud(unit, 6000, 0.1, 2)},
          {"clustered between mirrors", mirrors, 0.4, 30, testing::clustered_cloud(mirrors, 2000, 0.1, 3)},
          {"one root, split by all workers together", open, 2.0, 400,
           with_supports(testing::clustered_cloud(open, 40000, 0.02, 4), 0.01)},
          {"all in one cell", unit, 0.1, 1000000, in_one_cell(3000)},
          {"one particle", unit, 0.1, 10, with_supports(testing::random_cloud(unit, 1, 6), 0.1)},
          {"no particle", unit, 0.3, 10, {}},
          {"more cells than particles", unit, 0.08, 10, with_supports(testing::random_cloud(unit, 300, 7), 0.05)},
          {"area", area, 0.1, 30, testing::clustered_cloud(area, 2000, 0.05, 8)},
          {"line", line, 0.1, 20, testing::clustered_cloud(line, 2000, 0.05, 9)}};
}

/// All that a tree finds of a cloud.
struct Found {
  StoredCells cells;
  std::vector<std::uint32_t> order;
  std::vector<double> reach, spread;
  std::vector<Neighbour> neighbours;
  std::vector<std::size_t> list_ends;
  std::vector<std::size_t> foreign;
};

void take_lists(const CellTree& tree, Found& found) {
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    const auto list = tree.neighbours(c);
    found.neighbours.insert(found.neighbours.end(), list.begin(), list.end());
    found.list_ends.push_back(found.neighbours.size());
  }
  for (std::size_t c = tree.cells(); c < tree.all_cells(); ++c) found.foreign.push_back(tree.leaf(c));
}

Found find_all(const Case& c, tasks::Scheduler* workers) {
  Found found;
  CellTree tree(c.domain, c.width, 100000, 8);
  const Cloud& cloud = c.cloud;
  tree.refine(cloud.x, cloud.y, cloud.z, cloud.support, c.most_per_cell, nullptr, workers);
  const auto order = tree.sort(cloud.x, cloud.y, cloud.z, cloud.id, workers);
  found.order.assign(order.begin(), order.end());
  const Cloud sorted = testing::reordered(cloud, order);
  found.reach = tree.largest_nearby({sorted.x, sorted.y, sorted.z}, sorted.support, 0.1, workers);
  found.spread = tree.spread_maximum(found.reach, workers);
  EXPECT_TRUE(tree.link(found.reach, 0.01, workers));
  take_lists(tree, found);
  found.cells = tree.stored();
  return found;
}

void expect_same(const Found& a, const Found& b, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(a.cells.levels, b.cells.levels);
  EXPECT_EQ(a.cells.counts, b.cells.counts);
  EXPECT_EQ(a.cells.group_sizes, b.cells.group_sizes);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.reach, b.reach);
  EXPECT_EQ(a.spread, b.spread);
  EXPECT_EQ(a.list_ends, b.list_ends);
  EXPECT_EQ(a.foreign, b.foreign);
  EXPECT_TRUE(std::ranges::equal(a.neighbours, b.neighbours, [](const Neighbour& x, const Neighbour& y) {
    return x.cell == y.cell && x.image == y.image && x.within_own_reach == y.within_own_reach;
  }));
}

TEST(Workers, FindTheSameCellsOrdersAndLists) {
  std::vector<Found> alone;
  const std::vector<Case> all = cases();
  for (const Case& c : all) alone.push_back(find_all(c, nullptr));
  EXPECT_GT(alone[1].cells.levels.size(), 100U);  // split
  EXPECT_GT(alone[3].cells.levels.size(), 100U);
  for (const std::size_t workers : {1U, 2U, 3U}) {
    Team team(workers);
    for (std::size_t k = 0; k < all.size(); ++k) {
      expect_same(find_all(all[k], team.workers()), alone[k],
                  std::string(all[k].name) + ", " + std::to_string(workers));
    }
  }
}

TEST(Workers, FindTheSameListsOfSomeOfTheLeaves) {
  const Case c = cases()[1];
  const auto lists = [&c](tasks::Scheduler* workers) {
    CellTree tree(c.domain, c.width, 100000, 8);
    tree.refine(c.cloud.x, c.cloud.y, c.cloud.z, c.cloud.support, c.most_per_cell, nullptr, workers);
    std::vector<std::uint32_t> own;
    for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
      if (leaf / 50 % 3 == 1) own.push_back(leaf);
    }
    tree.own(own);
    std::vector<double> reach(tree.leaves());
    for (std::size_t leaf = 0; leaf < reach.size(); ++leaf) reach[leaf] = 0.02 * base::uniform(3, leaf, 0);
    EXPECT_TRUE(tree.link(reach, 0.001, workers));
    Found found;
    take_lists(tree, found);
    return found;
  };
  const Found alone = lists(nullptr);
  EXPECT_GT(alone.foreign.size(), 10U);
  for (const std::size_t workers : {2U, 3U}) {
    Team team(workers);
    expect_same(lists(team.workers()), alone, std::to_string(workers));
  }
}

TEST(Workers, PassOnWhatOneThrows) {
  Team team(2);
  const auto fail = [](std::size_t begin, std::size_t end) {
    if (begin <= 70 && 70 < end) throw std::runtime_error("70");
  };
  EXPECT_THROW(for_parts(team.workers(), 100, fail), std::runtime_error);
}

TEST(Chunks, AreAllItemsInOrderAndNotTooMany) {
  Team team(3);
  const auto ends_of = [](const Chunks& chunks) {
    std::vector<std::pair<std::size_t, std::size_t>> ends(chunks.count());
    chunks.for_each([&](std::size_t k, std::size_t first, std::size_t end) { ends[k] = {first, end}; });
    return ends;
  };
  for (const std::size_t n : {0U, 1U, 11U, 12U, 13U, 1000U}) {
    std::size_t next = 0;
    for (const auto& [first, end] : ends_of(Chunks(team.workers(), n, 10))) {
      EXPECT_EQ(first, next);
      EXPECT_TRUE(end - first >= 10 || n < 20);
      next = end;
    }
    EXPECT_EQ(next, n);
  }
  EXPECT_GT(Chunks(team.workers(), 1000, 10).count(), 3U);
  EXPECT_EQ(Chunks(nullptr, 1000, 10).count(), 1U);
}

TEST(ChunkCounts, SortStably) {
  Team team(3);
  std::vector<std::uint32_t> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(static_cast<std::uint32_t>(7.0 * base::uniform(4, i, 0)));
  std::vector<std::uint32_t> expected(keys.size());
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return keys[i]; });

  const Chunks chunks(team.workers(), keys.size(), 7);
  ChunkCounts<std::uint32_t> counts;
  counts.restart(chunks.count(), 8);  // none has the last key
  chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) ++counts.of(chunk)[keys[i]];
  });
  std::vector<std::uint32_t> ends;
  EXPECT_EQ(counts.to_places([&](std::size_t, std::uint32_t, std::uint32_t end) { ends.push_back(end); }), 1000U);
  EXPECT_EQ(ends.size(), 8U);
  EXPECT_EQ(ends[7], ends[6]);
  std::vector<std::uint32_t> order(keys.size());
  chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) order[counts.of(chunk)[keys[i]]++] = static_cast<std::uint32_t>(i);
  });
  EXPECT_EQ(order, expected);
}

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

TEST(Workers, SortAgainWithoutAllocating) {
  Team team(2);
  CellTree tree({{}, {1, 1, 1}, true}, 0.1, 2000, 8);
  Cloud cloud = testing::random_cloud(tree.domain(), 20000, 1);
  // A worker that starts late leaves more jobs waiting than before, for which the scheduler makes room: now and then,
  // not in each sort.
  constexpr int sorts = 20;
  int allocating = 0;
  for (int sort = 0; sort <= sorts; ++sort) {
    const std::size_t before = test::allocations.load();
    static_cast<void>(tree.sort(cloud.x, cloud.y, cloud.z, cloud.id, team.workers()));
    if (sort > 0 && test::allocations.load() != before) ++allocating;
    // Turned round, the cells are as full as before, but others go to each worker.
    for (double& x : cloud.x) x = std::min(1.0 - x, std::nextafter(1.0, 0.0));
  }
  EXPECT_LT(allocating, sorts / 2);
}

#endif

}  // namespace
}  // namespace tacit::particles::workers_test
