// One run per directory, and lines that stay whole.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "scratch.hpp"
#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/output_directory.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::io::output_test {
namespace {

namespace fs = std::filesystem;
using base::SystemError;
using test::message_of;

std::string locking(const fs::path& path) {
  return message_of<SystemError>([&] { const OutputDirectory directory(path); });
}

bool names_holder(const std::string& message, const fs::path& path, pid_t holder) {
  const std::regex expected(path.string() +
                            fmt::format(": another run writes here \\(process {} on [^ ]+ since ", holder) +
                            R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\); wait for it, or choose another with --output DIR)");
  return std::regex_match(message, expected);
}

/// As names of temporary files have it.
std::string own_host() {
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string name(host.data());
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// A child that holds the lock until it is killed.
pid_t start_holder(const fs::path& path) {
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputDirectory directory(path);
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

}  // namespace

TEST(OutputDirectory, IsMadeWithItsParents) {
  const test::Scratch scratch;
  const OutputDirectory directory(scratch / "a/b/c");
  EXPECT_TRUE(fs::is_directory(scratch / "a/b/c"));
  EXPECT_EQ(directory.path(), scratch / "a/b/c");
  EXPECT_EQ(directory / "x.csv", scratch / "a/b/c/x.csv");
  EXPECT_GT(directory.bytes_free(), 0U);
}

TEST(OutputDirectory, RefusesASecondRunInThisProcess) {
  const test::Scratch scratch;
  {
    OutputDirectory first(scratch.path());
    EXPECT_PRED3(names_holder, locking(scratch.path()), scratch.path(), ::getpid());
    const OutputDirectory moved = std::move(first);
    EXPECT_NE(locking(scratch.path()), "nothing");
    EXPECT_NE(locking(scratch.path() / "."), "nothing");
  }
  EXPECT_EQ(locking(scratch.path()), "nothing");
}

TEST(OutputDirectory, RefusesASecondProcessUntilTheFirstIsDead) {
  const test::Scratch scratch;
  const pid_t child = start_holder(scratch.path());
  EXPECT_PRED3(names_holder, locking(scratch.path()), scratch.path(), child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(locking(scratch.path()), "nothing");
}

TEST(OutputDirectory, MoveAssignmentReleasesTheOldOne) {
  const test::Scratch scratch;
  OutputDirectory directory(scratch / "a");
  {
    OutputDirectory other(scratch / "b");
    directory = std::move(other);
  }
  EXPECT_EQ(locking(scratch / "a"), "nothing");
  EXPECT_NE(locking(scratch / "b"), "nothing");
}

TEST(OutputDirectory, HarmsNothing) {
  const test::Scratch scratch;
  const std::array<std::string, 7> names{"summary.json",
                                         ".hidden",
                                         ".tacit-write.tmp",
                                         ".tacit-write.x.1.tmp",
                                         ".tacit-write.host.0.0.1.1.tmp2",
                                         ".tacit-write.host.0.0.word.1.tmp",
                                         "a.tmp"};
  for (const std::string& name : names) test::put(scratch / name, name);
  // Its writer lives: not ours to remove.
  const std::string own = fmt::format(".tacit-write.{}.0.0.{}.7.tmp", own_host(), ::getpid());
  test::put(scratch / own, own);
  const std::string own_folder = fmt::format(".tacit-write.{}.0.0.{}.8.tmp", own_host(), ::getpid());
  fs::create_directory(scratch / own_folder);
  { const OutputDirectory directory(scratch.path()); }
  for (const std::string& name : names) EXPECT_EQ(test::content(scratch / name), name);
  EXPECT_EQ(test::content(scratch / own), own);
  EXPECT_TRUE(fs::exists(scratch / own_folder));
  EXPECT_EQ(test::entries(scratch.path()), names.size() + 3);
}

TEST(OutputDirectory, RemovesWhatTheDeadLeft) {
  const test::Scratch scratch;
  const std::string here = fmt::format(".tacit-write.{}.0.0.999999999.1.tmp", own_host());
  const std::string there = ".tacit-write.another_host.77.3.1.1.tmp";
  for (const std::string& name : {here, there}) test::put(scratch / name, "no process has this number here");
  const fs::path folder = scratch / fmt::format(".tacit-write.{}.0.0.999999999.2.tmp", own_host());
  fs::create_directory(folder);
  test::put(folder / "Header", "of a folder that was not completed");
  detail::remove_leftovers(scratch.path(), false);
  EXPECT_FALSE(fs::exists(scratch / here));
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(fs::exists(scratch / there)) << "its writer may live";
  { const OutputDirectory directory(scratch.path()); }  // who holds the lock is alone
  EXPECT_FALSE(fs::exists(scratch / there));
}

TEST(OutputDirectory, RemovesPartsThatNoFileNames) {
  const test::Scratch scratch;
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    Output output(ranks, {.writers = {.kind = Writers::Kind::all}});
    for (const char* name : {"a.hdf5", "b.hdf5"}) {
      FileWriter file(scratch / name, 0, output);
      file.part("x", std::array<std::uint64_t, 1>{20000}, Number::float64,
                {.first = {10000ULL * number(ranks.rank())}, .count = {10000}}, std::vector<double>(10000, 1.0));
      file.commit();
    }
  });
  ASSERT_EQ(test::entries(scratch.path()), 6U);
  fs::remove(scratch / "b.hdf5");                                              // as if it had not been written
  test::put(scratch / "a.part0-00112233-9.hdf5", "of a writing that failed");  // a.hdf5 names others
  for (const char* other : {"b.part0.hdf5", "b.part-x.hdf5", "b.part1-short-1.hdf5", "c.part2-0011223344.hdf5"}) {
    test::put(scratch / other, "of somebody else");
  }
  { const OutputDirectory directory(scratch.path()); }
  EXPECT_EQ(test::entries(scratch.path()), 3U + 4U + 1U);
  const FileReader file(scratch / "a.hdf5");
  std::vector<double> x(20000);
  file.read("x", std::span(x));
  EXPECT_EQ(x.back(), 1.0);
}

TEST(OutputDirectory, SaysWhyItCannotBeUsed) {
  const test::Scratch scratch;
  const std::string base = scratch.path().string();
  test::put(scratch / "file", "x");
  EXPECT_EQ(locking(scratch / "file"),
            base + "/file: is a file, expected a directory; choose another with --output DIR");
  EXPECT_EQ(locking(scratch / "file/below"), base + "/file/below: cannot be made; " + base +
                                                 "/file is not a directory: choose another with --output DIR "
                                                 "(Not a directory)");
  EXPECT_EQ(locking(scratch / "file/below/it"), base + "/file/below/it: cannot be made; " + base +
                                                    "/file is not a directory: choose another with --output DIR "
                                                    "(Not a directory)");
  EXPECT_EQ(locking("/proc/tacit/a/b"),
            "/proc/tacit/a/b: cannot be made; no permission to write in /proc: change that or choose another "
            "directory with --output DIR (No such file or directory)");
  fs::create_symlink("nowhere", scratch / "link");
  for (const char* name : {"link", "link/below"}) {
    EXPECT_EQ(locking(scratch / name),
              base +
                  "/link: is a link to nowhere, which does not exist; make that, or choose another with "
                  "--output DIR");
  }
  EXPECT_TRUE(locking("/proc/tacit").starts_with("/proc/tacit: cannot be made; ")) << locking("/proc/tacit");
  EXPECT_TRUE(locking("/proc").starts_with("/proc: cannot be written; ")) << locking("/proc");
}

TEST(OutputDirectory, SaysThatPermissionIsMissing) {
  const test::Scratch scratch;
  { const OutputDirectory earlier(scratch.path()); }
  fs::permissions(scratch / ".tacit.lock", fs::perms::all);  // the old lock may be written, the directory may not
  fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const int result = test::in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 3;
    const std::string name = scratch.path().string();
    return locking(scratch.path()) == name + ": cannot be written; no permission to write in " + name +
                                          ": change that or choose another directory with --output DIR (Permission "
                                          "denied)"
               ? 0
               : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST(LineFile, ReplacesOrAppends) {
  const test::Scratch scratch;
  const fs::path path = scratch / "statistics.csv";
  {
    LineFile file(path);
    file.append("step,time");
    LineFile moved = std::move(file);
    moved.append("");
    moved.append("1,0.5");
  }
  EXPECT_EQ(test::content(path), "step,time\n\n1,0.5\n");
  LineFile(path, LineFile::Mode::append).append("2,1");
  EXPECT_EQ(test::content(path), "step,time\n\n1,0.5\n2,1\n");
  LineFile(path).append("new");
  EXPECT_EQ(test::content(path), "new\n");
}

TEST(LineFile, TakesBackAPartOfALine) {
  const test::Scratch scratch;
  const fs::path path = scratch / "statistics.csv";
  const int result = test::in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limits{25, 25};
    if (::setrlimit(RLIMIT_FSIZE, &limits) != 0) return 4;
    LineFile file(path);
    file.append("1234567890");
    file.append("1234567890");
    // 22 bytes are there; 3 of the next 11 would fit.
    const std::string message = message_of<SystemError>([&] { file.append("1234567890"); });
    return message.starts_with(path.string() + ": cannot be extended by a line: needs 11 B, ") ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(test::content(path), "1234567890\n1234567890\n");
}

TEST(LineFile, SaysWhyItCannotBeOpened) {
  const test::Scratch scratch;
  const std::string base = scratch.path().string();
  EXPECT_EQ(
      message_of<SystemError>([&] { const LineFile file(scratch / "no/a.csv"); }),
      base + "/no/a.csv: cannot be opened for writing; " + base +
          "/no does not exist: make it or choose another directory with --output DIR (No such file or directory)");
}

}  // namespace tacit::io::output_test
