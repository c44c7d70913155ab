// HDF5 files as other programs make them: what the library reads is read, and what is refused is named.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "raw_file.hpp"
#include "scratch.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::foreign_file_test {
namespace {

namespace fs = std::filesystem;
using base::FormatError;
using test::add_virtual;
using test::in_chunks;
using test::integer_type;
using test::message_of;
using test::RawFile;
using test::read_error;

/// A real type of the bits sign, exponent, mantissa, from the highest one on. Closed by whoever asks.
hid_t real_type(std::size_t exponent_bits, std::size_t mantissa_bits, std::size_t bytes) {
  const hid_t type = H5Tcopy(bytes > 4 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
  if (bytes > 8) {  // the fields have to fit at any moment
    H5Tset_size(type, bytes);
    H5Tset_precision(type, 8 * bytes);
  }
  H5Tset_fields(type, exponent_bits + mantissa_bits, mantissa_bits, exponent_bits, 0, mantissa_bits);
  H5Tset_precision(type, 1 + exponent_bits + mantissa_bits);
  H5Tset_size(type, bytes);
  H5Tset_ebias(type, (std::size_t{1} << (exponent_bits - 1)) - 1);
  return type;
}

/// Writes 1, 2, 3, ... into `count` elements from `first` on, of an array with one axis.
void write_some(hid_t file, const char* name, hsize_t first, hsize_t count) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t memory = H5Screate_simple(1, &count, nullptr);
  const hid_t space = H5Dget_space(set);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr);
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Sclose(memory);
  H5Dclose(set);
}

std::vector<double> read_numbers(const fs::path& path, const std::string& array) {
  const FileReader file(path);
  std::uint64_t count = 1;
  for (const std::uint64_t n : file.info(array).shape) count *= n;
  std::vector<double> values(count);
  file.read(array, std::span(values));
  return values;
}

void write_numbers(const fs::path& path, const char* array, double first, std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  RawFile(path).array(array, H5T_NATIVE_DOUBLE, {count}, H5P_DEFAULT, values.data());
}

std::vector<double> range(double first, std::size_t count, double step = 1.0) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<double>(i);
  return values;
}

}  // namespace

TEST(ForeignFile, ReadsRealNumbersOfAnyLayout) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  const std::vector<double> values{1.0, -2.5, 0.0, 0.125, 96.0};  // of few bits, so exact in all
  const std::array<std::array<std::size_t, 3>, 6> layouts{
      {{5, 10, 2}, {8, 7, 2}, {8, 9, 4}, {4, 3, 1}, {11, 40, 8}, {15, 100, 16}}};
  {
    const RawFile raw(path);
    for (const auto& [exponent, mantissa, bytes] : layouts) {
      const hid_t type = real_type(exponent, mantissa, bytes);
      const std::string name = fmt::format("{} {}", exponent, mantissa);
      raw.array(name.c_str(), type, {values.size()});
      const hid_t set = H5Dopen2(raw.id, name.c_str(), H5P_DEFAULT);
      ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
      H5Dclose(set);
      H5Tclose(type);
    }
    for (const auto& [name, type] : {std::pair{"long", H5T_NATIVE_LDOUBLE}, std::pair{"vax", H5T_VAX_F32}}) {
      raw.array(name, type, {values.size()});
      const hid_t set = H5Dopen2(raw.id, name, H5P_DEFAULT);
      ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
      H5Dclose(set);
    }
  }
  const FileReader file(path);
  EXPECT_EQ(file.list("/").size(), layouts.size() + 2);
  for (const std::string& name : file.list("/")) {
    std::vector<double> read(values.size());
    file.read(name, std::span(read));
    EXPECT_EQ(read, values) << name;
  }
  EXPECT_EQ(file.info("5 10").type, Number::float32);
  EXPECT_EQ(file.info("11 40").type, Number::float64);
}

TEST(ForeignFile, ReadsIntegersOfAnyLength) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  const std::vector<std::uint64_t> ids{0, 1, (std::uint64_t{1} << 36U) + 3, (std::uint64_t{1} << 40U) - 1};
  const std::vector<std::int64_t> signed_ones{0, -1, 7, -(std::int64_t{1} << 30)};
  {
    const RawFile raw(path);
    const auto write = [&raw](const char* name, hid_t type, hid_t memory, const void* values, hid_t creation) {
      raw.array(name, type, {4}, creation);
      const hid_t set = H5Dopen2(raw.id, name, H5P_DEFAULT);
      ASSERT_GE(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << name;
      H5Dclose(set);
      H5Tclose(type);
    };
    const hid_t packed = in_chunks({4}, false);
    H5Pset_nbit(packed);
    write("six bytes", integer_type(H5T_STD_U64LE, 6, 48), H5T_NATIVE_UINT64, ids.data(), H5P_DEFAULT);
    write("40 bits", integer_type(H5T_STD_U64LE, 8, 40), H5T_NATIVE_UINT64, ids.data(), packed);
    write("40 bits behind 5", integer_type(H5T_STD_U64BE, 8, 40, 5), H5T_NATIVE_UINT64, ids.data(), H5P_DEFAULT);
    write("of 16 bytes", integer_type(H5T_STD_U64LE, 16, 64), H5T_NATIVE_UINT64, ids.data(), H5P_DEFAULT);
    write("signed", integer_type(H5T_STD_I64LE, 5, 33), H5T_NATIVE_INT64, signed_ones.data(), H5P_DEFAULT);
    const std::array<std::int8_t, 4> flags{0, 1, 1, 0};
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    H5Tenum_insert(truth, "FALSE", &flags[0]);
    H5Tenum_insert(truth, "TRUE", &flags[1]);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(raw.id, "flag", truth, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, truth, &flags[1]);
    H5Aclose(attribute);
    H5Sclose(space);
    raw.array("flags", truth, {4}, H5P_DEFAULT, flags.data());
    H5Tclose(truth);
    H5Pclose(packed);
  }
  const FileReader file(path);
  for (const char* name : {"six bytes", "40 bits", "40 bits behind 5", "of 16 bytes"}) {
    std::vector<std::uint64_t> read(4);
    file.read(name, std::span(read));
    EXPECT_EQ(read, ids) << name;
    EXPECT_EQ(file.info(name).type, Number::uint64);
    file.read_rows(name, 2, std::span(read).first(2));
    EXPECT_EQ(read[0], ids[2]);
  }
  std::vector<double> numbers(4);
  file.read("signed", std::span(numbers));
  EXPECT_EQ(numbers, (std::vector<double>{0.0, -1.0, 7.0, -0x1p30}));
  std::vector<std::uint64_t> counts(4);
  EXPECT_EQ(message_of<FormatError>([&] { file.read("signed", std::span(counts)); }),
            path.string() + ": signed: element 1 is -1, expected an integer >= 0");
  file.read("flags", std::span(counts));
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 1, 1, 0}));
  EXPECT_EQ(file.attribute("/", "flag"), std::vector<double>{1.0});
}

TEST(ForeignFile, FollowsVirtualArraysToFilesInItsFolder) {
  const test::Scratch scratch;
  const test::Scratch gone;
  fs::create_directories(scratch / "below");
  write_numbers(scratch / "one.hdf5", "x", 0.0, 40);
  write_numbers(scratch / "below" / "two.hdf5", "y", 100.0, 60);
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    add_virtual(raw.id, "rows", 100, {{"one.hdf5", "x", 0, 1, 40}, {"below/two.hdf5", "y", 40, 1, 60}});
    add_virtual(raw.id, "in turn", 80, {{"one.hdf5", "x", 0, 2, 40}, {"./below/two.hdf5", "y", 1, 2, 40}});
    add_virtual(raw.id, "gap", 50, {{"one.hdf5", "x", 5, 1, 40}});
    add_virtual(raw.id, "absolute", 40, {{(scratch / "one.hdf5").string(), "x", 0, 1, 40}});
    add_virtual(raw.id, "moved", 40, {{(gone / "one.hdf5").string(), "x", 0, 1, 40}});
    add_virtual(raw.id, "own", 100, {{".", "rows", 0, 1, 100}});
    raw.array("nothing yet", H5T_NATIVE_DOUBLE, {4});
  }
  std::vector<double> rows = range(0.0, 40);
  std::ranges::copy(range(100.0, 60), std::back_inserter(rows));
  EXPECT_EQ(read_numbers(path, "rows"), rows);
  EXPECT_EQ(read_numbers(path, "own"), rows);
  std::vector<double> part(30);
  FileReader(path).read_rows("rows", 25, std::span(part));
  EXPECT_EQ(part, std::vector<double>(rows.begin() + 25, rows.begin() + 55));
  std::vector<double> in_turn(80);
  for (std::size_t i = 0; i < 80; ++i) in_turn[i] = static_cast<double>(i / 2) + (i % 2 == 0 ? 0.0 : 100.0);
  EXPECT_EQ(read_numbers(path, "in turn"), in_turn);
  std::vector<double> gap(50, 0.0);
  std::iota(gap.begin() + 5, gap.begin() + 45, 0.0);
  EXPECT_EQ(read_numbers(path, "gap"), gap);
  EXPECT_EQ(read_numbers(path, "absolute"), range(0.0, 40));
  EXPECT_EQ(read_numbers(path, "moved"), range(0.0, 40));
  fs::create_directories(scratch / "links");
  fs::create_symlink(path, scratch / "links" / "b.hdf5");
  EXPECT_EQ(read_numbers(scratch / "links" / "b.hdf5", "rows"), rows);
}

TEST(ForeignFile, NamesWhatAVirtualArrayLacks) {
  const test::Scratch scratch;
  write_numbers(scratch / "one.hdf5", "x", 0.0, 40);
  test::put(scratch / "text.hdf5", "none");
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    add_virtual(raw.id, "file", 80, {{"one.hdf5", "x", 0, 1, 40}, {"two.hdf5", "x", 40, 1, 40}});
    add_virtual(raw.id, "array", 40, {{"one.hdf5", "y", 0, 1, 40}});
    add_virtual(raw.id, "text", 40, {{"text.hdf5", "y", 0, 1, 40}});
    // Of as many files as there are: the library counts them.
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t first = 0, block = 40, all = H5S_UNLIMITED;
    const hid_t there = H5Screate_simple(1, &block, nullptr);
    const hid_t here = H5Screate_simple(1, &block, &all);
    H5Sselect_hyperslab(here, H5S_SELECT_SET, &first, &block, &all, &block);
    ASSERT_GE(H5Pset_virtual(creation, here, "part%b.hdf5", "y", there), 0);
    H5Sselect_all(here);
    H5Dclose(H5Dcreate2(raw.id, "counted", H5T_NATIVE_DOUBLE, here, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(here);
    H5Sclose(there);
    H5Pclose(creation);
    add_virtual(raw.id, "circle", 40, {{".", "circle", 0, 1, 40}});
  }
  const std::string name = path.string();
  EXPECT_EQ(read_error(path, "file", 80),
            name + ": file is a virtual array over other files, of which two.hdf5 is missing");
  EXPECT_EQ(read_error(path, "array", 40), (scratch / "one.hdf5").string() + ": y is missing");
  EXPECT_EQ(read_error(path, "text", 40), (scratch / "text.hdf5").string() + ": is not an HDF5 file");
  write_numbers(scratch / "part0.hdf5", "y", 0.0, 40);
  EXPECT_EQ(read_error(path, "counted", 40), name +
                                                 ": counted is a virtual array over files 'part%b.hdf5', which is not "
                                                 "followed; give the file with the data itself");
  EXPECT_EQ(read_error(path, "circle", 40),
            name + ": circle is a virtual array over too many others; give the file with the data itself");
  std::string damaged = test::content(scratch / "one.hdf5");
  test::put(scratch / "one.hdf5", damaged.substr(0, damaged.size() - 50));
  EXPECT_NE(read_error(path, "file", 80).find("one.hdf5: is a truncated or damaged HDF5 file"), std::string::npos);
}

TEST(ForeignFile, GivesTheFillValueOfWhatWasNeverWritten) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const double seven = 7.5;
    raw.array("plain", H5T_NATIVE_FLOAT, {6, 3});
    const hid_t filled = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(filled, H5T_NATIVE_DOUBLE, &seven);
    raw.array("filled", H5T_NATIVE_DOUBLE, {4}, filled);
    raw.array("scalar", H5T_NATIVE_DOUBLE, {}, filled);
    H5Pclose(filled);
    for (const bool is_packed : {false, true}) {
      const hid_t chunked = in_chunks({10}, is_packed);
      H5Pset_fill_value(chunked, H5T_NATIVE_DOUBLE, &seven);
      raw.array(is_packed ? "packed" : "chunks", H5T_NATIVE_DOUBLE, {25}, chunked);
      raw.array(is_packed ? "packed in part" : "chunks in part", H5T_NATIVE_DOUBLE, {25}, chunked);
      write_some(raw.id, is_packed ? "packed in part" : "chunks in part", 10, 10);
      raw.array(is_packed ? "packed at the end" : "chunks at the end", H5T_NATIVE_DOUBLE, {25}, chunked);
      write_some(raw.id, is_packed ? "packed at the end" : "chunks at the end", 20, 5);
      H5Pclose(chunked);
    }
  }
  EXPECT_EQ(read_numbers(path, "plain"), std::vector<double>(18, 0.0));
  EXPECT_EQ(read_numbers(path, "filled"), std::vector<double>(4, 7.5));
  EXPECT_EQ(read_numbers(path, "scalar"), std::vector<double>(1, 7.5));
  for (const std::string name : {"chunks", "packed"}) {
    std::vector<double> expected(25, 7.5);
    EXPECT_EQ(read_numbers(path, name), expected);
    std::iota(expected.begin() + 20, expected.end(), 1.0);
    EXPECT_EQ(read_numbers(path, name + " at the end"), expected);
    std::ranges::fill(expected, 7.5);
    std::iota(expected.begin() + 10, expected.begin() + 20, 1.0);
    EXPECT_EQ(read_numbers(path, name + " in part"), expected);
    std::vector<double> part(12);
    FileReader(path).read_part(name + " in part", {{5}, {12}}, part);
    EXPECT_EQ(part, std::vector<double>(expected.begin() + 5, expected.begin() + 17));
    FileReader(path).read_rows(name + " in part", 12, std::span(part));
    EXPECT_EQ(part, std::vector<double>(expected.begin() + 12, expected.begin() + 24));
  }
}

TEST(ForeignFile, RefusesWhatIsNotWrittenAndHasNoFillValue) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(plain, H5D_FILL_TIME_NEVER);
    raw.array("never", H5T_NATIVE_DOUBLE, {6}, plain);
    H5Pset_fill_time(plain, H5D_FILL_TIME_IFSET);
    H5Pset_fill_value(plain, H5T_NATIVE_DOUBLE, nullptr);
    raw.array("undefined", H5T_NATIVE_DOUBLE, {6}, plain);
    H5Pclose(plain);
    const hid_t chunked = in_chunks({10}, true);
    H5Pset_fill_time(chunked, H5D_FILL_TIME_NEVER);
    raw.array("some", H5T_NATIVE_DOUBLE, {25}, chunked);
    write_some(raw.id, "some", 0, 10);
    H5Pclose(chunked);
  }
  for (const auto& [name, count] : {std::pair<std::string, std::size_t>{"never", 6}, {"undefined", 6}, {"some", 25}}) {
    EXPECT_EQ(read_error(path, name, count),
              path.string() + ": " + name +
                  " was never written, or not all of it, and has no fill value for the rest: write its numbers");
  }
}

TEST(ForeignFile, RefusesAListOfChunksThatIsDamaged) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const hid_t chunked = in_chunks({10}, true);
    raw.array("a", H5T_NATIVE_DOUBLE, {45}, chunked);
    write_some(raw.id, "a", 0, 30);
    H5Pclose(chunked);
  }
  // Before the address of a chunk stands its place: that of the second one, moved behind the end of the array.
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, "a", H5P_DEFAULT);
  haddr_t address = 0;
  hsize_t bytes = 0, place = 10;
  unsigned skipped = 0;
  ASSERT_GE(H5Dget_chunk_info_by_coord(set, &place, &skipped, &address, &bytes), 0);
  H5Dclose(set);
  H5Fclose(file);
  std::string content = test::content(path);
  const std::size_t at = content.find(std::string(reinterpret_cast<const char*>(&address), sizeof address));
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(content[at - 16], 10);
  content[at - 16] = 25;
  test::put(path, content);
  EXPECT_EQ(read_error(path, "a", 45),
            path.string() + ": a is stored in pieces that do not fit its shape: truncated or damaged");
}

}  // namespace tacit::io::foreign_file_test
