// Reads and writes NERSC files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/nersc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/qcd/formats/links.hpp"

namespace tacit::qcd {
namespace {

constexpr std::size_t longest_header = 64 * 1024;
constexpr std::string_view header_begin = "BEGIN_HEADER";
constexpr std::string_view header_end = "END_HEADER";

using HeaderKeys = std::map<std::string, std::string, std::less<>>;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The lines KEY = VALUE between the two marks. @param end  set to where the links begin
HeaderKeys keys_of(const std::string& path, std::string_view text, std::uint64_t& end) {
  if (!text.starts_with(header_begin))
    throw base::FormatError(
        path, "begins neither with BEGIN_HEADER, as NERSC files do, nor with LIME's number, as ILDG files do");
  HeaderKeys keys;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = text.find('\n', at);
    if (stop == std::string_view::npos) break;
    const std::string_view line = trimmed(text.substr(at, stop - at));
    at = stop + 1;
    if (line == header_end) {
      end = at;
      return keys;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    keys.insert_or_assign(std::string(trimmed(line.substr(0, equals))), std::string(trimmed(line.substr(equals + 1))));
  }
  throw base::FormatError(path, fmt::format("has no line END_HEADER in its first {} bytes: it is cut off or damaged",
                                            std::min(text.size(), longest_header)));
}

class HeaderReader {
 public:
  HeaderReader(std::string path, const HeaderKeys& keys) : path_(std::move(path)), keys_(keys) {}

  [[nodiscard]] const std::string& text(const char* key) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()) throw base::FormatError(path_, fmt::format("the header has no {}", key));
    return found->second;
  }
  [[noreturn]] void fail(const char* key, const std::string& expected) const {
    throw base::FormatError(path_, fmt::format("{} = {}, expected {}", key, base::printable(text(key)), expected));
  }
  [[nodiscard]] ToldNumber real(const char* key) const {
    const auto number = told_number(text(key));
    if (!number) fail(key, "a number");
    return *number;
  }
  [[nodiscard]] std::uint32_t integer(const char* key, int base, const std::string& expected) const {
    const std::string& value = text(key);
    std::uint32_t number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number, base);
    if (code != std::errc() || end != value.data() + value.size()) fail(key, expected);
    return number;
  }

 private:
  std::string path_;
  const HeaderKeys& keys_;
};

struct NamedFormat {
  std::string_view name;
  NumberFormat numbers;
};
constexpr std::array formats{NamedFormat{"IEEE32BIG", {.is_double = false, .is_big_endian = true}},
                             NamedFormat{"IEEE32", {.is_double = false, .is_big_endian = true}},
                             NamedFormat{"IEEE64BIG", {.is_double = true, .is_big_endian = true}},
                             NamedFormat{"IEEE32LITTLE", {.is_double = false, .is_big_endian = false}},
                             NamedFormat{"IEEE64LITTLE", {.is_double = true, .is_big_endian = false}}};

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw base::SystemError(path.string(), "cannot be opened", errno);
  return file;
}

void compare(const std::string& path, const char* key, const ToldNumber& told, double found,
             const NumberFormat& numbers) {
  if (told.agrees(found, numbers)) return;
  throw base::FormatError(path, fmt::format("{} = {:.12g} in the header, but that of the links is {:.12g}: the file is "
                                            "damaged, or its links are in another order",
                                            key, told.value, found));
}

/// @param found  sums of the words in the order that the header tells, and in the other one
void compare_checksum(const std::string& path, const NerscHeader& header, const std::array<std::uint32_t, 2>& found) {
  if (found[0] == header.checksum) return;
  throw base::FormatError(
      path, fmt::format("CHECKSUM = {:x} in the header, but that of the links is {:x}: {}", header.checksum, found[0],
                        found[1] == header.checksum ? "their bytes are in the other order than FLOATING_POINT says"
                                                    : "the file is damaged"));
}

}  // namespace

std::uint64_t NerscHeader::data_bytes() const noexcept {
  return std::uint64_t{extents.sites()} * axes * (has_three_rows ? 18U : 12U) * (numbers.is_double ? 8U : 4U);
}

NerscHeader read_nersc_header(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  std::string text(longest_header, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  NerscHeader header;
  const HeaderKeys keys = keys_of(path.string(), text, header.data_begin);
  const HeaderReader read(path.string(), keys);
  const std::string& type = read.text("DATATYPE");
  if (type != "4D_SU3_GAUGE" && type != "4D_SU3_GAUGE_3x3" && type != "4D_SU3_GAUGE_3X3") {
    read.fail("DATATYPE", "4D_SU3_GAUGE or 4D_SU3_GAUGE_3x3: links in SU(3)");
  }
  header.has_three_rows = type != "4D_SU3_GAUGE";
  constexpr std::array dimensions{"DIMENSION_1", "DIMENSION_2", "DIMENSION_3", "DIMENSION_4"};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint32_t n = read.integer(dimensions[axis], 10, "a number of sites");
    if (n < 2 || n > longest_extent || n % 2 != 0) {
      read.fail(dimensions[axis], fmt::format("an even number of sites from 2 to {}", longest_extent));
    }
    header.extents.n[axis] = n;
  }
  const std::string& numbers = read.text("FLOATING_POINT");
  const auto* const format = std::ranges::find(formats, numbers, &NamedFormat::name);
  if (format == formats.end()) {
    read.fail("FLOATING_POINT", "IEEE32BIG, IEEE64BIG, IEEE32LITTLE or IEEE64LITTLE");
  }
  header.numbers = format->numbers;
  header.checksum = read.integer("CHECKSUM", 16, "up to eight hexadecimal digits");
  header.link_trace = read.real("LINK_TRACE");
  header.plaquette = read.real("PLAQUETTE");
  const std::uint64_t bytes = std::filesystem::file_size(path) - header.data_begin;
  if (bytes != header.data_bytes()) {
    throw base::FormatError(
        path.string(), fmt::format("holds {} bytes of links, expected {} for {} sites of four links with {} rows in "
                                   "{}: {}",
                                   bytes, header.data_bytes(), header.extents.text(), header.has_three_rows ? 3 : 2,
                                   numbers, bytes < header.data_bytes() ? "it is cut off" : "something follows them"));
  }
  return header;
}

GaugeField read_nersc(const std::filesystem::path& path, const Division& division) {
  const NerscHeader header = read_nersc_header(path);
  const LinksInFile file{.path = path,
                         .extents = header.extents,
                         .numbers = header.numbers,
                         .rows = header.has_three_rows ? 3U : 2U,
                         .begin = header.data_begin};
  std::array<std::uint32_t, 2> sums{};
  LinksRead read = read_links(file, division, [&](std::size_t, std::span<const std::byte> bytes) {
    sums[0] += word_sum(bytes, header.numbers.is_big_endian);
    sums[1] += word_sum(bytes, !header.numbers.is_big_endian);
  });
  compare_checksum(path.string(), header, of_all_ranks(division, sums, std::plus<>{}));
  require_su3(file, division, read.first_flaw);
  compare(path.string(), "LINK_TRACE", header.link_trace, link_trace(read.field, division.ranks()), header.numbers);
  compare(path.string(), "PLAQUETTE", header.plaquette, plaquette(read.field, division.ranks()), header.numbers);
  return std::move(read.field);
}

std::string nersc_file(const GaugeField& field, const std::string& title) {
  const NumberFormat numbers;
  const std::vector<std::byte> data = bytes_of_links(field, numbers);
  std::string label = title;
  std::ranges::replace(label, '\n', ' ');
  std::string file = "BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = 4D_SU3_GAUGE_3x3\nSTORAGE_FORMAT = 1.0\n";
  for (std::size_t axis = 0; axis < axes; ++axis) {
    file += fmt::format("DIMENSION_{} = {}\n", axis + 1, field.extents.n[axis]);
  }
  file += fmt::format("LINK_TRACE = {:.15f}\nPLAQUETTE = {:.15f}\n", link_trace(field), plaquette(field));
  for (std::size_t axis = 0; axis < axes; ++axis) file += fmt::format("BOUNDARY_{} = PERIODIC\n", axis + 1);
  file += fmt::format("CHECKSUM = {:x}\nENSEMBLE_ID = tacit\nENSEMBLE_LABEL = {}\nSEQUENCE_NUMBER = 1\n",
                      word_sum(data, numbers.is_big_endian), label);
  file += "FLOATING_POINT = IEEE64BIG\nEND_HEADER\n";
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

}  // namespace tacit::qcd
