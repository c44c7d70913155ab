// The folder of a benchmark goes with it, also where a signal ends it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "framework/scratch_folder.hpp"
#include "support/temporary_folder.hpp"

namespace tacit::bench {
namespace scratch_folder_test {

namespace fs = std::filesystem;

void fill(const fs::path& folder) {
  fs::create_directory(folder / "inner");
  std::ofstream(folder / "inner" / "file") << "numbers";
}

TEST(ScratchFolder, GoesWithItsOwner) {
  const test::TemporaryFolder place;
  fs::path path;
  {
    const ScratchFolder folder("tacit-bench-test", place.path());
    path = folder.path();
    EXPECT_EQ(path.parent_path(), place.path());
    fill(path);
  }
  EXPECT_FALSE(fs::exists(path));
}

class ScratchFolderOfAnEndedProcess : public ::testing::TestWithParam<int> {};

TEST_P(ScratchFolderOfAnEndedProcess, Goes) {
  const test::TemporaryFolder place;
  const pid_t owner = fork();
  if (owner == 0) {
    ::signal(GetParam(), SIG_DFL);
    const ScratchFolder folder("tacit-bench-test", place.path());
    fill(folder.path());
    ::raise(GetParam());
    std::_Exit(1);  // it goes on after the signal
  }
  int status = 0;
  waitpid(owner, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  // Only a hang takes longer.
  for (int i = 0; i < 6000 && !fs::is_empty(place.path()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(fs::is_empty(place.path()));
}

INSTANTIATE_TEST_SUITE_P(Signals, ScratchFolderOfAnEndedProcess, ::testing::Values(SIGINT, SIGTERM, SIGKILL));

TEST(ScratchPlace, IsGivenByTheEnvironment) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/some/where", 1);
  EXPECT_EQ(scratch_place(), "/some/where");
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_directory(scratch_place()));
  if (before != nullptr) ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace scratch_folder_test
}  // namespace tacit::bench
