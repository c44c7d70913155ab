// Arrays of more numbers than 2^32 and logs beyond 4 GiB, most of which the file system does not keep.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "log_case.hpp"
#include "scratch.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/log/index.hpp"

namespace tacit::io::large_test {
namespace {

constexpr std::uint64_t beyond = std::uint64_t{1} << 32U;

/// An array "x" of bytes, all 0 and without space on the disk, but for `value` at each of `places`.
void write_sparse(const std::filesystem::path& path, const std::vector<hsize_t>& shape,
                  const std::vector<std::vector<hsize_t>>& places, std::int8_t value) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t array = H5Dcreate2(file, "x", H5T_STD_I8LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hid_t one = H5Screate(H5S_SCALAR);
  for (const std::vector<hsize_t>& place : places) {
    H5Sselect_elements(space, H5S_SELECT_SET, 1, place.data());
    EXPECT_GE(H5Dwrite(array, H5T_NATIVE_INT8, one, space, H5P_DEFAULT, &value), 0);
  }
  H5Sclose(one);
  H5Dclose(array);
  H5Sclose(space);
  H5Pclose(layout);
  H5Fclose(file);
}

TEST(LargeFile, HasRowsBehind2To32) {
  const test::Scratch scratch;
  write_sparse(scratch / "a.hdf5", {beyond + 8}, {{beyond + 5}}, -3);
  const FileReader file(scratch / "a.hdf5");
  EXPECT_EQ(file.info("x").shape, std::vector<std::uint64_t>{beyond + 8});
  EXPECT_EQ(file.info("x").stored_bytes, beyond + 8);
  std::array<std::int8_t, 3> bytes{};
  file.read_rows("x", beyond + 4, std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes, (std::array<std::int8_t, 3>{0, -3, 0}));
  file.read_rows("x", 4, std::as_writable_bytes(std::span(bytes)));  // where 32 bits would have looked
  EXPECT_EQ(bytes, (std::array<std::int8_t, 3>{0, 0, 0}));
  std::array<double, 3> numbers{};
  file.read_rows("x", beyond + 5, numbers);
  EXPECT_EQ(numbers, (std::array{-3.0, 0.0, 0.0}));
  EXPECT_THROW(file.read_rows("x", beyond + 6, numbers), base::FormatError);
}

TEST(LargeFile, HasPartsBehind2To32) {
  const test::Scratch scratch;
  constexpr std::uint64_t side = std::uint64_t{1} << 17U;  // 2^34 numbers; a row of 2^17
  write_sparse(scratch / "a.hdf5", {side, side}, {{side - 1, side - 2}}, 7);
  const FileReader file(scratch / "a.hdf5");
  std::array<double, 4> numbers{};
  file.read_part("x", {{side - 2, side - 2}, {2, 2}}, numbers);
  EXPECT_EQ(numbers, (std::array{0.0, 0.0, 7.0, 0.0}));
  std::vector<std::byte> row(side);
  file.read_rows("x", side - 1, row);
  EXPECT_EQ(row[side - 2], std::byte{7});
}

TEST(FileReader, GivesRowsAsTheyAre) {
  const test::Scratch scratch;
  const std::vector<std::int64_t> values = {-5, std::int64_t{1} << 60, 0, -1, 2, 3};
  {
    FileWriter file(scratch / "a.hdf5");
    file.array("x", values, std::vector<std::uint64_t>{3, 2});
    file.commit();
  }
  const FileReader file(scratch / "a.hdf5");
  std::vector<std::int64_t> rows(4);
  file.read_rows("x", 1, std::as_writable_bytes(std::span(rows)));
  EXPECT_EQ(rows, (std::vector<std::int64_t>{0, -1, 2, 3}));
  EXPECT_THROW(file.read_rows("x", 2, std::as_writable_bytes(std::span(rows))), base::FormatError);
}

// Records, back-pointers and marks where a file gets longer than 2 and than 4 GiB, most of it a hole.
TEST(LargeLog, GrowsAcross31And32Bits) {
  for (const std::uint64_t edge : {std::uint64_t{1} << 31, std::uint64_t{1} << 32}) {
    const test::Scratch scratch;
    const std::filesystem::path path = scratch / "output.log";
    const LogLayout layout = layout_of(log_test::wave_schema());
    LogPosition position;
    { position = LogWriter(path, log_test::wave_schema()).sync(0.0, 0); }
    const std::uint64_t places = (edge - layout.header_bytes) / layout.record_bytes - 8;
    const std::uint64_t far = layout.header_bytes + places * layout.record_bytes;
    std::vector<std::byte> mark(layout.record_bytes);
    detail::seal_record(mark, {0, position.offset - layout.record_bytes, std::bit_cast<std::uint64_t>(0.5)},
                        detail::RecordKind::mark, position.log, far);
    const int file = ::open(path.c_str(), O_RDWR);
    ASSERT_GE(file, 0);
    EXPECT_EQ(::pwrite(file, mark.data(), mark.size(), static_cast<off_t>(far)), static_cast<ssize_t>(mark.size()));
    const auto behind = static_cast<off_t>(position.offset) + (off_t{1} << 20);
    const bool has_holes = ::lseek(file, behind, SEEK_HOLE) < static_cast<off_t>(far);
    ::close(file);
    if (!has_holes) GTEST_SKIP() << "this file system has no holes: logs beyond 2 GiB are NOT tested";
    std::vector<std::uint64_t> offsets;
    {
      LogWriter log(path, log_test::wave_schema(), {position.log, far + layout.record_bytes}, LogWriter::Options{4096});
      for (std::uint32_t step = 0; step < 100; ++step) {
        log.ensure_room(1);
        LogBatch batch = log.reserve(1);
        offsets.push_back(batch.write(3, step == 0 ? 0 : offsets.back(), 1.0 + step, log_test::Wave{3}.fields(step)));
      }
      log.sync(101.0, 1);
      position = log.close(102.0, 1);
    }
    EXPECT_LT(offsets.front(), edge);
    EXPECT_EQ(offsets.back(), far + 100 * layout.record_bytes);
    EXPECT_GT(offsets.back(), edge);
    EXPECT_EQ(position.offset, offsets.back() + 3 * layout.record_bytes);
    EXPECT_EQ(std::filesystem::file_size(path), position.offset);
    const LogReader log(path, Damage::skip);
    const auto trajectory = log.trajectory(3);
    ASSERT_EQ(trajectory.size(), 100U) << edge;
    for (std::uint32_t step = 0; step < 100; ++step) EXPECT_EQ(trajectory.time[step], 1.0 + step);
    EXPECT_EQ(log.state(50.5).id, std::vector<std::uint64_t>{3});
    EXPECT_TRUE(log.is_closed());
    EXPECT_EQ(log.complete()->offset, position.offset - layout.record_bytes);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_LT(status.st_blocks * 512, 8 << 20);
  }
}

TEST(LargeLog, HasAnIndexBeyond4GiB) {
  const test::Scratch scratch;
  detail::StoredLogIndex stored{.key = 7, .until = 5 * beyond, .last_mark = 5 * beyond - 64, .index = {}};
  stored.index.note(beyond + 9, 3 * beyond + 8);
  stored.index.note(9, beyond / 2 + 8);
  stored.index.note(beyond + 9, 4 * beyond + 8);
  stored.index.settle();
  stored.write(scratch / "a.index");
  const auto read = detail::StoredLogIndex::read(scratch / "a.index");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->until, 5 * beyond);
  EXPECT_EQ(read->last_mark, 5 * beyond - 64);
  ASSERT_EQ(read->index.entries().size(), 2U);
  EXPECT_EQ(read->index.last_of(9), beyond / 2 + 8);
  EXPECT_EQ(read->index.last_of(beyond + 9), 4 * beyond + 8);
}

}  // namespace
}  // namespace tacit::io::large_test
