// Converts links between memory and files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/links.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

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

/// @throws base::FormatError if it is not in SU(3)
void check_link(const std::string& path, const Extents& extents, std::size_t number, const Matrix3& link,
                bool is_double) {
  const double distance = distance_from_su3(link);
  if (distance <= (is_double ? 1e-8 : 1e-5)) return;
  const Coordinates x = extents.at(number / axes);
  const std::string how = std::isnan(distance) ? "not finite" : fmt::format("{:.3g} away from SU(3)", distance);
  throw base::FormatError(
      path,
      fmt::format("the link at (x, y, z, t) = ({}, {}, {}, {}) along {} is {}: U U^+ = 1 and det U = 1 are needed; "
                  "the file is damaged or holds links of another kind",
                  x[0], x[1], x[2], x[3], "xyzt"[number % axes], how));
}

}  // namespace

std::uint32_t word_sum(std::span<const std::byte> data, bool is_big_endian) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at + sizeof sum <= data.size(); at += sizeof sum) {
    std::uint32_t word = 0;
    std::memcpy(&word, data.data() + at, sizeof word);
    sum += is_big_endian == is_big_machine ? word : swapped(word);
  }
  return sum;
}

GaugeField links_of(const std::string& path, const Extents& extents, const NumberFormat& numbers, std::size_t rows,
                    std::span<const std::byte> data) {
  GaugeField field(extents);
  const std::size_t width = numbers.is_double ? sizeof(double) : sizeof(float);
  TACIT_EXPECT(data.size() == field.links.size() * rows * 6 * width);
  const std::byte* from = data.data();
  for (std::size_t number = 0; number < field.links.size(); ++number) {
    Matrix3& link = field.links[number];
    for (std::size_t i = 0; i < 3 * rows; ++i, from += 2 * width) {
      link.m[i] = {read_number(from, numbers), read_number(from + width, numbers)};
    }
    if (rows == 2) set_third_row(link);
    check_link(path, extents, number, link, numbers.is_double);
    if (!numbers.is_double) link = projected(link);
  }
  return field;
}

std::vector<std::byte> bytes_of_links(const GaugeField& field, const NumberFormat& numbers) {
  const std::size_t width = numbers.is_double ? sizeof(double) : sizeof(float);
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
