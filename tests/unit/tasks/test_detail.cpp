// The parts of the scheduler and of the activation by themselves: trees, directed graphs, locks, queue, quota.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tacit/tasks/detail/cpu_quota.hpp"
#include "tacit/tasks/detail/dag.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/tasks/detail/lock_table.hpp"
#include "tacit/tasks/detail/ready_queue.hpp"
#include "tacit/tasks/scheduler.hpp"

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
  void SetUp() override { table_.reset(family, 10); }
  DatumId lock(std::vector<DatumId> data) { return table_.try_lock(data); }
  std::vector<std::uint32_t> unlock(std::vector<DatumId> data) {
    std::vector<std::uint32_t> woken;
    table_.unlock(data, woken);
    return woken;
  }
  LockTable table_;
};

TEST_F(Locks, ExcludeAncestorsAndParts) {
  EXPECT_EQ(lock({d(1)}), DatumId::none);
  EXPECT_EQ(lock({d(1)}), d(1));
  EXPECT_EQ(lock({d(3)}), d(1));
  EXPECT_EQ(lock({d(0)}), d(0));
  EXPECT_EQ(lock({d(2), d(4)}), DatumId::none);
  EXPECT_TRUE(unlock({d(1)}).empty());
  EXPECT_EQ(lock({d(3)}), DatumId::none);
  EXPECT_EQ(lock({d(0)}), d(0));
}

TEST_F(Locks, AreTakenTogetherOrNotAtAll) {
  EXPECT_EQ(lock({d(2)}), DatumId::none);
  EXPECT_EQ(lock({d(4), d(2)}), d(2));
  EXPECT_EQ(lock({d(4)}), DatumId::none);
}

TEST_F(Locks, WakeTheTasksThatMayGoOn) {
  EXPECT_EQ(lock({d(1)}), DatumId::none);
  EXPECT_EQ(lock({d(2)}), DatumId::none);
  table_.park(5, lock({d(3)}));
  table_.park(6, lock({d(1)}));
  table_.park(7, lock({d(0)}));
  EXPECT_TRUE(unlock({d(2)}).empty());  // a part of 0 is still locked
  Numbers woken = unlock({d(1)});
  std::sort(woken.begin(), woken.end());
  EXPECT_EQ(woken, (Numbers{5, 6, 7}));
  EXPECT_EQ(lock({d(0)}), DatumId::none);
}

TEST(TasksReadyQueue, MixesRootsAndLaterOnesByRank) {
  ReadyQueue queue;
  EXPECT_TRUE(queue.is_empty());
  const std::vector<std::uint32_t> roots{1, 4, 6};
  queue.reset(roots, 8);
  for (const std::uint32_t rank : {5U, 0U, 7U, 2U}) queue.push(rank);
  std::vector<std::uint32_t> order;
  while (!queue.is_empty()) order.push_back(queue.pop());
  EXPECT_EQ(order, (Numbers{0, 1, 2, 4, 5, 6, 7}));
}

/// A made-up root of the file system.
class Quota : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("tacit-quota-" + std::to_string(::getpid()));
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};

TEST_F(Quota, NothingToReadMeansNoLimit) { EXPECT_EQ(cpu_quota(root_), std::nullopt); }

TEST_F(Quota, Version2TakesTheSmallestUpToTheRoot) {
  file("proc/self/cgroup", "0::/user.slice/job\n");
  file("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
  file("sys/fs/cgroup/user.slice/cpu.max", "350000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 3U);
  file("sys/fs/cgroup/user.slice/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 1U);  // half a processor is still one thread
}

TEST_F(Quota, Version1ReadsTheControllersFolder) {
  file("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/job\n");
  file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
  file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(cpu_quota(root_), 2U);
}

TEST_F(Quota, InAContainerTheGroupsRootCounts) {
  file("proc/self/cgroup", "4:cpu,cpuacct:/docker/0123\n");
  file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root_), 4U);
}

TEST_F(Quota, GarbageIsNoLimit) {
  file("proc/self/cgroup", "\nnonsense\n0:\n0::/x\n");
  file("sys/fs/cgroup/cpu.max", "lots");
  file("sys/fs/cgroup/x/cpu.max", "100000 0\n");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

TEST(TasksAvailableThreads, IsWithinTheMachine) {
  EXPECT_GE(available_threads(), 1U);
  EXPECT_LE(available_threads(), static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF)));
}

}  // namespace detail_test
}  // namespace tacit::tasks::detail
