// The parts of the scheduler and of the activation by themselves: trees, directed graphs, locks, queue.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>

#include "tacit/tasks/detail/dag.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/tasks/detail/lock_table.hpp"
#include "tacit/tasks/detail/worker_queue.hpp"

namespace tacit::tasks::detail {
namespace detail_test {

//     0 --- 1 --- 3
//      `--- 2          4
const std::vector<DatumId> family{DatumId::none, DatumId{0}, DatumId{0}, DatumId{1}, DatumId::none};

constexpr DatumId d(std::uint32_t i) { return static_cast<DatumId>(i); }

using Numbers = std::vector<std::uint32_t>;

Numbers listed(std::span<const DatumId> data) {
  Numbers numbers;
  for (const DatumId datum : data) numbers.push_back(static_cast<std::uint32_t>(datum));
  return numbers;
}

TEST(TasksDataTree, KnowsParts) {
  const DataTree tree(family);
  EXPECT_EQ(listed(tree.parts(d(0))), (Numbers{1, 2}));
  EXPECT_EQ(listed(tree.parts(d(1))), (Numbers{3}));
  EXPECT_TRUE(tree.parts(d(4)).empty());
  EXPECT_EQ(tree.parent(d(3)), d(1));
  const std::vector<DatumId> flat(3, DatumId::none);
  EXPECT_TRUE(DataTree(flat).parts(d(1)).empty());
}

std::string merged(const Accesses& accesses) {
  std::string text;
  for (const Access& access : merge_accesses(accesses, family)) {
    text += "rwc"[index(access.mode)] + std::to_string(index(access.datum)) + " ";
  }
  return text;
}

TEST(TasksDataTree, MergesAccessesOfOneTask) {
  EXPECT_EQ(merged({}), "");
  EXPECT_EQ(merged(reads(d(4), d(3), d(4))), "r3 r4 ");
  EXPECT_EQ(merged(reads(d(3)) + reads(d(0)) + reads(d(2))), "r0 ");
  EXPECT_EQ(merged(commutes(d(3), d(1))), "c1 ");
  EXPECT_EQ(merged(reads(d(0)) + writes(d(3))), "w0 ");
  EXPECT_EQ(merged(reads(d(4)) + commutes(d(4), d(2))), "c2 w4 ");
}

TEST(TasksDag, OrdersByRankAndFindsCycles) {
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 4}, {4, 5}, {5, 4}, {4, 6}, {0, 1}, {0, 7}};
  const Dag dag(8, edges);
  EXPECT_EQ(dag.successors.size(), 9U);
  EXPECT_EQ(dag.waits, (Numbers{0, 2, 1, 1, 2, 1, 1, 1}));
  const std::vector<std::uint32_t> rank{0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(topological_order(dag, rank), (Numbers{0, 7}));
  EXPECT_EQ(cyclic_core(dag, edges), (std::vector<bool>{false, true, true, true, true, true, false, false}));

  const std::vector<Edge> fork{{0, 1}, {0, 2}, {0, 3}};
  const std::vector<std::uint32_t> reversed{3, 2, 1, 0};
  EXPECT_EQ(topological_order(Dag(4, fork), reversed), (Numbers{0, 3, 2, 1}));
  EXPECT_EQ(cyclic_core(Dag(4, fork), fork), std::vector<bool>(4, false));
}

class Locks : public ::testing::Test {
 protected:
  void SetUp() override { table_.reset(family, links_.data(), links_.size()); }
  /// Tries to lock for a task.
  bool lock(std::uint32_t node, std::vector<DatumId> data) { return table_.lock_or_park(node, data, woken_); }
  /// Unlocks and returns who is to be tried again, in ascending order.
  Numbers unlock(std::vector<DatumId> data) {
    table_.unlock(data, woken_);
    Numbers woken = std::exchange(woken_, {});
    std::sort(woken.begin(), woken.end());
    return woken;
  }
  Numbers parked(DatumId at) {
    Numbers nodes;
    table_.for_parked([&](std::uint32_t node, DatumId datum) {
      if (datum == at) nodes.push_back(node);
    });
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  std::vector<std::uint32_t> links_ = std::vector<std::uint32_t>(10);
  Numbers woken_;
  LockTable table_;
};

TEST_F(Locks, ExcludeAncestorsAndParts) {
  EXPECT_TRUE(lock(0, {d(1)}));
  EXPECT_FALSE(lock(1, {d(1)}));
  EXPECT_FALSE(lock(2, {d(3)}));
  EXPECT_FALSE(lock(3, {d(0)}));
  EXPECT_EQ(parked(d(1)), (Numbers{1, 2}));
  EXPECT_EQ(parked(d(0)), (Numbers{3}));
  EXPECT_TRUE(lock(4, {d(2), d(4)}));
  EXPECT_EQ(unlock({d(1)}), (Numbers{1, 2}));  // 0 still has a locked part
  EXPECT_TRUE(lock(2, {d(3)}));
  EXPECT_FALSE(lock(1, {d(1)}));
  EXPECT_EQ(unlock({d(2), d(4)}), (Numbers{}));
  EXPECT_EQ(unlock({d(3)}), (Numbers{1, 3}));
  EXPECT_TRUE(lock(3, {d(0)}));
}

TEST_F(Locks, AreTakenTogetherOrNotAtAll) {
  EXPECT_TRUE(lock(0, {d(2)}));
  EXPECT_FALSE(lock(1, {d(4), d(2)}));
  EXPECT_EQ(parked(d(2)), (Numbers{1}));
  EXPECT_TRUE(lock(2, {d(4)}));
}

TEST_F(Locks, ADatumWithoutPartsWakesOneAfterTheOther) {
  EXPECT_TRUE(lock(0, {d(4)}));
  for (std::uint32_t node = 1; node < 5; ++node) EXPECT_FALSE(lock(node, {d(4)}));
  Numbers order;
  Numbers woken = unlock({d(4)});
  while (!woken.empty()) {
    ASSERT_EQ(woken.size(), 1U);
    order.push_back(woken[0]);
    EXPECT_TRUE(lock(woken[0], {d(4)}));
    woken = unlock({d(4)});
  }
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (Numbers{1, 2, 3, 4}));
}

TEST_F(Locks, AWokenTaskThatFailsElsewherePassesTheWakeOn) {
  EXPECT_TRUE(lock(0, {d(2)}));
  EXPECT_TRUE(lock(1, {d(4)}));
  EXPECT_FALSE(lock(2, {d(4)}));        // would be content with this one
  EXPECT_FALSE(lock(3, {d(4), d(2)}));  // parked at 4 too, and on top of the list
  EXPECT_EQ(parked(d(4)), (Numbers{2, 3}));
  EXPECT_EQ(unlock({d(4)}), (Numbers{3}));
  EXPECT_FALSE(lock(3, {d(4), d(2)}));  // now it waits for 2
  EXPECT_EQ(parked(d(2)), (Numbers{3}));
  EXPECT_EQ(woken_, (Numbers{2}));  // or nothing would ever wake this one
}

TEST_F(Locks, PassTheWakeOnAlsoFromADatumThatWasNotReachedAgain) {
  EXPECT_TRUE(lock(0, {d(4)}));
  EXPECT_FALSE(lock(1, {d(4)}));
  EXPECT_FALSE(lock(2, {d(2), d(4)}));  // takes 2, fails at 4
  EXPECT_TRUE(woken_.empty());
  EXPECT_EQ(unlock({d(4)}), (Numbers{2}));
  EXPECT_TRUE(lock(3, {d(2)}));
  EXPECT_FALSE(lock(2, {d(2), d(4)}));  // fails at 2, before it comes to 4
  EXPECT_EQ(woken_, (Numbers{1}));
}

/// A queue over ten nodes whose level is their number.
class Queue : public ::testing::Test {
 protected:
  Queue() {
    for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i] = static_cast<std::uint8_t>(i);
    open({});
  }
  void open(std::span<const std::uint32_t> roots) {
    mine_.hold();
    mine_.open({links_.data(), levels_.data()}, roots);
    mine_.let_go();
    other_.open({links_.data(), levels_.data()}, {});  // no other worker is there
  }
  Numbers drain(WorkerQueue& queue) {
    Numbers order;
    while (const Item item = queue.pop(hands_)) order.push_back(item.node);
    return order;
  }
  std::array<std::uint32_t, 300> links_{};
  std::array<std::uint8_t, 300> levels_{};
  Hands hands_;
  std::uint64_t moved_ = 0;
  WorkerQueue mine_;
  WorkerQueue other_;
};

TEST_F(Queue, MixesRootsAndLaterOnesByLevel) {
  EXPECT_FALSE(mine_.has_work());
  const Numbers roots{6, 4, 1};
  open(roots);
  mine_.push(Numbers{5, 0, 7, 2});
  EXPECT_EQ(mine_.top_level(), 7);
  EXPECT_TRUE(mine_.has_work());
  EXPECT_FALSE(hands_.busy);
  EXPECT_EQ(drain(mine_), (Numbers{7, 6, 5, 4, 2, 1, 0}));
  EXPECT_TRUE(hands_.busy);
  EXPECT_FALSE(mine_.has_work());
  EXPECT_EQ(mine_.top_level(), -1);
}

TEST_F(Queue, TheNewestOfALevelGoesFirstAndTheOldestIsStolen) {
  levels_.fill(3);
  mine_.push(Numbers{1, 2, 3, 4, 5});
  EXPECT_EQ(mine_.steal(other_, hands_, moved_).node, 3U);
  EXPECT_EQ(moved_, 3U);
  EXPECT_EQ(drain(mine_), (Numbers{5, 4}));
  EXPECT_EQ(drain(other_), (Numbers{1, 2}));
}

TEST_F(Queue, StealsHalfOfTheRootsAndFewOfALongList) {
  levels_.fill(0);
  Numbers all(300);
  std::iota(all.begin(), all.end(), 0U);
  open(std::span(all).first(11));
  EXPECT_EQ(mine_.steal(other_, hands_, moved_).node, 5U);
  EXPECT_EQ(drain(other_), (Numbers{6, 7, 8, 9, 10}));
  EXPECT_EQ(drain(mine_), (Numbers{0, 1, 2, 3, 4}));
  moved_ = 0;
  mine_.push(all);
  EXPECT_EQ(mine_.steal(other_, hands_, moved_).node, 299U);
  EXPECT_EQ(moved_, 64U);
  EXPECT_EQ(drain(other_).size(), 63U);
  EXPECT_EQ(drain(mine_).size(), 236U);
}

TEST_F(Queue, GivesSomeRootsOfALevelAtOnceAndKeepsMostForThieves) {
  levels_.fill(5);
  std::fill(levels_.begin() + 20, levels_.end(), 4);
  Numbers all(24);
  std::iota(all.begin(), all.end(), 0U);
  open(all);
  std::span<const std::uint32_t> more;
  EXPECT_EQ(mine_.pop(hands_, 8, more).node, 0U);
  EXPECT_EQ(Numbers(more.begin(), more.end()), (Numbers{1, 2, 3, 4, 5})) << "a quarter of 23";
  EXPECT_EQ(mine_.pop(hands_, 3, more).node, 6U);
  EXPECT_EQ(Numbers(more.begin(), more.end()), (Numbers{7, 8, 9}));
  mine_.push(Numbers{11});  // one that has become ready comes without others
  more = {};
  EXPECT_EQ(mine_.pop(hands_, 8, more).node, 11U);
  EXPECT_TRUE(more.empty());
  for (std::uint32_t node = 10; node < 19; ++node) EXPECT_EQ(mine_.pop(hands_).node, node);
  EXPECT_EQ(mine_.pop(hands_, 8, more).node, 19U);
  EXPECT_TRUE(more.empty()) << "the next are less urgent";
  EXPECT_EQ(drain(mine_), (Numbers{20, 21, 22, 23}));
}

TEST_F(Queue, ClosedOnesDropTasksAndKeepJobs) {
  Job job;
  mine_.push(Numbers{1, 2});
  mine_.push(job);
  mine_.close();
  mine_.push(Numbers{3});
  EXPECT_EQ(mine_.pop(hands_).job, &job);
  EXPECT_FALSE(mine_.pop(hands_));
  EXPECT_FALSE(hands_.busy);
}

TEST_F(Queue, JobsGoFirstNewestForTheOwnerOldestForThieves) {
  std::array<Job, 200> jobs;
  mine_.push(Numbers{1});
  for (Job& job : jobs) mine_.push(job);
  EXPECT_EQ(mine_.pop(hands_).job, &jobs[199]);
  EXPECT_EQ(mine_.steal(other_, hands_, moved_, detail::Loot::jobs).job, &jobs[0]);
  EXPECT_EQ(moved_, 32U);
  EXPECT_EQ(mine_.steal(other_, hands_, moved_).job, &jobs[32]);
  std::size_t left = 0;
  while (mine_.pop_job(hands_) != nullptr) ++left;
  while (other_.pop_job(hands_) != nullptr) ++left;
  EXPECT_EQ(left, 200U - 3U);
  EXPECT_EQ(mine_.pop(hands_).node, 1U);
}

}  // namespace detail_test
}  // namespace tacit::tasks::detail
