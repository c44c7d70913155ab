// A file is whole under its name or not there: full disks, limits, kills, and what the messages say.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <regex>

#include "scratch.hpp"
#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/output_directory.hpp"

namespace tacit::io::atomic_test {
namespace {

namespace fs = std::filesystem;
using base::SystemError;
using test::message_of;

constexpr std::size_t old_size = 60000;

/// A file of `size` numbers that all equal `value`.
void commit_numbers(const fs::path& path, std::size_t size, double value) {
  FileWriter file(path);
  file.array("a", std::span<const double>(std::vector<double>(size, value)), std::array<std::uint64_t, 1>{size},
             Number::float64);
  file.commit();
}

/// The value that all numbers of the file have; throws if it is not whole.
double committed_value(const fs::path& path) {
  const FileReader file(path);
  std::vector<double> values(file.info("a").shape.at(0));
  file.read("a", std::span(values));
  for (const double value : values) {
    if (value != values.front()) throw base::Error("mixed");
  }
  return values.front();
}

/// A failed write must leave the old file, no other, and a message that names path, need and advice.
int check_failed_write(const fs::path& path, const std::string& advice) {
  const std::string message = message_of<SystemError>([&] { commit_numbers(path, 2 * old_size, 2.0); });
  const std::regex expected(path.string() + R"(: cannot be written: needs 97\d\.\d kB, .* free; )" + advice);
  if (!std::regex_match(message, expected)) {
    std::fprintf(stderr, "unexpected message: %s\n", message.c_str());
    return 1;
  }
  if (test::entries(path.parent_path()) != 1) return 2;
  return committed_value(path) == 1.0 ? 0 : 3;
}

/// A tmpfs of `bytes` over `directory`, seen by this process only and gone with it; false if that is not permitted.
bool mount_small(const fs::path& directory, std::size_t bytes) {
  if (::unshare(CLONE_NEWNS) != 0) return false;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", directory.c_str(), "tmpfs", 0, fmt::format("size={}", bytes).c_str()) == 0;
}

constexpr int not_permitted = 77;

/// The number of a commit that the child has told of, the last one there is; 0 if there is none any more.
std::uint64_t last_told(int pipe) {
  std::uint64_t last = 0;
  for (std::uint64_t told = 0; ::read(pipe, &told, sizeof(told)) == sizeof(told);) last = told;
  return last;
}

}  // namespace

// Past the page cache where memory and file are in whole pages, through it where they are not; the same bytes.
TEST(AtomicWrite, RunsThatAreInPagesAndOthersAreWrittenWhereTheyBelong) {
  constexpr std::size_t page = 4096;
  std::vector<std::byte> memory(40 * page);
  std::mt19937 random(5);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
  const auto first = (page - reinterpret_cast<std::uintptr_t>(memory.data()) % page) % page;
  const auto part = [&](std::size_t begin, std::size_t bytes) {
    return std::span<const std::byte>(memory).subspan(begin, bytes);
  };
  const std::vector<detail::Run> runs{{0, part(first, 3 * page)},
                                      {3 * page, part(first + 8 * page, 2 * page)},  // joined
                                      {9 * page, part(first, page)},
                                      {12 * page + 5, part(first + page, 100)},  // apart, and short
                                      {20 * page, part(first + 1, 4 * page)},
                                      {24 * page, part(first + 3 * page, 17)},  // memory between pages
                                      {25 * page, part(first, page)},
                                      {5 * page, part(first + page, 2 * page)}};
  std::string expected(26 * page, '\0');
  for (const detail::Run& run : runs) std::memcpy(expected.data() + run.offset, run.bytes.data(), run.bytes.size());
  const test::Scratch scratch;
  // The second one is memory, which has no page cache to pass; a folder of its own, which is removed.
  std::string in_memory = "/dev/shm/runs-in-pages-XXXXXX";  // a name that no test of comm counts as its own
  ASSERT_NE(::mkdtemp(in_memory.data()), nullptr);
  for (const fs::path& folder : {scratch.path(), fs::path(in_memory)}) {
    detail::WholeFile file(folder / "runs");
    file.write(runs);
    std::string back(expected.size(), 'x');
    file.read(0, std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(back, expected) << folder;
    file.commit(expected.size());
    EXPECT_EQ(test::content(folder / "runs"), expected) << folder;
  }
  fs::remove_all(in_memory);
}

TEST(WriteAtomically, WritesAndReplaces) {
  const test::Scratch scratch;
  const fs::path path = scratch / "summary.json";
  write_atomically(path, "first");
  EXPECT_EQ(test::content(path), "first");
  write_atomically(path, std::string_view("sec\0nd", 6));
  EXPECT_EQ(test::content(path), std::string_view("sec\0nd", 6));
  write_atomically(path, "");
  EXPECT_EQ(test::content(path), "");
  EXPECT_EQ(test::entries(scratch.path()), 1U);
}

TEST(WriteAtomically, TakesNamesAsLongAsTheFileSystemDoes) {
  const test::Scratch scratch;
  const fs::path path = scratch / std::string(255, 'n');
  write_atomically(path, "text");
  EXPECT_EQ(test::content(path), "text");
}

TEST(WriteAtomically, TakesAnotherNameWhereALeftoverHasIts) {
  const test::Scratch scratch;
  const int result = test::in_child([&] {
    std::array<char, 65> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::string name(host.data());
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    std::size_t leftovers = 0;
    for (int count = 0; count < 50; ++count, ++leftovers) {
      test::put(scratch / fmt::format(".tacit-write.{}.0.0.{}.{}.tmp", name, ::getpid(), count), "of another writer");
    }
    write_atomically(scratch / "a", "text");
    return test::content(scratch / "a") == "text" && test::entries(scratch.path()) == leftovers + 1 ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST(WriteAtomically, SaysWhyItCannot) {
  const test::Scratch scratch;
  const auto writing = [](const fs::path& path) {
    return message_of<SystemError>([&] { write_atomically(path, "five!"); });
  };
  const std::string base = scratch.path().string();
  EXPECT_EQ(
      writing(scratch / "no/file"),
      base + "/no/file: cannot be written: needs 5 B, free space unknown; " + base +
          "/no does not exist: make it or choose another directory with --output DIR (No such file or directory)");
  test::put(scratch / "file", "x");
  const std::string below = writing(scratch / "file/below");
  EXPECT_TRUE(below.starts_with(base + "/file/below: cannot be written: needs 5 B, ")) << below;
  EXPECT_TRUE(below.ends_with("; " + base +
                              "/file is not a directory: choose another with --output DIR "
                              "(Not a directory)"))
      << below;
  fs::create_directory(scratch / "directory");
  EXPECT_EQ(writing(scratch / "directory"),
            base + "/directory: cannot be written: a directory has this name; choose another name");
  EXPECT_EQ(writing("/dev/full"), "/dev/full: cannot be written: it is no regular file; choose another name");
  EXPECT_EQ(test::entries(scratch.path()), 2U);
}

TEST(WriteAtomically, SaysThatPermissionIsMissing) {
  const test::Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const int result = test::in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 3;
    const std::string message = message_of<SystemError>([&] { write_atomically(scratch / "a", "five!"); });
    const std::regex expected(
        R"(.*/a: cannot be written: needs 5 B, .* free; no permission to write in .*: change that )"
        R"(or choose another directory with --output DIR \(Permission denied\))");
    return std::regex_match(message, expected) ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

// The limit on file sizes stops the write at any byte, as a full disk does, and needs no privilege.
TEST(FileWriterCommit, ALimitAtAnyByteLeavesTheOldFile) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  commit_numbers(path, old_size, 1.0);
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const rlim_t limit = trial == 0 ? 0 : random() % (2 * old_size * sizeof(double));
    const int result = test::in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limits{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &limits) != 0) return 4;
      return check_failed_write(path, R"(the file would exceed the allowed size: see 'ulimit -f' \(File too large\))");
    });
    EXPECT_EQ(result, 0) << limit;
  }
}

TEST(FileWriterCommit, AFullDiskLeavesTheOldFile) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t room = old_size * sizeof(double) + 16384 + random() % (2 * old_size * sizeof(double) - 32768);
    const int result = test::in_child([&] {
      if (!mount_small(scratch.path(), room)) return not_permitted;
      commit_numbers(path, old_size, 1.0);
      return check_failed_write(path,
                                "free some space in .* or choose another directory with --output DIR "
                                R"(\(No space left on device\))");
    });
    if (result == not_permitted) {
      const char* ci = std::getenv("CI");
      ASSERT_FALSE(::geteuid() == 0 && ci != nullptr && std::string_view(ci) == "true")
          << "root in CI must be able to mount a tmpfs, or this promise is not tested";
      GTEST_SKIP() << "mounting a small tmpfs is not permitted here: full disks are NOT tested";
    }
    EXPECT_EQ(result, 0) << room;
  }
}

TEST(FileWriterCommit, AKillLeavesTheOldOrTheNewFile) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  commit_numbers(path, old_size, 0.0);
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::uint64_t i = 1;; ++i) {
        commit_numbers(path, old_size, static_cast<double>(i));
        if (::write(ends[1], &i, sizeof(i)) != sizeof(i)) ::_exit(1);
      }
    }
    ::close(ends[1]);
    // Killed at a random moment, after the first commit, however long that takes.
    std::uint64_t first = 0;
    EXPECT_EQ(::read(ends[0], &first, sizeof(first)), static_cast<ssize_t>(sizeof(first)));
    ::usleep(static_cast<unsigned>(random() % 20'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto told = static_cast<double>(std::max(first, last_told(ends[0])));
    ::close(ends[0]);
    double value = -1.0;
    EXPECT_NO_THROW(value = committed_value(path));
    EXPECT_TRUE(value == told || value == told + 1.0)
        << value << " after " << told;  // it may not have told of the last
  }
  const OutputDirectory tidy(scratch.path());
  EXPECT_EQ(test::entries(scratch.path()), 2U) << "what the killed left behind is removed: lock and file remain";
}

}  // namespace tacit::io::atomic_test
