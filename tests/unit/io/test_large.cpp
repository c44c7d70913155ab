// Arrays of more numbers than 2^32, most of which the file system does not keep: rows and parts behind that are found.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "tacit/io/file.hpp"

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

}  // namespace
}  // namespace tacit::io::large_test
