// Files that are written beside the computation.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "scratch.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/compare.hpp"
#include "tacit/io/detail/contest.hpp"
#include "tacit/io/detail/part_gather.hpp"
#include "tacit/io/detail/shared_file.hpp"
#include "tacit/io/detail/write_queue.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/output.hpp"
#include "tacit/io/verify.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::io::output_test {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::uint64_t>;

constexpr std::uint64_t rows = 200001;  // 4.8 MB of doubles: 10 chunks

std::vector<double> sample() {
  std::vector<double> values(3 * rows);
  std::iota(values.begin(), values.end(), 0.25);
  return values;
}

void write_sample(FileWriter file) {
  std::vector<double> values = sample();
  file.group("g");
  file.array("g/x", values, Shape{rows, 3}, Number::float32);
  file.stream("g/id", Shape{rows},
              [](std::uint64_t first, std::span<std::uint64_t> out) { std::iota(out.begin(), out.end(), first); });
  file.attribute("g", "text", std::string_view("words"));
  file.part("g/part", Shape{rows, 3}, Number::float64, {.first = {0, 0}, .count = {rows, 3}}, values);
  std::ranges::fill(values, 0.0);  // what was given has been copied
  file.commit();
}

}  // namespace

TEST(Output, AWaitForTheDiskIsAnEventOfItsOwn) {
  trace::Recorder recorder(1, 64);
  std::promise<void> disk;
  {
    detail::WriteQueue queue(1U << 20U, &recorder);
    const auto file = std::make_shared<detail::QueuedFile>();
    queue.push(file, [&](detail::QueuedFile&) { disk.get_future().wait(); });
    static_cast<void>(queue.push_commit(file));
    queue.drain(0.01);  // in vain, so that it has waited all the time
    EXPECT_GE(recorder.seconds(0, trace::Category::disk_wait), 0.009);
    disk.set_value();
    queue.drain(60.0);
    EXPECT_EQ(queue.finished(), 1U);
  }
  EXPECT_EQ(recorder.seconds(0, trace::Category::output), 0.0) << "what it waits for is that of another thread";
}

TEST(Output, WritesTheSameFileBesideAndAtOnce) {
  const test::Scratch scratch;
  comm::testing::on_ranks(1, [&](comm::Communicator& ranks) {
    for (const int compression : {0, 1}) {
      write_sample(FileWriter(scratch / "once.hdf5", compression));
      // Much, little (callers wait, and pack), and next to no memory (one piece at a time).
      for (const std::uint64_t memory : {std::uint64_t{1} << 30U, std::uint64_t{1} << 20U, std::uint64_t{1}}) {
        Output output(ranks, {.staging_memory = memory});
        write_sample(FileWriter(scratch / "beside.hdf5", compression, output));
        output.finish();
        EXPECT_EQ(test::content(scratch / "beside.hdf5"), test::content(scratch / "once.hdf5")) << memory;
        const OutputCost cost = output.cost();
        EXPECT_GE(cost.bytes, rows * (12 + 8 + 24));
        EXPECT_LT(cost.bytes, rows * (12 + 8 + 24) + 3 * 24 * 10) << "last chunks are full";
        EXPECT_EQ(cost.file_bytes, fs::file_size(scratch / "beside.hdf5"));
        if (memory > 1) {
          EXPECT_LE(cost.peak_memory, memory);
        }
        EXPECT_EQ(cost.compressed_bytes, compression > 0 ? cost.bytes : 0);
        EXPECT_EQ(output.finished(), 1U);
      }
    }
  });
}

TEST(Output, IdleThreadsHelp) {
  const test::Scratch scratch;
  comm::testing::on_ranks(1, [&](comm::Communicator& ranks) {
    Output output(ranks, {.staging_memory = std::uint64_t{1} << 30U});
    EXPECT_FALSE(output.help());
    {
      std::atomic<bool> is_over{false};
      const std::jthread helper([&] {
        while (!is_over.load()) static_cast<void>(output.help());
      });
      for (int i = 0; i < 5; ++i) write_sample(FileWriter(scratch / "a.hdf5", 1, output));
      output.finish();
      is_over = true;
    }
    write_sample(FileWriter(scratch / "once.hdf5", 1));
    EXPECT_EQ(test::content(scratch / "a.hdf5"), test::content(scratch / "once.hdf5"));
  });
}

TEST(Output, FilesThatAreNotCommittedLeaveNothing) {
  const test::Scratch scratch;
  comm::testing::on_ranks(1, [&](comm::Communicator& ranks) {
    Output output(ranks, {.staging_memory = std::uint64_t{1} << 30U});
    {
      FileWriter file(scratch / "a.hdf5", 0, output);
      file.array("x", sample(), Shape{3 * rows});
    }
    output.finish();
    EXPECT_EQ(output.committed(), 0U);
  });
  EXPECT_EQ(test::entries(scratch.path()), 0U);
}

TEST(Output, AFailureIsSaidWhenAskedFor) {
  const test::Scratch scratch;
  comm::testing::on_ranks(1, [&](comm::Communicator& ranks) {
    Output output(ranks, {.staging_memory = std::uint64_t{1} << 20U});
    write_sample(FileWriter(scratch / "no_such_folder" / "a.hdf5", 0, output));  // more than memory holds
    write_sample(FileWriter(scratch / "b.hdf5", 0, output));
    const std::string message = test::message_of<base::SystemError>([&] { output.finish(); });
    EXPECT_EQ(message.find((scratch / "no_such_folder" / "a.hdf5").string() + ": cannot be written: needs "), 0U)
        << message;
    EXPECT_EQ(output.finished(), 2U);
    EXPECT_NO_THROW(output.check()) << "it is said once";
    EXPECT_FALSE(fs::exists(scratch / "b.hdf5")) << "what follows a failure may count on what failed";
  });
}

TEST(Output, RanksWithManyPartsMakeTheFileOfOne) {
  const test::Scratch scratch;
  const Shape shape{50000, 3};
  std::vector<std::int32_t> whole(150000);
  std::iota(whole.begin(), whole.end(), -70000);
  {
    FileWriter file(scratch / "alone.hdf5", 1);
    file.array("g/x", whole, shape);
    file.commit();
  }
  for (const std::size_t count : {1U, 2U, 4U}) {
    comm::testing::on_ranks(count, [&](comm::Communicator& ranks) {
      const std::uint64_t rank = number(ranks.rank());
      // Runs of 100 rows, dealt round; the last rank has nothing if there are four.
      const std::uint64_t dealt = count == 4 ? 3 : count;
      std::vector<Part> mine;
      std::vector<std::int32_t> values;
      for (std::uint64_t run = rank; rank < dealt && run < 500; run += dealt) {
        mine.push_back({.first = {100 * run, 0}, .count = {100, 3}});
        values.insert(values.end(), whole.begin() + 300 * static_cast<std::ptrdiff_t>(run),
                      whole.begin() + 300 * static_cast<std::ptrdiff_t>(run + 1));
      }
      Output output(ranks, {.staging_memory = 1U << 20U});
      FileWriter file(scratch / "together.hdf5", 1, output);
      file.parts("g/x", shape, Number::int32, mine, values);
      file.commit();
      output.finish();
    });
    EXPECT_EQ(test::content(scratch / "together.hdf5"), test::content(scratch / "alone.hdf5")) << count << " ranks";
  }
}

namespace {

/// What every rank gives to a file: boxes of a grid, runs of a list, a small array, numbers that all have.
class SampleOfRanks {
 public:
  static constexpr std::uint64_t nz = 20, ny = 30, nx = 50, items = 30000;

  SampleOfRanks() {
    std::iota(grid_.begin(), grid_.end(), 0.5);
    std::iota(list_.begin(), list_.end(), -7);
  }

  void write(FileWriter& file, comm::Communicator& ranks) const {
    const std::uint64_t rank = number(ranks.rank());
    const std::uint64_t size = ranks.size();
    file.group("g");
    file.attribute("g", "text", std::string_view("words"));
    // Slabs along y, of which the first rank has two.
    std::vector<Part> boxes;
    std::vector<double> values;
    const auto add_box = [&](std::uint64_t begin, std::uint64_t end) {
      boxes.push_back({.first = {0, begin, 0}, .count = {nz, end - begin, nx}});
      for (std::uint64_t z = 0; z < nz; ++z) {
        const auto from = grid_.begin() + static_cast<std::ptrdiff_t>((z * ny + begin) * nx);
        values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>((end - begin) * nx));
      }
    };
    if (rank == 0) add_box(0, 3);
    add_box(rank == 0 ? 3 : ny * rank / size, ny * (rank + 1) / size);
    file.parts("g/grid", Shape{nz, ny, nx}, Number::float32, boxes, values);
    // Runs of 1000 items, dealt round.
    std::vector<Part> runs;
    std::vector<std::int32_t> of_list;
    for (std::uint64_t run = rank; run < items / 1000; run += size) {
      runs.push_back({.first = {1000 * run}, .count = {1000}});
      const auto from = list_.begin() + static_cast<std::ptrdiff_t>(1000 * run);
      of_list.insert(of_list.end(), from, from + 1000);
    }
    file.parts("g/list", Shape{items}, Number::int32, runs, of_list);
    file.part("g/small", Shape{size}, Number::float64, {.first = {rank}, .count = {1}},
              std::array{static_cast<double>(rank)});
    file.array("all", std::array{1.0, 2.0}, Shape{2});
    file.attribute("g/grid", "unit", std::string_view("K"));
  }

  void expect_in(const fs::path& path, std::size_t ranks) const {
    const FileReader file(path);
    std::vector<double> grid(grid_.size());
    file.read("g/grid", std::span(grid));
    EXPECT_EQ(grid, grid_) << path;
    std::vector<double> list(list_.size());
    file.read("g/list", std::span(list));
    EXPECT_TRUE(std::ranges::equal(list, list_)) << path;
    EXPECT_EQ(file.info("g/list").type, Number::int32);
    std::vector<double> small(ranks);
    file.read("g/small", std::span(small));
    EXPECT_EQ(small.back(), static_cast<double>(ranks - 1));
    EXPECT_EQ(file.text_attribute("g/grid", "unit"), "K");
    std::vector<double> box(2 * 4 * 5);
    file.read_part("g/grid", {.first = {7, 2, 11}, .count = {2, 4, 5}}, box);
    EXPECT_EQ(box[0], grid_[(7 * ny + 2) * nx + 11]);
    EXPECT_EQ(box[39], grid_[(8 * ny + 5) * nx + 15]);
  }

 private:
  std::vector<double> grid_ = std::vector<double>(nz * ny * nx);  // exact in float32
  std::vector<std::int32_t> list_ = std::vector<std::int32_t>(items);
};

struct Strategy {
  const char* name;
  Writers writers;
  std::size_t files;  // on four ranks
};
constexpr std::array strategies{
    Strategy{"one", {Writers::Kind::one, 1}, 1},     Strategy{"two", {Writers::Kind::count, 2}, 3},
    Strategy{"three", {Writers::Kind::count, 3}, 4}, Strategy{"all", {Writers::Kind::all, 1}, 5},
    Strategy{"nodes", {Writers::Kind::nodes, 1}, 1}, Strategy{"shared", {Writers::Kind::shared, 1}, 1}};

}  // namespace

TEST(OutputWriters, AllMakeFilesOfTheSameContent) {
  const SampleOfRanks sample;
  for (const std::size_t count : {1U, 2U, 4U}) {
    for (const Strategy& strategy : strategies) {
      for (const std::uint64_t memory : {0U, 1U << 18U}) {
        for (const int compression : {0, 1}) {
          const test::Scratch scratch;
          const fs::path path = scratch / "a.hdf5";
          comm::testing::on_ranks(count, [&](comm::Communicator& ranks) {
            Output output(ranks, {.writers = strategy.writers, .staging_memory = memory});
            for (int i = 0; i < 2; ++i) {  // the second one replaces the first, parts and all
              FileWriter file(path, compression, output);
              sample.write(file, ranks);
              file.commit();
            }
            output.finish();
          });
          sample.expect_in(path, count);
          EXPECT_EQ(find_damage(path), std::nullopt);
          if (count == 4) {
            EXPECT_EQ(test::entries(scratch.path()), strategy.files) << strategy.name;
          }
        }
      }
    }
  }
}

namespace {

void write_shared(const fs::path& path, std::size_t count) {
  const SampleOfRanks sample;
  comm::testing::on_ranks(count, [&](comm::Communicator& ranks) {
    Output output(ranks, {.writers = {.kind = Writers::Kind::shared}});
    FileWriter file(path, 1, output);
    sample.write(file, ranks);
    file.commit();
  });
}

}  // namespace

TEST(SharedFile, HoldsArraysAsTheyAreInMemory) {
  const test::Scratch scratch;
  write_shared(scratch / "a.hdf5", 3);
  const std::string content = test::content(scratch / "a.hdf5");
  std::vector<std::int32_t> list(SampleOfRanks::items);
  std::iota(list.begin(), list.end(), -7);
  const std::size_t at = content.find({reinterpret_cast<const char*>(list.data()), 4 * list.size()});
  ASSERT_NE(at, std::string::npos) << "not compressed, and in one piece, though all ranks have written it";
  EXPECT_EQ(at % 4096, 0U);
  write_shared(scratch / "b.hdf5", 3);
  EXPECT_EQ(test::content(scratch / "b.hdf5"), content);
}

TEST(SharedFile, DamageIsFound) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_shared(path, 2);
  const std::string sound = test::content(path);
  ASSERT_EQ(find_damage(path), std::nullopt);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t at = i * (sound.size() - 1) / 199;
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (i % 8)));
    test::put(path, damaged);
    EXPECT_NE(find_damage(path), std::nullopt) << "byte " << at;
    test::put(path, sound.substr(0, at));
    EXPECT_NE(find_damage(path), std::nullopt) << "cut to " << at;
  }
}

TEST(SharedFile, IsAbsentWhereARankHasNotWrittenItsShare) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    detail::SharedFile file(path, &ranks, nullptr);
    const bool is_first = ranks.rank() == comm::RankId{0};
    const std::vector<double> values(50000, 1.0);
    const Part mine{.first = {is_first ? 0U : 50000U}, .count = {50000}};
    file.parts({"x", {100000}, Number::float64, 0},
               {std::span(&mine, 1), std::as_bytes(std::span(std::as_const(values)))});
    file.seal();
    if (!is_first) return;  // dies
    file.finish();
    EXPECT_EQ(test::message_of<base::SystemError>([&] { static_cast<void>(file.completion()()); }),
              path.string() + ": cannot be written: rank 1 failed to write its part");
  });
  EXPECT_EQ(test::entries(scratch.path()), 0U);
}

TEST(SharedFile, ThatCannotBeMadeIsSaidByAllRanks) {
  const test::Scratch scratch;
  fs::create_directory(scratch / "a.hdf5");
  for (const std::uint64_t memory : {0U, 1U << 20U}) {
    comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
      const auto write_to = [&](const fs::path& path) {
        Output output(ranks, {.writers = {.kind = Writers::Kind::shared}, .staging_memory = memory});
        return test::message_of<base::SystemError>([&] {
          FileWriter file(path, 0, output);
          file.array("x", sample(), Shape{3 * rows});
          file.commit();
          output.finish();
        });
      };
      const std::string taken = write_to(scratch / "a.hdf5");
      EXPECT_TRUE(taken.starts_with((scratch / "a.hdf5").string() + ": cannot be written: ")) << taken;
      if (ranks.rank() == comm::RankId{0}) {
        EXPECT_TRUE(taken.ends_with("a directory has this name; choose another name")) << taken;
      }
      const std::string nowhere = write_to(scratch / "no_folder" / "a.hdf5");
      EXPECT_NE(nowhere.find("no_folder does not exist: make it"), std::string::npos) << nowhere;
    });
  }
  EXPECT_EQ(test::entries(scratch.path()), 1U);
}

TEST(SharedFile, LeavesNothingWhereItIsNotCommitted) {
  const test::Scratch scratch;
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    Output output(ranks, {.writers = {.kind = Writers::Kind::shared}, .staging_memory = 1U << 20U});
    {
      FileWriter file(scratch / "a.hdf5", 0, output);
      SampleOfRanks().write(file, ranks);
    }
    output.finish();
  });
  EXPECT_EQ(test::entries(scratch.path()), 0U);
}

TEST(OutputWriters, AutomaticOnesTryAndSettle) {
  const SampleOfRanks sample;
  for (const std::size_t count : {1U, 2U, 4U}) {
    for (const std::uint64_t memory : {0U, 1U << 20U}) {
      const test::Scratch scratch;
      comm::testing::on_ranks(count, [&](comm::Communicator& ranks) {
        Output output(ranks, {.writers = {.kind = Writers::Kind::automatic},
                              .staging_memory = memory,
                              .least_trial_bytes = SampleOfRanks::items});
        std::vector<std::string> used;
        std::vector<std::string> news;
        for (int i = 0; i < 9; ++i) {
          FileWriter file(scratch / fmt::format("dump_{:03}.hdf5", i), 0, output);
          sample.write(file, ranks);
          file.commit();
          output.finish();
          used.push_back(output.strategies().at("dump"));
          for (std::string& one : output.take_news()) news.push_back(std::move(one));
        }
        const std::vector<std::string> all =
            count == 1 ? std::vector<std::string>{"one", "shared"} : std::vector<std::string>{"one", "all", "shared"};
        EXPECT_EQ(used[0], "one") << "the length is not known";
        EXPECT_TRUE(std::equal(all.begin(), all.end(), used.begin() + 1)) << "each is tried";
        EXPECT_EQ(used[7], used[8]) << "two trials of three are over";
        ASSERT_EQ(news.size(), 1U);
        EXPECT_TRUE(news[0].starts_with("from now on, files dump_* are written by ")) << news[0];
        // All ranks have chosen the same.
        const auto chosen = static_cast<std::uint32_t>(std::ranges::find(all, used[8]) - all.begin());
        std::uint32_t most = chosen;
        comm::AllReduce<std::uint32_t>(ranks, std::span(&most, 1), comm::Maximum{}).run();
        EXPECT_EQ(most, chosen);
        // Compressed arrays have no places that are known beforehand.
        for (int i = 0; i < 4; ++i) {
          FileWriter file(scratch / fmt::format("packed_{}.hdf5", i), 1, output);
          sample.write(file, ranks);
          file.commit();
          output.finish();
          EXPECT_NE(output.strategies().at("packed"), "shared");
        }
      });
      for (int i = 0; i < 9; ++i) sample.expect_in(scratch / fmt::format("dump_{:03}.hdf5", i), count);
    }
  }
}

TEST(OutputWriters, AutomaticOnesDoNotTryWhereFilesAreShort) {
  const SampleOfRanks sample;
  const test::Scratch scratch;
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    Output output(ranks, {.writers = {.kind = Writers::Kind::automatic}});
    for (int i = 0; i < 4; ++i) {
      FileWriter file(scratch / fmt::format("a_{}.hdf5", i), 0, output);
      sample.write(file, ranks);
      file.commit();
      EXPECT_EQ(output.strategies().at("a"), "one");
    }
    EXPECT_TRUE(output.take_news().empty());
  });
}

TEST(Contest, TakesTheFastestOfTwoRounds) {
  detail::Contest contest(3);
  std::vector<std::size_t> tried;
  const std::vector<double> costs{3.0, 1.2, 1.0, 0.9, 1.1};  // the first one is far slower, and not tried again
  for (const double cost : costs) {
    EXPECT_EQ(contest.winner(), std::nullopt);
    tried.push_back(contest.next({}));
    contest.add(tried.back(), cost);
  }
  EXPECT_EQ(tried, (std::vector<std::size_t>{0, 1, 2, 1, 2}));
  EXPECT_EQ(contest.winner(), 1U);
  EXPECT_EQ(contest.next({}), 1U);
  EXPECT_EQ(contest.cost(1), 0.9);
}

TEST(Contest, DoesNotWaitForResults) {
  const detail::Contest contest(3);
  EXPECT_EQ(contest.next({0}), 1U);
  EXPECT_EQ(contest.next({0, 1}), 2U);
  EXPECT_EQ(contest.next({0, 1, 2}), 0U);
}

TEST(OutputWriters, PartsLieBesideWhatALinkLeadsTo) {
  const SampleOfRanks sample;
  const test::Scratch scratch;
  fs::create_directories(scratch / "run");
  fs::create_directories(scratch / "links");
  const fs::path path = scratch / "run" / "a.hdf5";
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    Output output(ranks, {.writers = {.kind = Writers::Kind::all}});
    FileWriter file(path, 0, output);
    sample.write(file, ranks);
    file.commit();
  });
  const auto expect_found = [&](const fs::path& link) {
    EXPECT_EQ(test::message_of<base::Error>([&] {
                EXPECT_TRUE(compare_files(link, path, {}).differences.empty());
                EXPECT_EQ(find_damage(link), std::nullopt);
              }),
              "nothing");
    EXPECT_EQ(bytes_of_file(link), bytes_of_file(path));
    for (const std::string& part : names_of_parts(link)) EXPECT_TRUE(fs::exists(path_of_part(link, part)));
  };
  fs::create_symlink("../run/a.hdf5", scratch / "links" / "start.hdf5");
  expect_found(scratch / "links" / "start.hdf5");
  fs::create_symlink("start.hdf5", scratch / "links" / "again.hdf5");
  expect_found(scratch / "links" / "again.hdf5");
  // As of programs that keep files elsewhere under other names: every name is a link, and parts are beside that.
  fs::create_directories(scratch / "store");
  int number = 0;
  const std::vector<fs::path> files{fs::directory_iterator(scratch / "run"), {}};
  for (const fs::path& file : files) {
    const fs::path stored = scratch / "store" / fmt::format("{}", number++);
    fs::rename(file, stored);
    fs::create_symlink(stored, file);
  }
  EXPECT_EQ(files.size(), 3U);
  expect_found(path);
  remove_file(scratch / "links" / "start.hdf5");
  EXPECT_EQ(test::entries(scratch / "run"), 3U) << "those of a link stay";
}

TEST(OutputWriters, PartsThatAreNotThoseThatWereWrittenAreFound) {
  const SampleOfRanks sample;
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    Output output(ranks, {.writers = {.kind = Writers::Kind::all}});
    for (const char* name : {"a.hdf5", "b.hdf5"}) {
      FileWriter file(scratch / name, 0, output);
      sample.write(file, ranks);
      file.commit();
    }
  });
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(scratch.path())) {
    if (entry.path().filename().string().starts_with("a.part")) parts.push_back(entry.path());
  }
  std::ranges::sort(parts);
  ASSERT_EQ(parts.size(), 2U);
  const auto complaint = [&] {
    const std::string message = test::message_of<base::FormatError>([&] { const FileReader file(path); });
    const std::string begin = path.string() + ": its part " + parts[1].filename().string() + " ";
    return message.starts_with(begin) ? message.substr(begin.size()) : message;
  };
  EXPECT_EQ(complaint(), "nothing");
  const std::string sound = test::content(parts[1]);
  test::put(parts[1], sound.substr(0, sound.size() - 1));
  EXPECT_EQ(complaint(), fmt::format("has {} bytes, expected {}: it is cut off, or that of another file",
                                     sound.size() - 1, sound.size()));
  std::string flipped = sound;
  flipped[sound.size() - 100] = static_cast<char>(flipped[sound.size() - 100] ^ 1);
  test::put(parts[1], flipped);
  EXPECT_EQ(complaint(), "its footer of checksums does not fit its own checksum");
  flipped = sound;
  flipped[sound.size() / 2] = static_cast<char>(flipped[sound.size() / 2] ^ 1);
  test::put(parts[1], flipped);
  EXPECT_NE(find_damage(path), std::nullopt);
  test::put(parts[1], test::content(parts[0]));
  EXPECT_NE(complaint(), "nothing") << "swapped";
  fs::remove(parts[1]);
  EXPECT_EQ(complaint(), "is missing");
}

}  // namespace tacit::io::output_test
