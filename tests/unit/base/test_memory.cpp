// The largest memory that the process has had.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

}  // namespace tacit::base::memory_test
