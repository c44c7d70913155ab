// Reads NumPy's header, and rows of numbers behind it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/arrays/npy_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::amr {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;  // NumPy's own are of some hundred bytes

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw base::FormatError(path.string(), what);
}

/// What stands behind 'name': in a dictionary of Python's.
std::optional<std::string_view> value_of(std::string_view header, std::string_view name) {
  const std::size_t at = header.find(fmt::format("'{}'", name));
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t first = header.find_first_not_of(' ', colon + 1);
  return first == std::string_view::npos ? std::string_view() : header.substr(first);
}

/// "(2, 3, 4)", "(5,)"
std::optional<std::vector<std::uint64_t>> shape_of(std::string_view text) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  text = text.substr(1, end - 1);
  std::vector<std::uint64_t> shape;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.empty()) continue;
    std::uint64_t count = 0;
    const auto [rest, error] = std::from_chars(one.data(), one.data() + one.size(), count);
    if (error != std::errc() || rest != one.data() + one.size()) return std::nullopt;
    shape.push_back(count);
  }
  return shape;
}

template <class Number>
void convert(std::span<const char> from, bool is_swapped, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::array<char, sizeof(Number)> bytes;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i * sizeof(Number)), sizeof(Number), bytes.begin());
    if (is_swapped) std::ranges::reverse(bytes);
    to[i] = static_cast<double>(std::bit_cast<Number>(bytes));
  }
}

}  // namespace

NpyFile::NpyFile(std::filesystem::path path) : path_(std::move(path)) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw base::SystemError(path_.string(), "cannot be opened", errno);
  std::array<char, 8> begin{};
  if (!file.read(begin.data(), begin.size()) || std::string_view(begin.data(), magic.size()) != magic)
    fail(path_, "is no array in NumPy's format (.npy): it does not begin as one");
  const auto version = static_cast<unsigned char>(begin[6]);
  if (version < 1 || version > 3)
    fail(path_, fmt::format("has version {} of NumPy's format, expected 1, 2 or 3", version));
  std::array<unsigned char, 4> length{};
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  file.read(reinterpret_cast<char*>(length.data()), static_cast<std::streamsize>(length_bytes));  // NOLINT
  std::size_t size = 0;
  for (std::size_t i = length_bytes; i > 0; --i) size = 256 * size + length[i - 1];
  if (!file || size > longest_header) fail(path_, "has no header of NumPy's format");
  std::string header(size, ' ');
  if (!file.read(header.data(), static_cast<std::streamsize>(size))) fail(path_, "ends within its header");
  begin_ = begin.size() + length_bytes + size;

  const std::string_view type = value_of(header, "descr").value_or("");
  const std::string_view order = value_of(header, "fortran_order").value_or("");
  const auto shape = shape_of(value_of(header, "shape").value_or(""));
  if (type.size() < 5 || order.empty() || !shape) fail(path_, "has a header without descr, fortran_order and shape");
  const std::string_view number = type.substr(2, 2);
  if (type[0] != '\'' || type[4] != '\'' || (type[1] != '<' && type[1] != '>') || (number != "f8" && number != "f4")) {
    fail(path_, fmt::format("has numbers of the type {}, expected floats of 4 or 8 bytes ('<f4', '<f8')",
                            type.substr(0, std::min(type.find(','), type.size()))));
  }
  if (!order.starts_with("False"))
    fail(path_, "has the order of Fortran, expected that of C: numpy.save(file, numpy.ascontiguousarray(array))");
  bytes_ = number == "f8" ? 8 : 4;
  is_swapped_ = (type[1] == '<') != (std::endian::native == std::endian::little);
  shape_ = *shape;

  std::uint64_t numbers = 1;
  for (const std::uint64_t count : shape_) {
    if (count != 0 && numbers > std::numeric_limits<std::uint64_t>::max() / 8 / count)
      fail(path_, "has more numbers than a file can hold");
    numbers *= count;
  }
  std::error_code error;
  const std::uint64_t there = std::filesystem::file_size(path_, error);
  if (error) throw base::SystemError(path_.string(), "cannot be read", error.value());
  const std::uint64_t needed = begin_ + numbers * bytes_;
  if (there < needed) fail(path_, fmt::format("has {} bytes, expected {}: it is cut off", there, needed));
}

void NpyFile::read_part(const io::Part& part, std::span<double> out) const {
  if (out.empty()) return;
  std::ifstream file(path_, std::ios::binary);
  const std::size_t axes = shape_.size();
  const std::uint64_t row = axes == 0 ? 1 : part.count[axes - 1];
  std::vector<char> bytes(row * bytes_);
  std::vector<std::uint64_t> at(axes, 0);
  for (std::size_t done = 0; done < out.size(); done += row) {
    std::uint64_t place = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) place = place * shape_[axis] + part.first[axis] + at[axis];
    file.seekg(static_cast<std::streamoff>(begin_ + place * bytes_));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw base::SystemError(path_.string(), "cannot be read", errno);
    const std::span<double> to = out.subspan(done, row);
    bytes_ == 8 ? convert<double>(bytes, is_swapped_, to) : convert<float>(bytes, is_swapped_, to);
    for (std::size_t axis = axes; axis > 1; --axis) {  // the last axis is the row
      if (++at[axis - 2] < part.count[axis - 2]) break;
      at[axis - 2] = 0;
    }
  }
}

}  // namespace tacit::amr
