// Files of gauge fields: what is written is read, and damage to any byte of the links is found.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_folder.hpp"
#include "tacit/base/error.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/formats/ildg.hpp"
#include "tacit/solvers/qcd/formats/lime.hpp"
#include "tacit/solvers/qcd/formats/links.hpp"
#include "tacit/solvers/qcd/formats/nersc.hpp"

namespace tacit::qcd {
namespace {

std::filesystem::path written(const std::string& content) {
  const auto path = test::test_folder() / "qcd_field";
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(QcdFormats, ChecksumsAreThoseOfTheirDefinitions) {
  // 0x01020304 + 0xffffffff modulo 2^32, and the same with the bytes of each word turned.
  EXPECT_EQ(word_sum(bytes_of("\x01\x02\x03\x04\xff\xff\xff\xff"), true), 0x01020303U);
  EXPECT_EQ(word_sum(bytes_of("\x01\x02\x03\x04\xff\xff\xff\xff"), false), 0x04030200U);
  // The CRC-32 of these nine digits is the check value of its definition; a second site is turned by one bit.
  EXPECT_EQ(scidac_checksum(bytes_of("123456789"), 9), (ScidacChecksum{0xcbf43926U, 0xcbf43926U}));
  constexpr std::uint32_t turned = (0xcbf43926U << 1U | 1U) ^ 0xcbf43926U;
  EXPECT_EQ(scidac_checksum(bytes_of("123456789123456789"), 9), (ScidacChecksum{turned, turned}));
}

TEST(QcdFormats, WhatIsWrittenIsRead) {
  const GaugeField field = random_gauge_field({{2, 4, 2, 6}}, 0.5, 3);
  for (const std::string& content : {nersc_file(field, "a\nname"), ildg_file(field, "a < b & c")}) {
    const auto path = written(content);
    EXPECT_EQ(read_gauge_extents(path).n, field.extents.n);
    EXPECT_EQ(read_gauge_file(path).links, field.links);
  }
  for (const bool is_big : {false, true}) {
    const NumberFormat numbers{.is_double = false, .is_big_endian = is_big};
    const std::vector<std::byte> data = bytes_of_links(field, numbers);
    const LinksInFile file{.path = written({reinterpret_cast<const char*>(data.data()), data.size()}),
                           .extents = field.extents,
                           .numbers = numbers};
    std::size_t seen = 0;
    const LinksRead read = read_links(file, field.extents, [&](std::size_t site, std::span<const std::byte> bytes) {
      EXPECT_EQ(site, seen++);
      EXPECT_EQ(bytes.size(), 288U);
    });
    EXPECT_EQ(seen, field.extents.sites());
    EXPECT_NO_THROW(require_su3(file, field.extents, read.first_flaw));
    const GaugeField& single = read.field;
    for (std::size_t i = 0; i < field.links.size(); ++i) {
      EXPECT_LT(distance_from_su3(single.links[i]), 1e-14);
      EXPECT_LT(std::abs(single.links[i](1, 2) - field.links[i](1, 2)), 3e-7);
    }
  }
}

TEST(QcdFormats, NumbersAreComparedToTheDigitsThatAreTold) {
  const double plaquette = 0.593701234567;
  const auto agrees = [&](const char* text) { return told_number(text).value().agrees(plaquette, {}); };
  for (const char* const same :
       {"0.593701234567", "0.5937012", "5.937012e-01", "5.937012E-1", "0.59", "59370.1e-5", "1"}) {
    EXPECT_TRUE(agrees(same)) << same;
  }
  for (const char* const other :
       {"0.593701334567", "0.5937014", "5.937014e-01", "0.58", "59370.3e-5", "2", "-0.5937012"}) {
    EXPECT_FALSE(agrees(other)) << other;
  }
  EXPECT_EQ(told_number("-12.50e+2").value().rounding, 0.5);
  for (const char* const none : {"", "one", "0.5 ", "nan", "inf", "1e", "1e999"})
    EXPECT_FALSE(told_number(none)) << none;
}

/// Files of MILC tell few digits in single precision, and those that QIO has converted may tell none.
TEST(QcdFormats, FilesOfOtherProgramsAreRead) {
  const GaugeField field = random_gauge_field({{2, 2, 2, 2}}, 0.5, 3);
  const std::string good = ildg_file(field, "field");
  const std::size_t begin = good.find("<plaq>") + 6;
  const std::size_t length = good.find("</plaq>") - begin;
  const auto read = [&](const std::string& told) {  // in as many letters, as lengths of records stay
    std::string content = good;
    content.replace(begin, length, std::string(length - told.size(), ' ') + told);
    return read_gauge_file(written(content)).links == field.links;
  };
  EXPECT_TRUE(read(fmt::format("{:.6e}", plaquette(field))));
  EXPECT_TRUE(read("missing"));
  EXPECT_TRUE(read(""));
  EXPECT_THROW(static_cast<void>(read("unknown")), base::FormatError);
  EXPECT_THROW(static_cast<void>(read(fmt::format("{:.6e}", plaquette(field) + 2e-6))), base::FormatError);
}

/// A LIME file of these records, each a type, a text and what begins or ends a message there.
struct TestRecord {
  std::string_view type;
  std::string text;
  std::uint8_t flags;
};
std::string lime_of(const std::vector<TestRecord>& records) {
  std::string file;
  for (const TestRecord& record : records) append_lime(file, record.type, record.text, record.flags);
  return file;
}

/// Checksums and plaquettes are those of the message of the links, or of one that has nothing else, as tmLQCD writes
/// it.
TEST(QcdFormats, OtherMessagesOfAnIldgFileSayNothingOfTheLinks) {
  constexpr std::uint8_t begins = 0x80;
  constexpr std::uint8_t ends = 0x40;
  constexpr std::uint8_t whole = begins | ends;
  const GaugeField field = random_gauge_field({{2, 2, 2, 4}}, 0.5, 3);
  const std::vector<std::byte> data = bytes_of_links(field, {});
  const ScidacChecksum sum = scidac_checksum(data, data.size() / field.extents.sites());
  const auto sums = [](const ScidacChecksum& of) {
    return fmt::format("<scidacChecksum><suma>{:x}</suma><sumb>{:x}</sumb></scidacChecksum>", of.a, of.b);
  };
  const std::string right = sums(sum);
  const std::string wrong = sums({sum.a ^ 1U, sum.b});
  const std::string links(reinterpret_cast<const char*>(data.data()), data.size());
  const std::string format =
      "<ildgFormat><!-- <field>su2</field> <precision>32</precision> "
      "--><field>su3gauge</field><precision>64</precision>"
      "<lx>2</lx><ly>2</ly><lz>2</lz><lt>4</lt></ildgFormat>";
  const std::string seeds = "<rng><plaq>0.1</plaq></rng>";
  const auto read = [](const std::vector<TestRecord>& records) {
    return read_gauge_file(written(lime_of(records))).links;
  };
  const TestRecord f{"ildg-format", format, begins};
  const TestRecord d{"ildg-binary-data", links, 0};
  const std::vector<TestRecord> other{{"scidac-record-xml", seeds, begins},
                                      {"scidac-binary-data", "12345678", 0},
                                      {"scidac-checksum", sums({1, 2}), ends}};
  const std::vector<TestRecord> own{f, d, {"scidac-checksum", right, ends}};
  std::vector<TestRecord> before = other;
  before.insert(before.end(), own.begin(), own.end());
  std::vector<TestRecord> behind = own;
  behind.insert(behind.end(), other.begin(), other.end());
  const TestRecord end{"ildg-binary-data", links, ends};
  const std::vector<std::vector<TestRecord>> good{
      own, before, behind, {f, end, {"scidac-checksum", right, whole}}, {{"scidac-checksum", right, whole}, f, end}};
  for (const auto& records : good) EXPECT_EQ(read(records), field.links);
  const std::vector<std::vector<TestRecord>> bad{
      {f, d, {"scidac-checksum", wrong, ends}},
      {{"scidac-record-xml", seeds, begins}, d, {"ildg-format", format, 0}, {"scidac-checksum", right, ends}},
      {f, end, {"scidac-checksum", wrong, whole}},
      {{"ildg-format", format, 0}, d, {"scidac-checksum", wrong, 0}}};
  for (const auto& records : bad) EXPECT_THROW(static_cast<void>(read(records)), base::FormatError);
  std::vector<TestRecord> two = own;
  two.insert(two.end(), own.begin(), own.end());
  try {
    static_cast<void>(read(two));
    FAIL() << "of two fields one was taken";
  } catch (const base::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("two fields of links, in records 2 and 5"), std::string::npos)
        << error.what();
  }
}

TEST(QcdFormats, EveryFlippedBitOfTheLinksIsFound) {
  const GaugeField field = random_gauge_field({{2, 2, 2, 2}}, 0.5, 3);
  const std::size_t bytes = field.links.size() * 144;
  for (const std::string& good : {nersc_file(field, "field"), ildg_file(field, "field")}) {
    const std::size_t begin = good.size() - bytes - (good[0] == 'B' ? 0 : 144 + 120);  // in ILDG a record follows
    for (std::size_t at = 0; at + 200 < bytes; at += 97) {
      std::string bad = good;
      bad[begin + at] = static_cast<char>(bad[begin + at] ^ 1 << at % 8);
      EXPECT_THROW(static_cast<void>(read_gauge_file(written(bad))), base::FormatError) << at;
    }
  }
}

TEST(QcdFormats, EveryFileThatIsCutOffIsRefused) {
  const GaugeField field = random_gauge_field({{2, 2, 2, 2}}, 0.5, 3);
  for (const std::string& good : {nersc_file(field, "field"), ildg_file(field, "field")}) {
    for (std::size_t kept = 0; kept + 300 < good.size(); kept += 131) {
      const auto path = written(good.substr(0, kept));
      EXPECT_THROW(static_cast<void>(read_gauge_extents(path)), base::FormatError) << kept;
    }
  }
  EXPECT_THROW(static_cast<void>(read_gauge_file("/nowhere/at/all")), base::SystemError);
}

}  // namespace
}  // namespace tacit::qcd
