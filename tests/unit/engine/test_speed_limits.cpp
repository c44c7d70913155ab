// The limits of a machine: measured, kept in a file, and measured again where that is of no use.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../io/scratch.hpp"
#include "tacit/engine/speed_limits.hpp"

namespace tacit::engine::speed_limits_test {
namespace {

namespace fs = std::filesystem;
constexpr SpeedLimits some{.flops = 8e10, .single_flops = 1.6e11, .bandwidth = 2.5e10};

void expect_equal(const std::optional<SpeedLimits>& found, const SpeedLimits& wanted) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->flops, wanted.flops);
  EXPECT_EQ(found->single_flops, wanted.single_flops);
  EXPECT_EQ(found->bandwidth, wanted.bandwidth);
}

}  // namespace

// Speeds are the machine's own; that there are some is all that a test can say.
TEST(SpeedLimits, AreMeasuredByOneThreadAndByTwo) {
  for (const std::size_t threads : {1U, 2U}) {
    EXPECT_GT(measure_flops({.count = threads}), 0.0);
    EXPECT_GT(measure_single_flops({.count = threads}), 0.0);
    EXPECT_GT(measure_bandwidth({.count = threads, .of_node = 2}), 0.0);
  }
}

TEST(SpeedLimits, AreKnownOnceAllAre) {
  EXPECT_TRUE(some.are_known());
  EXPECT_FALSE(SpeedLimits{}.are_known());
  EXPECT_FALSE((SpeedLimits{.flops = 1.0, .single_flops = 1.0}).are_known());
}

TEST(SpeedLimits, OfAnotherMachineOrNumberOfThreadsAreOthers) {
  const std::string key = key_of_limits(2, 1);
  EXPECT_EQ(key, key_of_limits(2, 1));
  EXPECT_NE(key, key_of_limits(3, 1));
  EXPECT_NE(key, key_of_limits(2, 2));
  EXPECT_TRUE(key.starts_with("2 threads on 1 nodes, ")) << key;
}

TEST(SpeedLimits, AreKeptByTheirKeyInAFolderThatIsMade) {
  const test::Scratch scratch;
  const fs::path file = scratch.path() / "new" / "folder" / "limits";
  EXPECT_FALSE(find_limits(file, "a machine"));
  keep_limits(file, "a machine", some);
  expect_equal(find_limits(file, "a machine"), some);
  EXPECT_FALSE(find_limits(file, "another machine"));
  const SpeedLimits others{.flops = 1.0, .single_flops = 2.0, .bandwidth = 3.0};
  keep_limits(file, "another machine", others);
  expect_equal(find_limits(file, "a machine"), some);
  expect_equal(find_limits(file, "another machine"), others);
}

TEST(SpeedLimits, OfADamagedFileCountForNothingUntilItIsMadeAnew) {
  const test::Scratch scratch;
  const fs::path file = scratch.path() / "limits";
  keep_limits(file, "a machine", some);
  const std::string good = test::content(file);
  const std::string first_line = good.substr(0, good.find('\n') + 1);
  for (const std::string& bad :
       {std::string("\xff\xfe\0"), "# limits of machines 2\n" + good, first_line + "8e10 1.6e11 a machine\n",
        first_line + "8e10 0 2.5e10 a machine\n", first_line + "8e10 -1 2.5e10 a machine\n",
        first_line + "8e10 inf 2.5e10 a machine\n", std::string()}) {
    test::put(file, bad);
    EXPECT_FALSE(find_limits(file, "a machine")) << bad;
    keep_limits(file, "a machine", some);
    expect_equal(find_limits(file, "a machine"), some);
  }
}

TEST(SpeedLimits, ThatCannotBeKeptAreNoError) {
  const test::Scratch scratch;
  fs::create_directory(scratch.path() / "limits");
  for (const fs::path& file : {fs::path("/dev/null/limits"), scratch.path() / "limits", fs::path()}) {
    keep_limits(file, "a machine", some);
    EXPECT_FALSE(find_limits(file, "a machine")) << file;
  }
}

TEST(SpeedLimits, AreInTheFolderThatTheEnvironmentNames) {
  const auto value = [](const char* name) {
    return std::string(std::getenv(name) == nullptr ? "" : std::getenv(name));
  };
  const std::string before[] = {value("TACIT_CACHE"), value("XDG_CACHE_HOME"), value("HOME")};
  ::setenv("HOME", "/home/a", 1);
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  ::setenv("TACIT_CACHE", "/own", 1);
  EXPECT_EQ(limits_file(), "/own/limits");
  ::unsetenv("TACIT_CACHE");
  EXPECT_EQ(limits_file(), "/cache/tacit/limits");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(limits_file(), "/home/a/.cache/tacit/limits");
  ::unsetenv("HOME");
  EXPECT_EQ(limits_file(), "");
  for (const auto& [name, old] :
       {std::pair{"TACIT_CACHE", before[0]}, {"XDG_CACHE_HOME", before[1]}, {"HOME", before[2]}}) {
    if (old.empty())
      ::unsetenv(name);
    else
      ::setenv(name, old.c_str(), 1);
  }
}

}  // namespace tacit::engine::speed_limits_test
