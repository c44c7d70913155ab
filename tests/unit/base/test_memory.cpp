// The largest memory that the process has had, and how much there is for it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tacit/base/memory.hpp"

namespace tacit::base::memory_test {

TEST(PeakMemory, GrowsWithWhatIsTouchedAndStays) {
  if (!std::filesystem::exists("/proc/self/status")) {
    EXPECT_FALSE(peak_memory().has_value());
    return;
  }
  const auto before = peak_memory();
  ASSERT_TRUE(before.has_value());
  // More than the process can have had before.
  const std::size_t bytes = *before + (std::size_t{32} << 20U);
  std::uint64_t sum = 0;
  {
    const std::vector<std::uint64_t> touched(bytes / sizeof(std::uint64_t), 1);
    for (const std::uint64_t number : touched) sum += number;
  }
  EXPECT_EQ(sum, bytes / sizeof(std::uint64_t));
  EXPECT_GE(*peak_memory(), bytes);
}

/// A root of the file system with the files that say how much memory there is.
class UsableMemory : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void file(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_ = std::filesystem::path(::testing::TempDir()) / "tacit-usable-memory";
};

TEST_F(UsableMemory, IsThatOfTheMachineWhereNoGroupLimitsIt) {
  EXPECT_EQ(usable_memory(root_), std::nullopt);
  file("proc/meminfo", "MemTotal:       24000000 kB\nMemFree:         1000 kB\n");
  EXPECT_EQ(usable_memory(root_), 24'576'000'000U);
  file("proc/self/cgroup", "0::/job\n");
  file("sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_EQ(usable_memory(root_), 24'576'000'000U);
}

TEST_F(UsableMemory, IsTheSmallestLimitOnTheWayToTheGroup) {
  file("proc/meminfo", "MemTotal:       24000000 kB\n");
  file("proc/self/cgroup", "0::/job/step\n");
  file("sys/fs/cgroup/job/memory.max", "4000000000\n");
  file("sys/fs/cgroup/job/step/memory.max", "8000000000\n");
  EXPECT_EQ(usable_memory(root_), 4'000'000'000U);
}

TEST_F(UsableMemory, KnowsTheFirstVersionOfGroups) {
  file("proc/meminfo", "MemTotal:       24000000 kB\n");
  file("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/job\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(usable_memory(root_), 24'576'000'000U);
  file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000000000\n");
  EXPECT_EQ(usable_memory(root_), 2'000'000'000U);
}

}  // namespace tacit::base::memory_test
