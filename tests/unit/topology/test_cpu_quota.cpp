// The control group's quota, read from made-up files.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake_root.hpp"
#include "tacit/topology/detail/cpus.hpp"

namespace tacit::topology::detail {
namespace quota_test {

class Quota : public test::FakeRoot {};

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

TEST_F(Quota, BeyondEveryMachineIsStillANumber) {
  file("proc/self/cgroup", "0::/x\n");
  file("sys/fs/cgroup/x/cpu.max", "1e300 1\n");
  EXPECT_EQ(cpu_quota(root_), 1000000U);
}

TEST(TopologyQuota, BindsOnlyWhereEachWorkerHasAProcessor) {
  EXPECT_TRUE(has_all(4, 4, std::nullopt));
  EXPECT_TRUE(has_all(4, 4, 4));
  EXPECT_TRUE(has_all(4, 4, 9));
  EXPECT_FALSE(has_all(4, 4, 3));
  EXPECT_FALSE(has_all(3, 4, std::nullopt));
  EXPECT_FALSE(has_all(5, 4, std::nullopt));
  EXPECT_FALSE(has_all(3, 4, 3));
  EXPECT_FALSE(has_all(0, 0, std::nullopt));
}

}  // namespace quota_test
}  // namespace tacit::topology::detail
