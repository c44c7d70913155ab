// HDF5 files: what is written comes back, and what is hostile ends in one clear error.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "raw_file.hpp"
#include "scratch.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/verify.hpp"

namespace {

bool closes_fail = false;

}  // namespace

/// In place of that of the C library, for the HDF5 library too. Linux closes, whatever it says.
extern "C" int close(int descriptor) {
  const auto result = static_cast<int>(::syscall(SYS_close, descriptor));
  if (!closes_fail) return result;
  errno = EIO;
  return -1;
}

namespace tacit::io::file_test {
namespace {

namespace fs = std::filesystem;
using base::FormatError;
using base::SystemError;
using test::add_virtual;
using test::in_chunks;
using test::integer_type;
using test::message_of;
using test::RawFile;
using test::read_error;
using Shape = std::vector<std::uint64_t>;

std::vector<double> ramp(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i) * 0.25 - 3.0;  // exact in float32 to 2^24
  return values;
}

std::span<const double> view(const std::vector<double>& values) { return values; }

/// A small file with one of everything, as the fuzz tests damage it.
std::uint64_t write_example(const fs::path& path, int compression) {
  FileWriter file(path, compression);
  file.group("Header");
  file.attribute("Header", "Time", std::array{0.5});
  file.attribute("Header", "Count", std::array<std::int64_t, 3>{300, -1, 7});
  file.attribute("Header", "Name", std::string_view("example"));
  file.array("Gas/Coordinates", view(ramp(900)), Shape{300, 3}, Number::float64);
  file.array("Gas/Masses", view(ramp(300)), Shape{300}, Number::float32);
  std::vector<std::uint64_t> ids(300);
  std::iota(ids.begin(), ids.end(), 1U << 31);
  file.array("Gas/ParticleIDs", std::span<const std::uint64_t>(ids), Shape{300});
  return file.commit();
}

/// Everything in the example, as text, read through the public interface.
std::string read_example(const fs::path& path) {
  const FileReader file(path);
  std::vector<double> x(900), m(300);
  std::vector<std::uint64_t> ids(300);
  file.read("Gas/Coordinates", std::span(x));
  file.read("Gas/Masses", std::span(m));
  file.read("Gas/ParticleIDs", std::span(ids));
  std::string all;
  for (const double value : x) all += std::to_string(value) + ' ';
  for (const double value : m) all += std::to_string(value) + ' ';
  for (const std::uint64_t value : ids) all += std::to_string(value) + ' ';
  for (const double value : file.attribute("Header", "Count")) all += std::to_string(value) + ' ';
  for (const std::string& name : file.list("Gas")) {
    all += name + ' ';
    for (const std::uint64_t n : file.info("Gas/" + name).shape) all += std::to_string(n) + ' ';
  }
  for (const std::string& name : file.attribute_names("Header")) all += name + ' ';
  return all + std::to_string(file.attribute("Header", "Time").at(0)) + file.text_attribute("Header", "Name");
}

}  // namespace

TEST(FileWriter, WhatIsWrittenComesBack) {
  const test::Scratch scratch;
  for (const int compression : {0, 1, 9}) {
    const fs::path path = scratch / fmt::format("a{}.hdf5", compression);
    const std::uint64_t bytes = write_example(path, compression);
    EXPECT_EQ(bytes, fs::file_size(path));
    const FileReader file(path);
    EXPECT_EQ(file.path(), path);
    EXPECT_EQ(file.list("/"), (std::vector<std::string>{"Gas", "Header"}));
    EXPECT_EQ(file.list("Gas"), (std::vector<std::string>{"Coordinates", "Masses", "ParticleIDs"}));
    EXPECT_EQ(file.attribute_names("Header"), (std::vector<std::string>{"Count", "Name", "Time"}));
    EXPECT_EQ(file.attribute("Header", "Count"), (std::vector{300.0, -1.0, 7.0}));
    EXPECT_EQ(file.text_attribute("Header", "Name"), "example");
    const ArrayInfo info = file.info("Gas/Coordinates");
    EXPECT_EQ(info.shape, (Shape{300, 3}));
    EXPECT_EQ(info.type, Number::float64);
    EXPECT_EQ(file.info("Gas/Masses").type, Number::float32);
    EXPECT_EQ(file.info("Gas/ParticleIDs").type, Number::uint64);
    std::vector<double> x(900), m(300), ids_as_numbers(300);
    file.read("Gas/Coordinates", std::span(x));
    file.read("Gas/Masses", std::span(m));
    file.read("Gas/ParticleIDs", std::span(ids_as_numbers));
    EXPECT_EQ(x, ramp(900));
    EXPECT_EQ(m, ramp(300));
    EXPECT_EQ(ids_as_numbers.back(), 2147483648.0 + 299.0);
    EXPECT_TRUE(file.has("Gas"));
    EXPECT_TRUE(file.has("Gas/Masses"));
    EXPECT_FALSE(file.has("Gas/Masses/x"));
    EXPECT_FALSE(file.has("No/Such/Path"));
    EXPECT_TRUE(file.has_attribute("Header", "Time"));
    EXPECT_FALSE(file.has_attribute("Header", "Tim"));
    EXPECT_FALSE(file.has_attribute("Nothing", "Time"));
  }
}

TEST(FileWriter, ExtremeNumbersAndSizesSurvive) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  const double huge = std::numeric_limits<double>::max();
  const std::vector<double> special{huge, -huge, 0x1.0p-1074, std::numeric_limits<double>::infinity(), -0.0};
  const std::vector<double> many = ramp(300000);  // several chunks, the last one partial
  const std::vector<std::uint64_t> ids{0, 1, UINT64_MAX};
  const std::vector<std::int64_t> offsets{INT64_MIN, 0, INT64_MAX};
  const std::string long_text(200000, 'x');  // beyond the 64 KiB of an object header
  {
    FileWriter file(path, 4);
    file.array("special", view(special), Shape{5}, Number::float64);
    file.array("many", view(many), Shape{100000, 3}, Number::float32);
    file.array("none", std::span<const double>(), Shape{0}, Number::float64);
    file.array("none3", std::span<const double>(), Shape{0, 3}, Number::float32);
    file.array("ids", std::span<const std::uint64_t>(ids), Shape{3});
    file.array("offsets", std::span<const std::int64_t>(offsets), Shape{3});
    file.attribute("/", "text", long_text);
    file.attribute("/", "umlaut", std::string_view("\xc3\xa4"));
    file.attribute("/", "empty", std::string_view(""));
    file.commit();
  }
  const FileReader file(path);
  std::vector<double> values(5), back(300000);
  file.read("special", std::span(values));
  EXPECT_EQ(values, special);
  EXPECT_TRUE(std::signbit(values.back()));
  file.read("many", std::span(back));
  EXPECT_EQ(back, many);
  EXPECT_LT(file.info("many").stored_bytes, 4 * many.size());
  file.read("none3", std::span(values).first(0));
  EXPECT_EQ(file.info("none3").shape, (Shape{0, 3}));
  std::vector<std::uint64_t> ids_back(3);
  file.read("ids", std::span(ids_back));
  EXPECT_EQ(ids_back, ids);
  std::vector<double> offsets_back(3);
  file.read("offsets", std::span(offsets_back));
  EXPECT_EQ(offsets_back[0], -0x1.0p63);
  EXPECT_EQ(file.text_attribute("/", "text"), long_text);
  EXPECT_EQ(file.text_attribute("/", "umlaut"), "\xc3\xa4");
  EXPECT_EQ(file.text_attribute("/", "empty"), "");
}

TEST(FileWriter, EveryArrayCarriesAChecksum) {
  const test::Scratch scratch;
  for (const int compression : {0, 4}) {
    const fs::path path = scratch / "a.hdf5";
    write_example(path, compression);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t array = H5Dopen2(file, "Gas/Masses", H5P_DEFAULT);
    const hid_t creation = H5Dget_create_plist(array);
    EXPECT_EQ(H5Pget_nfilters(creation), compression == 0 ? 1 : 3);
    unsigned flags = 0;
    std::size_t none = 0;
    EXPECT_EQ(H5Pget_filter2(creation, compression == 0 ? 0 : 2, &flags, &none, nullptr, 0, nullptr, nullptr),
              H5Z_FILTER_FLETCHER32);
    H5Pclose(creation);
    H5Dclose(array);
    H5Fclose(file);
  }
}

TEST(FileWriter, TheSameContentGivesTheSameBytes) {
  const test::Scratch scratch;
  write_example(scratch / "a.hdf5", 4);
  ::usleep(1100000);  // a time stamp to the second would differ
  write_example(scratch / "b.hdf5", 4);
  EXPECT_TRUE(test::content(scratch / "a.hdf5") == test::content(scratch / "b.hdf5"));
}

TEST(FileWriter, MoveKeepsTheFile) {
  const test::Scratch scratch;
  FileWriter first(scratch / "a.hdf5");
  first.group("A");
  FileWriter second = std::move(first);
  FileWriter third(scratch / "b.hdf5");
  third = std::move(second);
  third.group("B");
  third.commit();
  FileReader reader(scratch / "a.hdf5");
  FileReader moved = std::move(reader);
  EXPECT_EQ(moved.list("/"), (std::vector<std::string>{"A", "B"}));
  EXPECT_FALSE(fs::exists(scratch / "b.hdf5"));
}

TEST(FileReader, SaysWhatIsNoHdf5File) {
  const test::Scratch scratch;
  const auto opening = [](const fs::path& path) {
    return message_of<base::Error>([&path] { const FileReader file(path); });
  };
  const std::string name = (scratch / "a.hdf5").string();
  EXPECT_EQ(opening(name), name + ": cannot be opened for reading (No such file or directory)");
  EXPECT_EQ(opening(scratch.path()), scratch.path().string() + ": is a directory, expected an HDF5 file");
  fs::create_symlink("nowhere.hdf5", scratch / "link");
  EXPECT_EQ(opening(scratch / "link"),
            (scratch / "link").string() + ": is a link to nowhere.hdf5 (No such file or directory)");
  test::put(name, "");
  EXPECT_EQ(opening(name), name + ": is empty, expected an HDF5 file");
  test::put(name, "time,energy\n0,1\n");
  EXPECT_EQ(opening(name), name + ": is not an HDF5 file");
  test::put(name, std::string(5000, 'x'));
  EXPECT_EQ(opening(name), name + ": is not an HDF5 file");
  EXPECT_EQ(opening(name + "/b"), name + "/b: cannot be opened for reading (Not a directory)");
  const std::string pipe = (scratch / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(opening(pipe), pipe + ": is no regular file, expected an HDF5 file");
  test::put(name, "\x89HDF\r\n\x1a\n");
  EXPECT_TRUE(opening(name).starts_with(name + ": is a truncated or damaged HDF5 file (")) << opening(name);
}

TEST(FileReader, SaysThatPermissionIsMissing) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_example(path, 0);
  fs::permissions(path, fs::perms::none);
  fs::permissions(scratch.path(), fs::perms::all);
  const int result = test::in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 3;  // root may read everything: ask as nobody
    const std::string message = message_of<SystemError>([&] { const FileReader file(path); });
    return message == path.string() + ": cannot be opened for reading (Permission denied)" ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST(FileReader, SaysWhatAnArrayIsInstead) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_example(path, 4);
  const std::string name = path.string();
  EXPECT_EQ(read_error(path, "Gas/Nothing", 3), name + ": Gas/Nothing is missing");
  EXPECT_EQ(read_error(path, "No/Nothing", 3), name + ": No/Nothing is missing");
  EXPECT_EQ(read_error(path, "Gas", 3), name + ": Gas is a group, expected an array");
  EXPECT_EQ(read_error(path, "Gas/Masses", 299), name + ": Gas/Masses has shape (300), expected 299 elements");
  EXPECT_EQ(read_error(path, "Gas/Coordinates", 300),
            name + ": Gas/Coordinates has shape (300, 3), expected 300 elements");
  std::vector<std::uint64_t> ids(300);
  EXPECT_EQ(message_of<FormatError>([&] { FileReader(path).read("Gas/Masses", std::span(ids)); }),
            name + ": Gas/Masses holds float32, expected integers");
  EXPECT_EQ(message_of<FormatError>([&] { (void)FileReader(path).list("Gas/Masses"); }),
            name + ": Gas/Masses is an array, expected a group");
  EXPECT_EQ(message_of<FormatError>([&] { (void)FileReader(path).list("Nothing"); }), name + ": Nothing is missing");
  EXPECT_EQ(message_of<FormatError>([&] { (void)FileReader(path).info("Gas"); }),
            name + ": Gas is a group, expected an array");
}

TEST(FileReader, NamesLinksThatLeadNowhere) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile file(path);
    H5Lcreate_soft("/Nothing", file.id, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("b.hdf5", "/x", file.id, "external", H5P_DEFAULT, H5P_DEFAULT);
  }
  const FileReader file(path);
  for (const std::string name : {"soft", "external", "soft/below"}) {
    const std::string message = path.string() + ": " + name.substr(0, name.find('/')) +
                                " is a link that leads to nothing in this file; links to other files are not followed";
    EXPECT_EQ(read_error(path, name, 3), message);
    EXPECT_EQ(message_of<FormatError>([&] { static_cast<void>(file.has(name)); }), message);
    EXPECT_FALSE(file.is_array(name));
  }
}

TEST(FileReader, SaysWhatAnAttributeIsInstead) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_example(path, 0);
  const std::string name = path.string();
  const FileReader file(path);
  const auto number = [&](const char* object, const char* attribute) {
    return message_of<FormatError>([&] { (void)file.attribute(object, attribute); });
  };
  EXPECT_EQ(number("Header", "Mass"), name + ": Header: attribute 'Mass' is missing");
  EXPECT_EQ(number("Heads", "Mass"), name + ": Heads is missing");
  EXPECT_EQ(number("Header", "Name"), name + ": Header: attribute 'Name' holds text, expected numbers");
  EXPECT_EQ(message_of<FormatError>([&] { (void)file.text_attribute("Header", "Time"); }),
            name + ": Header: attribute 'Time' is not a text");
}

TEST(FileReader, ReadsTextsOfEveryKind) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const hid_t variable = H5Tcopy(H5T_C_S1);
    H5Tset_size(variable, H5T_VARIABLE);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(raw.id, "variable", variable, scalar, H5P_DEFAULT, H5P_DEFAULT);
    const char* text = "of any length";
    H5Awrite(attribute, variable, &text);
    H5Aclose(attribute);
    const hsize_t one = 1;
    const hid_t list = H5Screate_simple(1, &one, nullptr);
    const hid_t unterminated = H5Tcopy(H5T_C_S1);
    H5Tset_size(unterminated, 4);
    H5Tset_strpad(unterminated, H5T_STR_NULLPAD);
    const hid_t padded = H5Acreate2(raw.id, "padded", unterminated, list, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(padded, unterminated, "four");
    H5Aclose(padded);
    const hid_t nothing = H5Screate(H5S_NULL);
    H5Aclose(H5Acreate2(raw.id, "null", H5T_NATIVE_DOUBLE, nothing, H5P_DEFAULT, H5P_DEFAULT));
    for (const hid_t space : {scalar, list, nothing}) H5Sclose(space);
    for (const hid_t type : {variable, unterminated}) H5Tclose(type);
  }
  const FileReader file(path);
  EXPECT_EQ(file.text_attribute("/", "variable"), "of any length");
  EXPECT_EQ(file.text_attribute("/", "padded"), "four");
  EXPECT_EQ(message_of<FormatError>([&] { (void)file.attribute("/", "null"); }),
            path.string() + ": /: attribute 'null' has 0 elements, expected a few");
}

TEST(FileReader, RefusesNegativeNumbersWhereNoneCanBe) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const std::array<std::int32_t, 3> ids{4, -7, 2};
    raw.array("ids", H5T_NATIVE_INT32, {3}, H5P_DEFAULT, ids.data());
    const std::array<std::uint16_t, 2> small{65535, 1};
    raw.array("small", H5T_NATIVE_UINT16, {2}, H5P_DEFAULT, small.data());
  }
  const FileReader file(path);
  std::vector<std::uint64_t> ids(3), small(2);
  EXPECT_EQ(message_of<FormatError>([&] { file.read("ids", std::span(ids)); }),
            path.string() + ": ids: element 1 is -7, expected an integer >= 0");
  file.read("small", std::span(small));
  EXPECT_EQ(small, (std::vector<std::uint64_t>{65535, 1}));
}

TEST(FileReader, RefusesForeignTypes) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    raw.array("text", text, {3}, H5P_DEFAULT, "1.0     2.0     3.0     ");
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(pair, "x", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(pair, "y", 8, H5T_NATIVE_DOUBLE);
    raw.array("pair", pair, {3});
    const hid_t wide = integer_type(H5T_STD_U64LE, 16, 65);
    raw.array("wide", wide, {3});
    raw.array("bits", H5T_STD_B8LE, {3});
    for (const hid_t type : {text, pair, wide}) H5Tclose(type);
  }
  EXPECT_EQ(read_error(path, "text", 3), path.string() + ": text holds text, expected numbers");
  EXPECT_EQ(read_error(path, "pair", 3),
            path.string() + ": pair holds records of several fields (a compound type), expected numbers");
  EXPECT_EQ(read_error(path, "wide", 3),
            path.string() + ": wide holds integers of 65 bits in 16 bytes, expected numbers");
  EXPECT_EQ(read_error(path, "bits", 3), path.string() + ": bits holds bit fields, expected numbers");
}

TEST(FileReader, NeverLeavesTheFile) {
  const test::Scratch scratch;
  const fs::path other = scratch / "other.hdf5";
  write_example(other, 0);
  const test::Scratch elsewhere;
  write_example(elsewhere / "other.hdf5", 0);
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    H5Lcreate_external(other.c_str(), "/Gas", raw.id, "Gas", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/Gas/Masses", raw.id, "masses", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/loop", raw.id, "loop", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t outside = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(outside, "/etc/hostname", 0, 24);
    raw.array("outside", H5T_NATIVE_DOUBLE, {3}, outside);
    H5Pclose(outside);
    add_virtual(raw.id, "parts", 3, {{(elsewhere / "other.hdf5").string(), "/Gas/Masses", 0, 1, 3}});
    add_virtual(raw.id, "above", 3, {{"../other.hdf5", "/Gas/Masses", 0, 1, 3}});
  }
  const std::string name = path.string();
  const std::string nowhere = " is a link that leads to nothing in this file; links to other files are not followed";
  EXPECT_EQ(read_error(path, "Gas/Masses", 300), name + ": Gas" + nowhere);
  EXPECT_EQ(read_error(path, "masses", 300), name + ": masses" + nowhere);
  EXPECT_EQ(read_error(path, "loop", 3), name + ": loop" + nowhere);
  EXPECT_EQ(read_error(path, "outside", 3), name + ": outside keeps its data in another file, which is not followed");
  const std::string outside =
      " as a file of virtual arrays, which is not in its folder; copy it there, or give the file with the data itself";
  EXPECT_EQ(read_error(path, "parts", 3), name + ": names " + (elsewhere / "other.hdf5").string() + outside);
  EXPECT_EQ(read_error(path, "above", 3), name + ": names ../other.hdf5" + outside);
}

TEST(FileReader, RefusesClaimsThatTheFileCannotHold) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    raw.array("claimed", H5T_NATIVE_DOUBLE, {1U << 30, 1U << 30});
    raw.array("overflow", H5T_NATIVE_DOUBLE, {1ULL << 40, 1ULL << 40});
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const std::array<hsize_t, 1> chunk{1000};
    H5Pset_chunk(chunked, 1, chunk.data());
    H5Pset_deflate(chunked, 4);
    raw.array("packed", H5T_NATIVE_DOUBLE, {1ULL << 43}, chunked);
    H5Pclose(chunked);
  }
  const auto asking = [&](const char* array) {
    return message_of<FormatError>([&] { (void)FileReader(path).info(array); });
  };
  const std::string tail = " bytes of data, but the file stores only 0 for it: truncated or damaged";
  EXPECT_EQ(asking("claimed"), path.string() + ": claimed claims 9223372036854775808" + tail);
  EXPECT_EQ(asking("overflow"), path.string() + ": overflow claims 18446744073709551615" + tail);
  EXPECT_EQ(asking("packed"), path.string() + ": packed claims 70368744177664" + tail);
  EXPECT_EQ(read_error(path, "packed", 3), path.string() + ": packed has shape (8796093022208), expected 3 elements");
}

// An old-format file has no checksums on its headers; this flip (chunk of 1000 rows by 1 made 1000 by 1025) once made
// the library copy beyond its buffer.
TEST(FileReader, RefusesAChunkShapeThatIsTooLarge) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  {
    const RawFile raw(path);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const std::array<hsize_t, 2> chunk{1000, 1};
    H5Pset_chunk(chunked, 2, chunk.data());
    H5Pset_deflate(chunked, 4);
    raw.array("a", H5T_NATIVE_DOUBLE, {5000, 3}, chunked, ramp(15000).data());
    H5Pclose(chunked);
  }
  std::string bytes = test::content(path);
  const std::size_t at = bytes.find(std::string_view("\xe8\x03\0\0\1\0\0\0\x08\0\0\0", 12));  // 1000, 1, 8
  ASSERT_NE(at, std::string::npos);
  bytes[at + 5] = 4;
  test::put(path, bytes);
  EXPECT_EQ(test::in_child([&] { return read_error(path, "a", 15000).find("pieces") != std::string::npos ? 0 : 1; }),
            0);
}

TEST(FileReader, AFileThatCannotBeClosedDoesNoHarm) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_example(path, 0);
  const std::string expected = read_example(path);
  const int result = test::in_child([&] {
    closes_fail = true;
    const bool is_read = read_example(path) == expected && read_example(path) == expected;
    closes_fail = false;
    std::exit(is_read && read_example(path) == expected ? 0 : 1);  // with all that is done then
    return 2;
  });
  EXPECT_EQ(result, 0);
}

TEST(FileReader, NamesAFilterThatIsMissing) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  constexpr H5Z_filter_t foreign = 300;
  const H5Z_class2_t identity{
      H5Z_CLASS_T_VERS,
      foreign,
      1,
      1,
      "identity",
      nullptr,
      nullptr,
      [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) { return bytes; }};
  ASSERT_GE(H5Zregister(&identity), 0);
  {
    const RawFile raw(path);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t three = 3;
    H5Pset_chunk(creation, 1, &three);
    H5Pset_filter(creation, foreign, 0, 0, nullptr);
    const std::array<double, 3> values{1, 2, 3};
    raw.array("a", H5T_NATIVE_DOUBLE, {3}, creation, values.data());
    H5Pclose(creation);
  }
  EXPECT_EQ(read_error(path, "a", 3), "nothing");
  ASSERT_GE(H5Zunregister(foreign), 0);
  EXPECT_EQ(read_error(path, "a", 3),
            path.string() +
                ": a is stored with filter 300, which this HDF5 library does not have; repack the file, for "
                "example with h5repack -f GZIP=4");
}

namespace {

/// What became of a damaged file: the exit status of a child that read it.
enum Outcome { unharmed = 0, refused = 1, changed = 2, other_exception = 3 };

Outcome read_damaged(const fs::path& path, const std::string& expected) {
  try {
    return read_example(path) == expected ? unharmed : changed;
  } catch (const base::Error&) {
    return refused;
  } catch (...) {
    return other_exception;
  }
}

/// How many damaged files: the quick suite draws some, --full more.
int damaged_files(int quick, int full) { return std::getenv("TACIT_TEST_FULL") != nullptr ? full : quick; }

}  // namespace

TEST(FileReaderDamage, EveryTruncationIsRefused) {
  const test::Scratch scratch;
  std::mt19937_64 random(1);
  for (const int compression : {0, 4}) {
    write_example(scratch / "whole.hdf5", compression);
    const std::string whole = test::content(scratch / "whole.hdf5");
    std::string damage;
    const std::uint64_t data_bytes = detail::read_footer((scratch / "whole.hdf5").string(), damage)->data_bytes;
    const std::string expected = read_example(scratch / "whole.hdf5");
    for (int trial = 0; trial < damaged_files(40, 200); ++trial) {
      const std::size_t length =
          trial < 10 ? whole.size() - 1 - static_cast<std::size_t>(trial) : random() % whole.size();
      test::put(scratch / "cut.hdf5", std::string_view(whole).substr(0, length));
      EXPECT_NE(find_damage(scratch / "cut.hdf5"), std::nullopt) << length;
      // The library does not see what is behind its data.
      const bool is_cut_behind = length >= data_bytes;
      EXPECT_EQ(test::in_child([&] { return read_damaged(scratch / "cut.hdf5", expected); }),
                is_cut_behind ? unharmed : refused)
          << length;
    }
  }
}

// The format has a checksum on all metadata and the arrays one on all data, so no flip may change what is read.
TEST(FileReaderDamage, NoBitFlipCrashesHangsOrPassesUnseen) {
  const test::Scratch scratch;
  std::mt19937_64 random(2);
  for (const int compression : {0, 4}) {
    write_example(scratch / "whole.hdf5", compression);
    const std::string whole = test::content(scratch / "whole.hdf5");
    const std::string expected = read_example(scratch / "whole.hdf5");
    std::array<int, 4> outcomes{};
    const int trials = damaged_files(200, 1000);
    for (int trial = 0; trial < trials; ++trial) {
      std::string damaged = whole;
      const std::size_t bit = random() % (8 * whole.size());
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      test::put(scratch / "flipped.hdf5", damaged);
      const int outcome = test::in_child([&] { return read_damaged(scratch / "flipped.hdf5", expected); });
      ASSERT_TRUE(outcome == unharmed || outcome == refused) << "outcome " << outcome << " at bit " << bit;
      ++outcomes[static_cast<std::size_t>(outcome)];
    }
    // What is unharmed is space between objects that nothing reads.
    EXPECT_GT(outcomes[refused], trials / 2) << "compression " << compression;
    RecordProperty(fmt::format("refused_{}", compression), outcomes[refused]);
  }
}

}  // namespace tacit::io::file_test
