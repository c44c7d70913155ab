// Reads and writes ILDG files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/ildg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/qcd/formats/lime.hpp"
#include "tacit/solvers/qcd/formats/links.hpp"

namespace tacit::qcd {
namespace {

/// Of each byte the CRC-32 of polynomial 0x04c11db7, bits reflected: that of zlib.
constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? 0xedb88320U ^ value >> 1U : value >> 1U;
    table[byte] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> crc_table = make_crc_table();

std::uint32_t crc32(std::span<const std::byte> data) noexcept {
  std::uint32_t crc = 0xffffffffU;
  for (const std::byte byte : data) crc = crc_table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xffU] ^ crc >> 8U;
  return ~crc;
}

/// A text of XML without its comments.
std::string without_comments(std::string text) {
  for (std::size_t first = text.find("<!--"); first != std::string::npos; first = text.find("<!--", first)) {
    const std::size_t last = text.find("-->", first + 4);
    text.erase(first, last == std::string::npos ? last : last + 3 - first);
  }
  return text;
}

/// A record with its text, which is XML: elements are found by their names, wherever they are outside of comments.
class XmlRecord {
 public:
  XmlRecord(std::string path, const LimeRecord& record, std::string text)
      : path_(std::move(path)), record_(record), text_(without_comments(std::move(text))) {}

  [[nodiscard]] std::optional<std::string> find(std::string_view element) const {
    const std::string begin = fmt::format("<{}>", element);
    const std::size_t first = text_.find(begin);
    if (first == std::string::npos) return std::nullopt;
    const std::size_t last = text_.find(fmt::format("</{}>", element), first);
    if (last == std::string::npos) return std::nullopt;
    std::string value = text_.substr(first + begin.size(), last - first - begin.size());
    std::erase_if(value, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
    return value;
  }
  [[nodiscard]] std::string get(std::string_view element) const {
    auto value = find(element);
    if (!value) throw base::FormatError(path_, fmt::format("{}: has no element {}", record_.text(), element));
    return *value;
  }
  [[noreturn]] void fail(std::string_view element, const std::string& expected) const {
    throw base::FormatError(path_, fmt::format("{}: {} is '{}', expected {}", record_.text(), element,
                                               base::printable(get(element)), expected));
  }
  [[nodiscard]] std::uint32_t integer(std::string_view element, int base, const std::string& expected) const {
    const std::string value = get(element);
    std::uint32_t number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number, base);
    if (code != std::errc() || end != value.data() + value.size()) fail(element, expected);
    return number;
  }
  /// Compares a number, where there is one, with that of the links. QIO writes what it does not know as "missing".
  void compare(std::string_view element, double found, const NumberFormat& numbers) const {
    const auto value = find(element);
    if (!value || value->empty() || *value == "missing") return;
    const auto told = told_number(*value);
    if (!told) fail(element, "a number");
    if (told->agrees(found, numbers)) return;
    throw base::FormatError(path_,
                            fmt::format("{}: {} is {:.12g}, but that of the links is {:.12g}: the file is damaged, "
                                        "or its links are in another order",
                                        record_.text(), element, told->value, found));
  }

 private:
  std::string path_;
  LimeRecord record_;
  std::string text_;
};

constexpr std::string_view links_type = "ildg-binary-data";
constexpr std::string_view format_type = "ildg-format";
constexpr std::string_view checksum_type = "scidac-checksum";

/// The records that belong to the links of a file: those of the same message, and a checksum or a format that is a
/// message by itself, as some programs write them.
class IldgFile {
 public:
  explicit IldgFile(const std::filesystem::path& path) : path_(path), records_(lime_records(path)) {
    const auto is_links = [](const LimeRecord& record) { return record.type == links_type; };
    const auto first = std::ranges::find_if(records_, is_links);
    if (first == records_.end()) return;
    const auto second = std::find_if(first + 1, records_.end(), is_links);
    if (second != records_.end()) {
      throw base::FormatError(
          path_.string(), fmt::format("holds two fields of links, in records {} and {}, expected one: write the one "
                                      "that is meant into a file of its own",
                                      first->number, second->number));
    }
    message_ = first->message;
  }

  [[nodiscard]] const LimeRecord* find(std::string_view type) const {
    const LimeRecord* alone = nullptr;
    for (const LimeRecord& record : records_) {
      if (record.type != type) continue;
      if (message_ == 0 || record.message == message_) return &record;
      if ((type == checksum_type || type == format_type) && alone == nullptr && is_alone(record)) alone = &record;
    }
    return alone;
  }
  [[nodiscard]] const LimeRecord& get(std::string_view type) const {
    const LimeRecord* const record = find(type);
    if (record == nullptr) throw base::FormatError(path_.string(), fmt::format("has no record {}", type));
    return *record;
  }
  [[nodiscard]] XmlRecord xml(const LimeRecord& record) const {
    return {path_.string(), record, lime_text(path_, record)};
  }

 private:
  [[nodiscard]] bool is_alone(const LimeRecord& record) const {
    return std::ranges::count(records_, record.message, &LimeRecord::message) == 1;
  }

  std::filesystem::path path_;
  std::vector<LimeRecord> records_;
  std::size_t message_ = 0;  // that of the links
};

struct IldgFormat {
  Extents extents;
  NumberFormat numbers;
};

IldgFormat format_of(const std::filesystem::path& path, const IldgFile& file) {
  const XmlRecord xml = file.xml(file.get(format_type));
  if (xml.get("field") != "su3gauge") xml.fail("field", "su3gauge: links in SU(3)");
  const std::string precision = xml.get("precision");
  if (precision != "32" && precision != "64") xml.fail("precision", "32 or 64");
  IldgFormat format{.extents = {}, .numbers = {.is_double = precision == "64", .is_big_endian = true}};
  constexpr std::array elements{"lx", "ly", "lz", "lt"};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::string expected = fmt::format("an even number of sites from 2 to {}", longest_extent);
    const std::uint32_t n = xml.integer(elements[axis], 10, expected);
    if (n < 2 || n > longest_extent || n % 2 != 0) xml.fail(elements[axis], expected);
    format.extents.n[axis] = n;
  }
  const LimeRecord& links = file.get(links_type);
  const std::uint64_t bytes = format.extents.sites() * axes * 18U * (format.numbers.is_double ? 8U : 4U);
  if (links.length != bytes) {
    throw base::FormatError(path.string(),
                            fmt::format("{}: {} bytes, expected {} for {} sites in {} bits", links.text(), links.length,
                                        bytes, format.extents.text(), precision));
  }
  return format;
}

void compare_scidac(const std::filesystem::path& path, const IldgFile& file, const ScidacChecksum& found) {
  const LimeRecord* const record = file.find(checksum_type);
  if (record == nullptr) return;
  const XmlRecord xml = file.xml(*record);
  const std::string expected = "up to eight hexadecimal digits";
  const ScidacChecksum told{xml.integer("suma", 16, expected), xml.integer("sumb", 16, expected)};
  if (told == found) return;
  throw base::FormatError(path.string(),
                          fmt::format("{}: suma = {:x}, sumb = {:x}, but those of the links are {:x} and "
                                      "{:x}: the file is damaged",
                                      record->text(), told.a, told.b, found.a, found.b));
}

/// A text as XML has it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&' || c == '<' || c == '>') {
      result.append(c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
    } else {
      result += c;
    }
  }
  return result;
}

/// A text as a part of a path: letters and digits.
std::string path_of(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return result;
}

}  // namespace

void ScidacChecksum::add(std::size_t site, std::span<const std::byte> bytes) noexcept {
  const std::uint32_t crc = crc32(bytes);
  a ^= std::rotl(crc, static_cast<int>(site % 29));
  b ^= std::rotl(crc, static_cast<int>(site % 31));
}

ScidacChecksum scidac_checksum(std::span<const std::byte> data, std::size_t site_bytes) noexcept {
  ScidacChecksum sum;
  for (std::size_t site = 0; site < data.size() / site_bytes; ++site) {
    sum.add(site, data.subspan(site * site_bytes, site_bytes));
  }
  return sum;
}

bool is_lime(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<unsigned char, 4> bytes{};
  file.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  std::uint32_t magic = 0;
  for (const unsigned char byte : bytes) magic = magic << 8U | byte;
  return file && magic == lime_magic;
}

Extents read_ildg_extents(const std::filesystem::path& path) {
  const IldgFile file(path);
  return format_of(path, file).extents;
}

GaugeField read_ildg(const std::filesystem::path& path, const Division& division) {
  const IldgFile file(path);
  const IldgFormat format = format_of(path, file);
  const LinksInFile in_file{
      .path = path, .extents = format.extents, .numbers = format.numbers, .begin = file.get(links_type).begin};
  ScidacChecksum mine;
  LinksRead read =
      read_links(in_file, division, [&](std::size_t site, std::span<const std::byte> bytes) { mine.add(site, bytes); });
  const auto sums = of_all_ranks(division, {mine.a, mine.b}, std::bit_xor<>{});
  compare_scidac(path, file, {sums[0], sums[1]});
  require_su3(in_file, division, read.first_flaw);
  if (const LimeRecord* const record = file.find("scidac-record-xml")) {
    const XmlRecord xml = file.xml(*record);
    xml.compare("plaq", plaquette(read.field, division.ranks()), format.numbers);
    xml.compare("linktr", link_trace(read.field, division.ranks()), format.numbers);
  }
  return std::move(read.field);
}

std::string ildg_file(const GaugeField& field, const std::string& name) {
  const std::string title = escaped(name);
  constexpr std::string_view head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
  const Coordinates& n = field.extents.n;
  const std::vector<std::byte> data = bytes_of_links(field, {});
  const ScidacChecksum sum = scidac_checksum(data, data.size() / field.extents.sites());
  std::string file;
  append_lime(file, "scidac-private-file-xml",
              fmt::format("{}<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>{} {} {} {} </dims>"
                          "<volfmt>0</volfmt></scidacFile>",
                          head, n[0], n[1], n[2], n[3]),
              lime_begins);
  append_lime(file, "scidac-file-xml", fmt::format("{}<title>{}</title>", head, title), lime_ends);
  append_lime(file, "scidac-private-record-xml",
              fmt::format("{}<scidacRecord><version>1.1</version><recordtype>0</recordtype>"
                          "<datatype>QDP_D3_ColorMatrix</datatype><precision>D</precision><colors>3</colors>"
                          "<typesize>144</typesize><datacount>4</datacount></scidacRecord>",
                          head),
              lime_begins);
  append_lime(file, "scidac-record-xml",
              fmt::format("{}<usqcdInfo><version>1.0</version><plaq>{:.15f}</plaq><linktr>{:.15f}</linktr>"
                          "<info>{}</info></usqcdInfo>",
                          head, plaquette(field), link_trace(field), title),
              0);
  append_lime(
      file, "ildg-format",
      fmt::format("{}<ildgFormat xmlns=\"http://www.lqcd.org/ildg\"><version>1.0</version><field>su3gauge</field>"
                  "<precision>64</precision><lx>{}</lx><ly>{}</ly><lz>{}</lz><lt>{}</lt></ildgFormat>",
                  head, n[0], n[1], n[2], n[3]),
      0);
  // Grid reads no file without a name in ILDG's catalogue, and QIO none in which it follows the links.
  append_lime(file, "ildg-data-lfn", "lfn://local/" + path_of(name), 0);
  append_lime(file, "ildg-binary-data", {reinterpret_cast<const char*>(data.data()), data.size()}, 0);
  append_lime(file, "scidac-checksum",
              fmt::format("{}<scidacChecksum><version>1.0</version><suma>{:x}</suma><sumb>{:x}</sumb></scidacChecksum>",
                          head, sum.a, sum.b),
              lime_ends);
  return file;
}

}  // namespace tacit::qcd
