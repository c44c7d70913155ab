// Reads and writes the records of LIME files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/lime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::qcd {
namespace {

constexpr std::uint64_t lime_header_bytes = 144;
constexpr std::size_t flags_at = 6;
constexpr std::size_t type_at = 16;
constexpr std::size_t type_bytes = 128;
constexpr std::uint64_t longest_text = 1U << 20U;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

void append_big_endian(std::string& to, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) to += static_cast<char>(value >> 8U * bytes & 0xffU);
}

std::ifstream open_lime(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw base::SystemError(path.string(), "cannot be opened", errno);
  return file;
}

}  // namespace

std::string LimeRecord::text() const { return fmt::format("record {}, {}", number, base::printable(type)); }

std::vector<LimeRecord> lime_records(const std::filesystem::path& path) {
  std::ifstream file = open_lime(path);
  const std::uint64_t size = std::filesystem::file_size(path);
  std::vector<LimeRecord> records;
  std::size_t message = 1;
  bool has_ended = false;
  for (std::uint64_t at = 0; at < size;) {
    const std::size_t number = records.size() + 1;
    std::array<char, lime_header_bytes> header{};
    if (size - at < header.size()) {
      throw base::FormatError(path.string(),
                              fmt::format("the header of record {} has {} of {} bytes: the file is cut off", number,
                                          size - at, header.size()));
    }
    file.seekg(static_cast<std::streamoff>(at));
    file.read(header.data(), header.size());
    const std::string_view bytes(header.data(), header.size());
    if (!file || big_endian(bytes.substr(0, 4)) != lime_magic) {
      throw base::FormatError(path.string(),
                              fmt::format("record {} does not begin with LIME's number {:x}", number, lime_magic));
    }
    const auto flags = static_cast<unsigned char>(bytes[flags_at]);
    if (has_ended || (!records.empty() && (flags & lime_begins) != 0)) ++message;
    has_ended = (flags & lime_ends) != 0;
    const std::string_view type = bytes.substr(type_at, type_bytes);
    LimeRecord record{.type = std::string(type.substr(0, type.find('\0'))),
                      .begin = at + header.size(),
                      .length = big_endian(bytes.substr(8, 8)),
                      .number = number,
                      .message = message};
    if (record.length > size - record.begin) {
      throw base::FormatError(
          path.string(), fmt::format("{}: {} bytes of data, but the file ends after {}: it is cut off", record.text(),
                                     record.length, size - record.begin));
    }
    // The last record's padding may be missing.
    at = std::min(size, record.begin + (record.length + 7) / 8 * 8);
    records.push_back(std::move(record));
  }
  return records;
}

std::string lime_text(const std::filesystem::path& path, const LimeRecord& record) {
  if (record.length > longest_text) {
    throw base::FormatError(path.string(), fmt::format("{}: {} bytes, expected a text of at most {}", record.text(),
                                                       record.length, longest_text));
  }
  std::ifstream file = open_lime(path);
  file.seekg(static_cast<std::streamoff>(record.begin));
  std::string text(record.length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw base::SystemError(path.string(), fmt::format("{} cannot be read", record.text()), errno);
  return text.substr(0, text.find('\0'));
}

void append_lime(std::string& file, std::string_view type, std::string_view data, std::uint8_t flags) {
  append_big_endian(file, lime_magic, 4);
  append_big_endian(file, 1, 2);
  append_big_endian(file, flags, 1);
  append_big_endian(file, 0, 1);
  append_big_endian(file, data.size(), 8);
  file += type;
  file.append(type_bytes - type.size(), '\0');
  file += data;
  file.append((8 - data.size() % 8) % 8, '\0');
}

}  // namespace tacit::qcd
