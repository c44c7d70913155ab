// Chunks that are not what the file says of them end in one clear error, whatever they claim.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "library_read.hpp"
#include "scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/detail/checksums.hpp"
#include "tacit/io/detail/pack.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/verify.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::io::reading_damage_test {

namespace fs = std::filesystem;
using test::message_of;

namespace {

constexpr std::size_t rows = 40;
constexpr std::size_t chunk_rows = 10;

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.5);
  return values;
}

/// What a chunk of rows of `values` is in a file. @param compression  0: neither shuffled nor compressed
std::vector<std::byte> packed(std::span<const double> values, int compression, bool has_checksum = true) {
  const detail::Packing packing{8, compression, has_checksum};
  std::vector<std::byte> memory(detail::room_to_pack(values.size_bytes(), packing));
  std::memcpy(memory.data(), values.data(), values.size_bytes());
  detail::Packer packer;
  memory.resize(packer.pack(memory, values.size_bytes(), packing));
  return memory;
}

/// Bytes with a checksum of the library behind them.
std::vector<std::byte> with_checksum(std::vector<std::byte> bytes) {
  const std::uint32_t sum = detail::fletcher32(bytes);
  bytes.resize(bytes.size() + sizeof sum);
  std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
  return bytes;
}

void add_filters(hid_t creation) {
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, 4);
  H5Pset_fletcher32(creation);
}

/// A chunk that is stored instead of a sound one.
struct Replacement {
  std::vector<std::byte> bytes;
  std::uint32_t skipped = 0;  // filters
};

/// An array "x" of 40 numbers in four chunks, of which the one from row `place` on is replaced.
void write_with(const fs::path& path, const Replacement& chunk, bool is_latest, hsize_t place = chunk_rows) {
  const test::LibraryFile file(path, is_latest);
  const std::vector<double> values = numbers(rows);
  file.array("x", H5T_IEEE_F64LE, {rows}, {chunk_rows}, add_filters, [&](hid_t set) {
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    EXPECT_GE(H5Dwrite_chunk(set, H5P_DEFAULT, chunk.skipped, &place, chunk.bytes.size(), chunk.bytes.data()), 0);
  });
}

std::vector<double> read_all(const fs::path& path, const Reading& reading) {
  std::vector<double> values(rows);
  FileReader(path, FileReader::Parts::needed, reading).read("x", std::span(values));
  return values;
}

void replace(std::string& content, std::size_t at, std::uint64_t word, std::size_t bytes) {
  std::memcpy(content.data() + at, &word, bytes);
}

}  // namespace

class ReadingDamage : public testing::Test {
 protected:
  std::string error_of(const Reading& reading) const {
    return message_of<base::FormatError>([&] { static_cast<void>(read_all(path_, reading)); });
  }
  /// Serially, by workers, and where the file has been verified.
  void expect_refused(const std::string& reason) {
    const std::string message = fmt::format("{}: x cannot be read: the file is damaged ({})", path_.string(), reason);
    for (const Reading& reading : {Reading{}, Reading{.workers = &scheduler_}, Reading{.is_verified = true}}) {
      EXPECT_EQ(error_of(reading), message);
    }
  }
  trace::Recorder recorder_{2, 1U << 10U};
  tasks::Scheduler scheduler_{2, recorder_};
  test::Scratch scratch_;
  fs::path path_ = scratch_ / "a.hdf5";
};

TEST_F(ReadingDamage, FiltersThatAreLeftOutForAChunkAreNotUndone) {
  const std::vector<double> values = numbers(rows);
  for (const hsize_t place : {0U, 10U, 30U}) {  // the last one, too
    const auto chunk = std::span(values).subspan(place, chunk_rows);
    const auto plain = std::as_bytes(chunk);
    const std::vector<std::byte> as_is(plain.begin(), plain.end());
    std::vector<std::byte> shuffled(plain.size());
    detail::shuffle(plain, 8, shuffled.data());
    for (const bool is_latest : {false, true}) {
      for (const Replacement& stored :
           {Replacement{packed(chunk, 4), 0}, Replacement{packed(chunk, 4, false), 4},
            Replacement{with_checksum(shuffled), 2}, Replacement{with_checksum(as_is), 3}, Replacement{as_is, 7}}) {
        write_with(path_, stored, is_latest, place);
        EXPECT_EQ(read_all(path_, {}), values) << stored.skipped;
        EXPECT_EQ(read_all(path_, {.workers = &scheduler_, .is_verified = true}), values) << stored.skipped;
        EXPECT_EQ(test::library_read<double>(path_, "x", {{0}, {rows}}), values) << stored.skipped;
      }
    }
  }
}

TEST_F(ReadingDamage, ChunksOfAnotherLengthAreRefused) {
  const std::vector<double> zeros(std::size_t{1} << 22U, 0.0);
  for (const bool is_latest : {false, true}) {
    // In a few kB many thousand times as much as the chunk has, then a little more, and less.
    for (const std::size_t count : {std::size_t{1} << 18U, chunk_rows + 1, chunk_rows - 1, std::size_t{1}}) {
      write_with(path_, {packed(std::span(zeros).first(count), 9)}, is_latest);
      expect_refused("a chunk cannot be decompressed");
    }
    write_with(path_, {packed(zeros, 9)}, is_latest);
    expect_refused("a chunk has a length that cannot be");
    write_with(path_, {packed(std::span(zeros).first(chunk_rows - 1), 0, false), 7}, is_latest);
    expect_refused("a chunk has another length than its shape says");
    write_with(path_, {std::vector<std::byte>(3)}, is_latest);
    expect_refused("a chunk does not fit its checksum");
    write_with(path_, {with_checksum(std::vector<std::byte>(20, std::byte{7}))}, is_latest);
    expect_refused("a chunk cannot be decompressed");
    write_with(path_, {std::vector<std::byte>(20000)}, is_latest);
    expect_refused("a chunk has a length that cannot be");
  }
}

TEST_F(ReadingDamage, ChunksElsewhereAreRefused) {
  // In this format nothing but the chunks has a checksum. Before the address of a chunk stand its length, the filters
  // that are left out, and its place.
  const std::vector<double> values = numbers(rows);
  write_with(path_, {packed(std::span(values).subspan(chunk_rows, chunk_rows), 4)}, false);
  const std::string sound = test::content(path_);
  const haddr_t address = test::address_of_chunk(path_, "x", {chunk_rows});
  const std::size_t at = sound.find(std::string(reinterpret_cast<const char*>(&address), sizeof address));
  ASSERT_NE(at, std::string::npos);
  const auto error_with = [&](std::size_t place, std::uint64_t word, std::size_t bytes, const Reading& reading) {
    std::string damaged = sound;
    replace(damaged, place, word, bytes);
    test::put(path_, damaged);
    return error_of(reading);
  };
  const std::string begin = path_.string() + ": x cannot be read: the file is damaged (";
  for (const Reading& reading : {Reading{}, Reading{.workers = &scheduler_}, Reading{.is_verified = true}}) {
    for (const std::uint64_t place : {std::uint64_t{1} << 40U, std::uint64_t{sound.size()}, UINT64_MAX - 5}) {
      EXPECT_TRUE(error_with(at, place, 8, reading).starts_with(begin)) << place;
    }
    for (const std::uint64_t length : {0U, 1U, 5000U, 0x7fffffffU, 0xffffffffU}) {
      EXPECT_TRUE(error_with(at - 24, length, 4, reading).starts_with(begin)) << length;
    }
  }
}

TEST_F(ReadingDamage, EveryFlippedBitOfAChunkIsSeen) {
  for (const int compression : {0, 1}) {
    {
      FileWriter file(path_, compression);
      file.array("x", numbers(rows), std::array<std::uint64_t, 1>{rows});
      file.commit();
    }
    const std::string sound = test::content(path_);
    const haddr_t address = test::address_of_chunk(path_, "x", {0});
    const std::size_t bytes = compression == 0 ? rows * 8 : packed(numbers(rows), 1, false).size();
    for (std::size_t bit = 0; bit < 8 * bytes; bit += 5) {
      std::string damaged = sound;
      damaged[address + bit / 8] = static_cast<char>(damaged[address + bit / 8] ^ (1 << bit % 8));
      test::put(path_, damaged);
      EXPECT_EQ(error_of({}), path_.string() +
                                  ": x cannot be read: the file is damaged (a chunk does not fit its "
                                  "checksum)")
          << "bit " << bit;
      EXPECT_TRUE(find_damage(path_));
      // Whoever says that it is verified is believed: either it cannot be unpacked, or it has other numbers.
      static_cast<void>(error_of({.is_verified = true}));
    }
  }
}

TEST_F(ReadingDamage, WorkersFindTheFirstOfAllDamages) {
  {
    const std::vector<double> values = numbers(std::size_t{1} << 22U);
    FileWriter file(path_);
    file.array("x", values, std::array<std::uint64_t, 2>{values.size() / 4, 4});
    file.commit();
  }
  EXPECT_EQ(find_damage(path_, 0, 1, &scheduler_), std::nullopt);
  std::string content = test::content(path_);
  for (const std::size_t part : {9U, 7U, 4U, 2U}) {
    const std::size_t at = content.size() / 10 * part;
    content[at] = static_cast<char>(content[at] ^ 1);
    test::put(path_, content);
    const auto alone = find_damage(path_);
    ASSERT_TRUE(alone);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(find_damage(path_, 0, 1, &scheduler_), alone);
  }
}

}  // namespace tacit::io::reading_damage_test
