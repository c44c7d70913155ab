// Logs that were damaged, cut off, killed, or had no room: what is whole is read, what is not is found.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <regex>

#include "log_case.hpp"
#include "scratch.hpp"

namespace tacit::io::log_test {
namespace {

namespace fs = std::filesystem;
using test::message_of;

constexpr std::uint64_t few = 12;

/// Calls all that a reader offers; a crash ends the test, an exception of ours does not.
void read_all(const fs::path& path, Damage damage) {
  try {
    const LogReader log(path, damage);
    for (const double t : {0.0, 0.3, 1.1, Wave::end_time}) {
      if (log.complete() && t <= log.complete()->time) static_cast<void>(log.state(t));
    }
    for (std::uint64_t id = 0; id < few; ++id) static_cast<void>(log.trajectory(id));
  } catch (const base::FormatError&) {
  }
}

/// A log as text, to be damaged.
struct Victim {
  test::Scratch scratch;
  fs::path path = scratch / "output.log";
  LogLayout layout = layout_of(wave_schema());
  std::string whole;
  Victim() {
    make_wave_log(path, few, 1);
    whole = test::content(path);
  }
  [[nodiscard]] std::uint64_t last_mark() const { return whole.size() - layout.record_bytes; }
};

}  // namespace

TEST(LogDamage, EveryFlippedBitIsFound) {
  const Victim victim;
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::uint64_t at = random() % victim.whole.size();
    std::string damaged = victim.whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    test::put(victim.path, damaged);
    const bool is_refused = message_of<base::FormatError>([&] { const LogReader log(victim.path); }) != "nothing";
    EXPECT_EQ(is_refused, at < victim.last_mark()) << at;
    read_all(victim.path, Damage::skip);
    if (at < victim.layout.header_bytes) {
      EXPECT_THROW(LogReader(victim.path, Damage::skip), base::FormatError) << at;
      continue;
    }
    const LogReader log(victim.path, Damage::skip);
    const std::uint64_t record = victim.layout.record_bytes;
    const std::uint64_t begin = at - (at - victim.layout.header_bytes) % record;
    const bool was_closed = at < victim.last_mark();
    const std::vector<LogRange> expected{{begin, begin + record}};
    EXPECT_TRUE(std::ranges::equal(was_closed ? log.damaged() : log.unfinished(), expected)) << at;
    EXPECT_TRUE((was_closed ? log.unfinished() : log.damaged()).empty()) << at;
    EXPECT_EQ(log.is_closed(), was_closed) << at;
  }
}

TEST(LogDamage, WhatSurvivesADamagedRecordIsRead) {
  const Victim victim;
  const LogTable before = LogReader(victim.path).trajectory(4);
  ASSERT_GT(before.size(), 6U);
  // Its records, one after the other: all but that one come back, though the chain of pointers is broken there.
  for (std::size_t lost = 0; lost < before.size(); ++lost) {
    std::string damaged = victim.whole;
    for (std::uint64_t at = victim.layout.header_bytes; at < damaged.size(); at += victim.layout.record_bytes) {
      const auto* record = reinterpret_cast<const std::byte*>(damaged.data()) + at;
      const bool is_lost = detail::word_at<std::uint64_t>(record) == 4 &&
                           detail::word_at<double>(record + 16) == before.time[lost] && at < victim.last_mark();
      if (is_lost) damaged[at + 30] = static_cast<char>(damaged[at + 30] ^ 1);
    }
    test::put(victim.path, damaged);
    const LogReader log(victim.path, Damage::skip);
    EXPECT_EQ(log.damaged().size(), 1U);
    std::vector<double> expected = before.time;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(lost));
    EXPECT_EQ(log.trajectory(4).time, expected);
    EXPECT_NO_THROW(static_cast<void>(log.state(1.0)));
  }
}

TEST(LogDamage, MessagesSayWhereAndHowToReadOn) {
  const Victim victim;
  const std::string path = victim.path.string();
  std::string damaged = victim.whole;
  const std::uint64_t at = victim.layout.header_bytes + 5 * victim.layout.record_bytes;
  damaged[at] = static_cast<char>(damaged[at] ^ 1);
  test::put(victim.path, damaged);
  EXPECT_EQ(message_of<base::FormatError>([&] { const LogReader log(path); }),
            fmt::format("{}: the log is not what was written at byte {}; read the rest with Damage::skip", path, at));
  damaged[at + 300] = static_cast<char>(damaged[at + 300] ^ 1);
  test::put(victim.path, damaged);
  EXPECT_EQ(message_of<base::FormatError>([&] { const LogReader log(path); }),
            fmt::format("{}: the log is not what was written at 2 places, the first at byte {}; read the rest with "
                        "Damage::skip",
                        path, at));
  const auto opening = [&](std::string_view text) {
    test::put(victim.path, text);
    return message_of<base::FormatError>([&] { const LogReader log(path); });
  };
  EXPECT_EQ(opening(""), path + ": is no continuous log: it does not begin with a header of one");
  EXPECT_EQ(opening(std::string(500, 'x')), path + ": is no continuous log: it does not begin with a header of one");
  EXPECT_EQ(opening(victim.whole.substr(0, 300)), path + ": the header of the log is damaged or cut off");
  EXPECT_TRUE(message_of<base::SystemError>([&] {
                const LogReader log(victim.scratch / "none");
              }).ends_with("/none: the log cannot be opened (No such file or directory)"));
  EXPECT_THROW(LogReader("/dev/zero"), base::FormatError);
}

TEST(LogDamage, ACutLogIsReadUpToTheCut) {
  const Victim victim;
  std::mt19937_64 random(7);
  const std::uint64_t header = victim.layout.header_bytes;
  const std::uint64_t record = victim.layout.record_bytes;
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint64_t size =
        trial < 20 ? header + static_cast<std::uint64_t>(trial) * 11 : random() % victim.whole.size();
    test::put(victim.path, victim.whole.substr(0, size));
    if (size < header) {
      EXPECT_THROW(LogReader(victim.path, Damage::skip), base::FormatError) << size;
      continue;
    }
    const LogReader log(victim.path);
    EXPECT_EQ(log.bytes(), header + (size - header) / record * record) << size;
    EXPECT_FALSE(log.is_closed());
    EXPECT_FALSE(log.complete());
    std::uint64_t records = 0;
    for (std::uint64_t id = 0; id < few; ++id) records += log.trajectory(id).size();
    EXPECT_EQ(records, (size - header) / record);
  }
}

// Records whose checksums are right and whose words are not: what a mistaken or hostile writer makes.
TEST(LogDamage, WordsThatLieAreNotBelieved) {
  const Victim victim;
  std::mt19937_64 random(8);
  const std::uint64_t record = victim.layout.record_bytes;
  const std::uint64_t count = (victim.whole.size() - victim.layout.header_bytes) / record;
  const auto key = detail::word_at<std::uint64_t>(reinterpret_cast<const std::byte*>(victim.whole.data()) + 16);
  for (int trial = 0; trial < 500; ++trial) {
    std::string text = victim.whole;
    for (int change = 0; change < 5; ++change) {
      const std::uint64_t offset = victim.layout.header_bytes + random() % count * record;
      const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(text.data()) + offset, record);
      auto head = detail::word_at<detail::RecordHead>(bytes.data());
      const std::uint64_t lie = random() % 4 == 0 ? random() : random() % victim.whole.size();
      (change % 3 == 0 ? head.previous : change % 3 == 1 ? head.id : head.time_bits) = lie;
      detail::seal_record(bytes, head, static_cast<detail::RecordKind>(1 + random() % 5), key, offset);
    }
    test::put(victim.path, text);
    read_all(victim.path, Damage::skip);
    read_all(victim.path, Damage::refuse);
  }
  // A pointer that leads to itself would be followed for ever.
  std::string text = victim.whole;
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(text.data()) + victim.layout.header_bytes, record);
  auto head = detail::word_at<detail::RecordHead>(bytes.data());
  head.previous = victim.layout.header_bytes;
  detail::seal_record(bytes, head, detail::RecordKind::state, key, victim.layout.header_bytes);
  test::put(victim.path, text);
  EXPECT_EQ(message_of<base::FormatError>([&] { static_cast<void>(LogReader(victim.path).trajectory(head.id)); }),
            fmt::format("{}: the record of element {} at byte {} is not what was written; read the rest with "
                        "Damage::skip",
                        victim.path.string(), head.id, head.previous));
}

namespace {

/// What a child reports to its parent, who kills it.
struct Progress {
  std::atomic<std::uint64_t> records = 0;
  std::atomic<std::uint64_t> marks = 0;
};

constexpr std::uint64_t crowd = 64;

/// Round after round, a record for each of the crowd; a mark every tenth.
[[noreturn]] void write_for_ever(const fs::path& path, Progress& progress) {
  LogWriter log(path, wave_schema(), LogWriter::Options{std::uint64_t{1} << 16});
  std::vector<std::uint64_t> last(crowd);
  for (std::uint64_t round = 0;; ++round) {
    log.ensure_room(crowd);
    const auto time = static_cast<double>(round);
    LogBatch batch = log.reserve(crowd);
    for (std::uint64_t id = 0; id < crowd; ++id) {
      last[id] = batch.write(id, last[id], time, WaveFields{time, 1.0, 1.0F, 0});
    }
    batch.finish();
    progress.records += crowd;
    if (round % 10 != 0) continue;
    log.sync(time, crowd);
    ++progress.marks;
  }
}

}  // namespace

TEST(LogDamage, AKilledRunLeavesAllThatItWrote) {
  std::mt19937_64 random(9);
  void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  std::uint64_t all_marks = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const test::Scratch scratch;
    auto* const progress = new (shared) Progress;
    const pid_t child = ::fork();
    if (child == 0) write_for_ever(scratch / "output.log", *progress);
    // Killed at a random moment, but not before the first mark.
    while (progress->marks == 0 && ::kill(child, 0) == 0) ::usleep(200);
    ::usleep(static_cast<unsigned>(random() % 20000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    all_marks += progress->marks;

    const LogReader log(scratch / "output.log");
    ASSERT_TRUE(log.complete());
    EXPECT_GE(log.complete()->time, static_cast<double>((progress->marks - 1) * 10));
    EXPECT_EQ(log.state(log.complete()->time).size(), crowd);
    std::uint64_t records = 0;
    for (std::uint64_t id = 0; id < crowd; ++id) records += log.trajectory(id).size();
    EXPECT_GE(records, progress->records);
    EXPECT_LE(records, progress->records + crowd);  // it may have been killed before it counted
    for (const LogRange& range : log.unfinished())
      EXPECT_LE(range.end - range.begin, crowd * 56U) << "one batch at most";
  }
  ::munmap(shared, 4096);
  EXPECT_GE(all_marks, 20U);
}

namespace {

constexpr int is_not_permitted = 77;

/// A tmpfs of `bytes` over `directory`, seen by this process only; false if that is not permitted.
bool mount_little(const fs::path& directory, std::size_t bytes) {
  if (::unshare(CLONE_NEWNS) != 0) return false;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", directory.c_str(), "tmpfs", 0, fmt::format("size={}", bytes).c_str()) == 0;
}

/// Writes until there is no room: what was written must be there, and so must what still fits.
int fill(const fs::path& path, const std::string& advice) {
  LogWriter log(path, wave_schema(), LogWriter::Options{std::uint64_t{1} << 16});
  std::uint64_t last = 0;
  std::uint64_t count = 0;
  std::string message = "nothing";
  while (message == "nothing" && count < 100000) {
    message = message_of<base::SystemError>([&] { log.ensure_room(100); });
    if (message != "nothing") break;
    LogBatch batch = log.reserve(100);
    for (int k = 0; k < 100; ++k)
      last = batch.write(1, last, static_cast<double>(count++), WaveFields{1.0, 2.0, 3.0F, 4});
  }
  const std::regex expected(path.string() + R"(: cannot grow: needs [\d.]+ k?B, .* free; )" + advice);
  if (!std::regex_match(message, expected)) {
    std::fprintf(stderr, "unexpected message: %s\n", message.c_str());
    return 1;
  }
  // The room that is left may be used, a mark and the end find their place, and the log is as good as before.
  while (LogBatch batch = log.reserve(1)) last = batch.write(1, last, static_cast<double>(count++), WaveFields{});
  log.sync(static_cast<double>(count), 1);
  log.close(static_cast<double>(count), 1);
  const LogReader reader(path);
  if (reader.trajectory(1).size() != count || !reader.is_closed()) return 2;
  return reader.unfinished().empty() ? 0 : 3;
}

}  // namespace

TEST(LogDamage, AFullDiskIsFoundBeforeAnythingIsWritten) {
  const test::Scratch scratch;
  std::mt19937_64 random(10);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t room = 32768 + random() % 500000;
    const int result = test::in_child([&] {
      if (!mount_little(scratch.path(), room)) return is_not_permitted;
      return fill(scratch / "output.log",
                  R"(free some space in .* or choose another directory with --output DIR \(No space left on device\))");
    });
    if (result == is_not_permitted) {
      const char* ci = std::getenv("CI");
      ASSERT_FALSE(::geteuid() == 0 && ci != nullptr && std::string_view(ci) == "true")
          << "root in CI must be able to mount a tmpfs, or this promise is not tested";
      GTEST_SKIP() << "mounting a small tmpfs is not permitted here: full disks are NOT tested";
    }
    EXPECT_EQ(result, 0) << room;
  }
}

TEST(LogDamage, ALimitOnFileSizesIsAFullDisk) {
  const test::Scratch scratch;
  const auto limited = [&](rlim_t limit, const auto& action) {
    return test::in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limits{limit, limit};
      return ::setrlimit(RLIMIT_FSIZE, &limits) == 0 ? action() : 4;
    });
  };
  const std::string advice = R"(the file would exceed the allowed size: see 'ulimit -f' \(File too large\))";
  EXPECT_EQ(limited(200000, [&] { return fill(scratch / "a.log", advice); }), 0);
  // A log that cannot even begin leaves no file.
  EXPECT_EQ(limited(100,
                    [&] {
                      const std::string message =
                          message_of<base::SystemError>([&] { const LogWriter log(scratch / "b.log", wave_schema()); });
                      return message.find(": cannot grow: needs 752 B, ") != std::string::npos ? 0 : 1;
                    }),
            0);
  EXPECT_EQ(test::entries(scratch.path()), 1U);
}

// A file that is mostly a hole: numbers of records, offsets and elements beyond 2^32 without the bytes.
TEST(LogDamage, CountsBeyond32Bits) {
  const test::Scratch scratch;
  const fs::path path = scratch / "output.log";
  const LogLayout layout = layout_of(wave_schema());
  const std::uint64_t id = (std::uint64_t{1} << 32) + 5;
  const std::uint64_t records = (std::uint64_t{1} << 31) + 9;
  const std::uint64_t far = layout.header_bytes + records * layout.record_bytes;
  LogPosition position;
  std::uint64_t last = 0;
  {
    LogWriter log(path, wave_schema());
    log.ensure_room(1);
    last = log.reserve(1).write(id, 0, 0.0, Wave{id}.fields(0));
    position = log.sync(0.0, 1);
  }
  const int file = ::open(path.c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  if (::lseek(file, 0, SEEK_HOLE) < 0 || ::ftruncate(file, static_cast<off_t>(far + (1 << 20))) != 0 ||
      ::lseek(file, 1 << 20, SEEK_DATA) >= 0) {
    ::close(file);
    GTEST_SKIP() << "this file system has no holes, or no such long files: counts beyond 2^32 are NOT tested";
  }
  std::vector<std::byte> mark(layout.record_bytes);
  detail::seal_record(mark, {1, position.offset - layout.record_bytes, std::bit_cast<std::uint64_t>(1.0)},
                      detail::RecordKind::mark, position.log, far);
  EXPECT_EQ(::pwrite(file, mark.data(), mark.size(), static_cast<off_t>(far)), static_cast<ssize_t>(mark.size()));
  ::close(file);
  {
    LogWriter log(path, wave_schema(), {position.log, far + layout.record_bytes}, LogWriter::Options{4096});
    log.ensure_room(3);
    LogBatch batch = log.reserve(2);
    last = batch.write(id, last, 1.5, Wave{id}.fields(1));
    EXPECT_EQ(last, far + layout.record_bytes);
    batch.write(id, last, 2.0, Wave{id}.fields(2));
  }
  const LogReader log(path, Damage::skip);
  EXPECT_EQ(log.trajectory(id).time, (std::vector{0.0, 1.5, 2.0}));
  EXPECT_EQ(log.state(1.0).id, std::vector{id});
  EXPECT_EQ(log.complete()->offset, far);
  ASSERT_EQ(log.damaged().size(), 1U);  // the hole: it lies before a mark
  EXPECT_EQ(log.damaged().front(), (LogRange{position.offset, far}));
}

}  // namespace tacit::io::log_test
