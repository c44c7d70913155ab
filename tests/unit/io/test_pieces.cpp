// Arrays that are written and read piece by piece, and what the reader tells of objects without reading them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "scratch.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::pieces_test {
namespace {

namespace fs = std::filesystem;
using base::FormatError;
using test::message_of;
using Shape = std::vector<std::uint64_t>;

}  // namespace

TEST(FileWriter, StreamsWhatAnArrayHoldsInOnePieceAfterTheOther) {
  const test::Scratch scratch;
  constexpr std::uint64_t rows = 300001;  // 7.2 MB of doubles: 14 chunks, the last one shorter
  std::vector<std::uint64_t> begins;
  const auto row = [](std::uint64_t i, std::uint64_t axis) { return static_cast<double>(3 * i + axis) * 0.25; };
  for (const int compression : {0, 4}) {
    begins.clear();
    FileWriter file(scratch / "a.hdf5", compression);
    file.stream("x", Shape{rows, 3}, Number::float64, [&](std::uint64_t first, std::span<double> out) {
      begins.push_back(first);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = row(first + i / 3, i % 3);
    });
    file.stream("id", Shape{rows}, [](std::uint64_t first, std::span<std::uint64_t> out) {
      std::iota(out.begin(), out.end(), first + (std::uint64_t{1} << 60));
    });
    file.stream("raw", Shape{rows}, Number::int32, [](std::uint64_t first, std::span<std::byte> out) {
      std::vector<std::int32_t> numbers(out.size() / 4);
      std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(first) - 7);
      std::memcpy(out.data(), numbers.data(), out.size());
    });
    file.stream("none", Shape{0}, Number::float32, [](std::uint64_t, std::span<double>) { FAIL(); });
    const std::uint64_t bytes = file.commit();
    EXPECT_EQ(bytes, fs::file_size(scratch / "a.hdf5"));
    ASSERT_EQ(begins.size(), 14U);
    EXPECT_EQ(begins[1], 21429U);  // 300001 / 14, rounded up
    const FileReader back(scratch / "a.hdf5");
    std::vector<double> x(3 * rows);
    std::vector<std::uint64_t> id(rows);
    back.read("x", std::span(x));
    back.read("id", std::span(id));
    for (std::uint64_t i = 0; i < rows; ++i) {
      ASSERT_EQ(x[3 * i + 2], row(i, 2));
      ASSERT_EQ(id[i], i + (std::uint64_t{1} << 60));
    }
    const std::vector<std::byte> raw = back.read_bytes("raw");
    ASSERT_EQ(raw.size(), 4 * rows);
    std::int32_t last = 0;
    std::memcpy(&last, raw.data() + 4 * (rows - 1), 4);
    EXPECT_EQ(last, 300000 - 7);
    EXPECT_EQ(back.info("none").shape, Shape{0});
  }
}

// So that a file needs no memory of its own size: only the chunk in hand is not yet on disk.
TEST(FileWriter, WhatIsWrittenGoesToDiskAtOnce) {
  const test::Scratch scratch;
  constexpr std::uint64_t rows = 1000000;
  FileWriter file(scratch / "a.hdf5");
  file.array("x", std::vector<double>(rows, 1.0), Shape{rows}, Number::float64);
  ASSERT_EQ(test::entries(scratch.path()), 1U);
  const fs::path hidden = fs::directory_iterator(scratch.path())->path();
  EXPECT_NE(hidden.filename(), "a.hdf5");
  EXPECT_GE(fs::file_size(hidden), 8 * rows);
  file.commit();
  EXPECT_EQ(test::entries(scratch.path()), 1U);
  EXPECT_TRUE(fs::exists(scratch / "a.hdf5"));
}

TEST(FileWriter, AFileThatIsNotCommittedLeavesNothing) {
  const test::Scratch scratch;
  {
    FileWriter file(scratch / "a.hdf5");
    file.array("x", std::vector<double>(1000, 1.0), Shape{1000}, Number::float64);
  }
  EXPECT_EQ(test::entries(scratch.path()), 0U);
}

TEST(FileReader, ReadsRowsFromAnywhere) {
  const test::Scratch scratch;
  {
    FileWriter whole(scratch / "a.hdf5", 4);
    std::vector<double> x(900);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) * 0.25 - 3.0;
    whole.array("Gas/Coordinates", x, Shape{300, 3}, Number::float64);
    whole.array("Gas/Masses", std::span<const double>(x).first(300), Shape{300}, Number::float32);
    std::vector<std::uint64_t> ids(300);
    std::iota(ids.begin(), ids.end(), 1U << 31);
    whole.array("Gas/ParticleIDs", std::span<const std::uint64_t>(ids), Shape{300});
    whole.commit();
  }
  const FileReader file(scratch / "a.hdf5");
  std::vector<double> x(6);
  file.read_rows("Gas/Coordinates", 298, std::span(x));
  EXPECT_EQ(x, (std::vector<double>{220.5, 220.75, 221, 221.25, 221.5, 221.75}));
  std::vector<std::uint64_t> ids(2);
  file.read_rows("Gas/ParticleIDs", 5, std::span(ids));
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{(1U << 31) + 5, (1U << 31) + 6}));
  EXPECT_EQ(file.info("Gas/Masses").chunk_rows, 300U);
  EXPECT_EQ(
      message_of<FormatError>([&] { file.read_rows("Gas/Coordinates", 299, std::span(x)); }),
      (scratch / "a.hdf5").string() + ": Gas/Coordinates has shape (300, 3), expected 6 elements from row 299 on");
  x.resize(4);
  EXPECT_EQ(message_of<FormatError>([&] { file.read_rows("Gas/Coordinates", 0, std::span(x)); }),
            (scratch / "a.hdf5").string() + ": Gas/Coordinates has shape (300, 3), expected 4 elements from row 0 on");
}

TEST(FileReader, TellsWhatAttributesHold) {
  const test::Scratch scratch;
  {
    FileWriter file(scratch / "a.hdf5");
    file.group("g");
    file.attribute("g", "numbers", std::array{1.0, 2.0});
    file.attribute("g", "text", std::string_view("words"));
    file.array("g/array", std::vector<double>{1.0}, Shape{1}, Number::float32);
    file.commit();
  }
  const FileReader file(scratch / "a.hdf5");
  EXPECT_EQ(file.attribute_kind("g", "numbers"), AttributeKind::numbers);
  EXPECT_EQ(file.attribute_kind("g", "text"), AttributeKind::text);
  EXPECT_TRUE(file.is_array("g/array"));
  EXPECT_FALSE(file.is_array("g"));
  EXPECT_FALSE(file.is_array("g/nothing"));
  EXPECT_EQ(file.read_bytes("g/array").size(), bytes_of(Number::float32));
}

}  // namespace tacit::io::pieces_test
