// Converts links between memory and files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::qcd {
namespace {

[[nodiscard]] std::uint32_t swapped(std::uint32_t word) noexcept { return __builtin_bswap32(word); }
[[nodiscard]] std::uint64_t swapped(std::uint64_t word) noexcept { return __builtin_bswap64(word); }

constexpr bool is_big_machine = std::endian::native == std::endian::big;

/// A number of a file, whose bits are those of a Word.
template <class Real, class Word>
double number_at(const std::byte* from, bool is_big_endian) noexcept {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  if (is_big_endian != is_big_machine) word = swapped(word);
  return static_cast<double>(std::bit_cast<Real>(word));
}

template <class Real, class Word>
void store_number(double value, std::byte* to, bool is_big_endian) noexcept {
  auto word = std::bit_cast<Word>(static_cast<Real>(value));
  if (is_big_endian != is_big_machine) word = swapped(word);
  std::memcpy(to, &word, sizeof word);
}

double read_number(const std::byte* from, const NumberFormat& format) noexcept {
  return format.is_double ? number_at<double, std::uint64_t>(from, format.is_big_endian)
                          : number_at<float, std::uint32_t>(from, format.is_big_endian);
}

/// How far a link in SU(3) may be from it by rounding, and the mean of many from what another program found.
double tolerance_of(const NumberFormat& numbers) noexcept { return numbers.is_double ? 1e-8 : 1e-5; }

Matrix3 link_at(const std::byte* from, const LinksInFile& file) noexcept {
  const std::size_t width = file.numbers.is_double ? sizeof(double) : sizeof(float);
  Matrix3 link;
  for (std::size_t i = 0; i < 3 * file.rows; ++i, from += 2 * width) {
    link.m[i] = {read_number(from, file.numbers), read_number(from + width, file.numbers)};
  }
  if (file.rows == 2) set_third_row(link);
  return link;
}

/// Sites in the order of the file, some at a time.
class SiteReader {
 public:
  explicit SiteReader(const LinksInFile& file) : file_(file), stream_(file.path, std::ios::binary) {
    if (!stream_) throw base::SystemError(file.path.string(), "cannot be opened", errno);
  }
  [[nodiscard]] std::span<const std::byte> read(std::size_t first, std::size_t count) {
    bytes_.resize(count * file_.site_bytes());
    stream_.seekg(static_cast<std::streamoff>(file_.begin + first * file_.site_bytes()));
    stream_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
    if (!stream_) {
      throw base::SystemError(file_.path.string(),
                              fmt::format("the links of sites {} to {} cannot be read", first, first + count - 1),
                              errno);
    }
    return bytes_;
  }

 private:
  const LinksInFile& file_;
  std::ifstream stream_;
  std::vector<std::byte> bytes_;
};

constexpr std::size_t sites_at_a_time = 4096;
constexpr std::uint64_t no_flaw = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::optional<ToldNumber> told_number(std::string_view text) {
  ToldNumber told;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), told.value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(told.value)) return std::nullopt;
  const std::size_t letter = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, letter);
  int power = 0;
  if (letter != std::string_view::npos) {
    const std::size_t digits = text[letter + 1] == '+' ? letter + 2 : letter + 1;
    std::from_chars(text.data() + digits, text.data() + text.size(), power);
  }
  const std::size_t point = mantissa.find('.');
  if (point != std::string_view::npos) power -= static_cast<int>(mantissa.size() - point - 1);
  told.rounding = 0.5 * std::pow(10.0, power);
  return told;
}

/// Beside the digits, another program's own rounding of sums over all links.
bool ToldNumber::agrees(double found, const NumberFormat& numbers) const noexcept {
  return std::abs(value - found) <= rounding + tolerance_of(numbers);
}

std::uint32_t word_sum(std::span<const std::byte> data, bool is_big_endian) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at + sizeof sum <= data.size(); at += sizeof sum) {
    std::uint32_t word = 0;
    std::memcpy(&word, data.data() + at, sizeof word);
    sum += is_big_endian == is_big_machine ? word : swapped(word);
  }
  return sum;
}

LinksRead read_links(const LinksInFile& file, const Division& division, const SeeSite& see) {
  LinksRead result{.field = GaugeField(division.part()), .first_flaw = no_flaw};
  GaugeField& field = result.field;
  SiteReader reader(file);
  const std::size_t sites = field.box.size.sites();
  const auto in_file = [&](std::size_t number) { return file.extents.index(field.box.site(number)); };
  for (std::size_t begin = 0; begin < sites;) {
    const std::size_t first = in_file(begin);
    std::size_t count = 1;
    while (count < sites_at_a_time && begin + count < sites && in_file(begin + count) == first + count) ++count;
    const std::span<const std::byte> bytes = reader.read(first, count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto of_site = bytes.subspan(k * file.site_bytes(), file.site_bytes());
      const bool is_own = field.part.has(field.box.site(begin + k));
      if (is_own) see(first + k, of_site);
      for (std::size_t mu = 0; mu < axes; ++mu) {
        Matrix3& link = field.links[(begin + k) * axes + mu];
        link = link_at(of_site.data() + mu * file.site_bytes() / axes, file);
        if (is_own && !(distance_from_su3(link) <= tolerance_of(file.numbers))) {
          result.first_flaw = std::min<std::uint64_t>(result.first_flaw, (first + k) * axes + mu);
        }
        if (!file.numbers.is_double) link = projected(link);
      }
    }
    begin += count;
  }
  return result;
}

/// The link is read once more, by all: so they say the same.
void require_su3(const LinksInFile& file, const Division& division, std::uint64_t first_flaw) {
  std::array<std::uint64_t, 1> first{first_flaw};
  if (division.ranks() != nullptr) comm::AllReduce<std::uint64_t>(*division.ranks(), first, comm::Minimum{}).run();
  if (first[0] == no_flaw) return;
  const std::size_t mu = first[0] % axes;
  SiteReader reader(file);
  const std::span<const std::byte> bytes = reader.read(first[0] / axes, 1);
  const double distance = distance_from_su3(link_at(bytes.data() + mu * file.site_bytes() / axes, file));
  const Coordinates x = file.extents.at(first[0] / axes);
  const std::string how = std::isnan(distance) ? "not finite" : fmt::format("{:.3g} away from SU(3)", distance);
  throw base::FormatError(
      file.path.string(),
      fmt::format("the link at (x, y, z, t) = ({}, {}, {}, {}) along {} is {}: U U^+ = 1 and det U = 1 are needed; "
                  "the file is damaged or holds links of another kind",
                  x[0], x[1], x[2], x[3], "xyzt"[mu], how));
}

std::vector<std::byte> bytes_of_links(const GaugeField& field, const NumberFormat& numbers) {
  const std::size_t width = numbers.is_double ? sizeof(double) : sizeof(float);
  TACIT_EXPECT(field.is_whole());
  std::vector<std::byte> data(field.links.size() * 18 * width);
  std::byte* to = data.data();
  for (const Matrix3& link : field.links) {
    for (const Complex& element : link.m) {
      for (const double value : {element.real(), element.imag()}) {
        if (numbers.is_double) {
          store_number<double, std::uint64_t>(value, to, numbers.is_big_endian);
        } else {
          store_number<float, std::uint32_t>(value, to, numbers.is_big_endian);
        }
        to += width;
      }
    }
  }
  return data;
}

}  // namespace tacit::qcd
