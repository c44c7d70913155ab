// Checks schemas of logs, lays out their records, and writes and reads the header of the file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/log/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/io/log/checksum.hpp"

namespace tacit::io {
namespace {

// The file holds these numbers.
static_assert(static_cast<int>(Number::float32) == 0 && static_cast<int>(Number::float64) == 1 &&
              static_cast<int>(Number::int8) == 2 && static_cast<int>(Number::uint64) == 9);
static_assert(std::endian::native == std::endian::little, "logs are written as they stand in memory");

constexpr std::size_t field_entry_bytes = 128;
constexpr std::size_t name_bytes = 56;
constexpr std::size_t unit_bytes = 32;
constexpr std::size_t most_fields = 1024;
constexpr std::uint32_t log_version = 1;
constexpr std::uint32_t order_mark = 0x01020304;

bool is_floating(Number type) { return type == Number::float32 || type == Number::float64; }

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::optional<std::size_t> position_of(const LogSchema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.fields, name, &LogField::name);
  if (found == schema.fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - schema.fields.begin());
}

std::string problem_of_rate(const LogSchema& schema, const LogField& field) {
  const auto rate = position_of(schema, field.rate);
  if (!rate) return fmt::format("field '{}' has the rate '{}', which is no field", field.name, field.rate);
  const LogField& other = schema.fields[*rate];
  if (!is_floating(field.type) || !is_floating(other.type) || other.count != field.count) {
    return fmt::format("field '{}' and its rate '{}' are not of floating point and of one length", field.name,
                       field.rate);
  }
  return {};
}

std::string problem_of_field(const LogSchema& schema, const LogField& field) {
  const auto has_end = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (field.name.empty() || field.name.size() >= name_bytes || has_end(field.name)) {
    return fmt::format("a name of a field has {} bytes, allowed are 1 to {}", field.name.size(), name_bytes - 1);
  }
  if (field.unit.size() >= unit_bytes || has_end(field.unit)) {
    return fmt::format("the unit of field '{}' is longer than {} bytes", field.name, unit_bytes - 1);
  }
  if (std::ranges::count(schema.fields, field.name, &LogField::name) != 1) {
    return fmt::format("two fields are named '{}'", field.name);
  }
  if (bytes_of(field.type) == 0) return fmt::format("field '{}' is of no type of number", field.name);
  if (field.count == 0 || field.count > detail::log_record_limit) {
    return fmt::format("field '{}' has {} numbers", field.name, field.count);
  }
  const bool is_periodic = std::ranges::any_of(field.period, [](double length) { return length != 0.0; });
  if (is_periodic && (field.count > 3 || !is_floating(field.type))) {
    return fmt::format("field '{}' has a period, and is not of 1 to 3 numbers of floating point", field.name);
  }
  return field.rate.empty() ? std::string() : problem_of_rate(schema, field);
}

template <class T>
void put_word(std::vector<std::byte>& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof(T));
}

std::string text_at(std::span<const std::byte> bytes) {
  const auto end = std::ranges::find(bytes, std::byte{0});
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(end - bytes.begin())};
}

void put_field(std::vector<std::byte>& out, std::size_t at, const LogSchema& schema, std::size_t k) {
  const LogField& field = schema.fields[k];
  put_word(out, at, static_cast<std::uint32_t>(field.type));
  put_word(out, at + 4, field.count);
  put_word(out, at + 8, layout_of(schema).offsets[k]);
  const auto rate = field.rate.empty() ? std::nullopt : position_of(schema, field.rate);
  put_word(out, at + 12, static_cast<std::uint32_t>(rate ? *rate + 1 : 0));
  put_word(out, at + 16, field.period);
  std::memcpy(out.data() + at + 40, field.name.data(), field.name.size());
  std::memcpy(out.data() + at + 40 + name_bytes, field.unit.data(), field.unit.size());
}

LogField field_at(std::span<const std::byte> entry) {
  LogField field;
  const auto type = detail::word_at<std::uint32_t>(entry.data());
  field.type = type <= static_cast<std::uint32_t>(Number::uint64) ? static_cast<Number>(type) : Number::other;
  field.count = detail::word_at<std::uint32_t>(entry.data() + 4);
  field.period = detail::word_at<std::array<double, 3>>(entry.data() + 16);
  field.name = text_at(entry.subspan(40, name_bytes));
  field.unit = text_at(entry.subspan(40 + name_bytes, unit_bytes));
  return field;
}

LogSchema schema_at(std::span<const std::byte> bytes, std::size_t count, const std::string& path) {
  LogSchema schema;
  const auto time = detail::word_at<std::uint32_t>(bytes.data() + 40);
  schema.time = time == static_cast<std::uint32_t>(Number::int64) ? Number::int64 : Number::float64;
  schema.time_unit = detail::word_at<double>(bytes.data() + 48);
  schema.time_zero = detail::word_at<double>(bytes.data() + 56);
  for (std::size_t k = 0; k < count; ++k) {
    schema.fields.push_back(field_at(bytes.subspan(64 + k * field_entry_bytes, field_entry_bytes)));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const auto rate = detail::word_at<std::uint32_t>(bytes.data() + 64 + k * field_entry_bytes + 12);
    if (rate > count) throw base::FormatError(path, fmt::format("the header of the log names a field {}", rate));
    if (rate > 0) schema.fields[k].rate = schema.fields[rate - 1].name;
  }
  return schema;
}

}  // namespace

std::string problem_of(const LogSchema& schema) {
  if (schema.time != Number::float64 && schema.time != Number::int64) return "times are neither float64 nor int64";
  if (!(schema.time_unit > 0.0)) return fmt::format("the unit of time is {}", schema.time_unit);
  if (schema.fields.size() > most_fields) return fmt::format("more than {} fields", most_fields);
  std::uint64_t bytes = 32;
  for (const LogField& field : schema.fields) {
    std::string problem = problem_of_field(schema, field);
    if (!problem.empty()) return problem;
    bytes += bytes_of(field.type) * (field.count + std::uint64_t{1});
  }
  return bytes > detail::log_record_limit ? "a record is longer than 65536 bytes" : std::string();
}

LogLayout layout_of(const LogSchema& schema) {
  LogLayout layout;
  std::uint64_t end = 24;
  for (const LogField& field : schema.fields) {
    const std::uint64_t offset = round_up(end, std::max<std::uint64_t>(1, bytes_of(field.type)));
    layout.offsets.push_back(static_cast<std::uint32_t>(offset));
    end = offset + field.count * bytes_of(field.type);
  }
  layout.record_bytes = static_cast<std::uint32_t>(round_up(end, 8) + 8);
  layout.header_bytes = static_cast<std::uint32_t>(round_up(64 + field_entry_bytes * schema.fields.size() + 8, 64));
  return layout;
}

namespace detail {

std::vector<std::byte> encode_log_header(const LogHeader& header) {
  const LogLayout layout = layout_of(header.schema);
  std::vector<std::byte> out(layout.header_bytes);
  std::memcpy(out.data(), log_magic.data(), log_magic.size());
  put_word(out, 8, log_version);
  put_word(out, 12, order_mark);
  put_word(out, 16, header.key);
  put_word(out, 24, std::uint64_t{layout.header_bytes});
  put_word(out, 32, layout.record_bytes);
  put_word(out, 36, static_cast<std::uint32_t>(header.schema.fields.size()));
  put_word(out, 40, static_cast<std::uint32_t>(header.schema.time));
  put_word(out, 48, header.schema.time_unit);
  put_word(out, 56, header.schema.time_zero);
  for (std::size_t k = 0; k < header.schema.fields.size(); ++k) {
    put_field(out, 64 + k * field_entry_bytes, header.schema, k);
  }
  put_word(out, out.size() - 8, xxh64(std::span(out).first(out.size() - 8), 0));
  return out;
}

LogHeader decode_log_header(std::span<const std::byte> bytes, const std::string& path) {
  const auto is_log = bytes.size() >= 128 && std::memcmp(bytes.data(), log_magic.data(), log_magic.size()) == 0;
  if (!is_log) throw base::FormatError(path, "is no continuous log: it does not begin with a header of one");
  const auto version = word_at<std::uint32_t>(bytes.data() + 8);
  const auto length = word_at<std::uint64_t>(bytes.data() + 24);
  const std::uint64_t count = word_at<std::uint32_t>(bytes.data() + 36);
  const std::uint64_t expected = round_up(64 + field_entry_bytes * count + 8, 64);
  const bool is_whole = count <= most_fields && length == expected && length <= bytes.size() &&
                        xxh64(bytes.first(length - 8), 0) == word_at<std::uint64_t>(bytes.data() + length - 8);
  if (!is_whole) throw base::FormatError(path, "the header of the log is damaged or cut off");
  if (version != log_version || word_at<std::uint32_t>(bytes.data() + 12) != order_mark) {
    throw base::FormatError(path, fmt::format("is a log of version {}; this program reads version {}, little-endian",
                                              version, log_version));
  }
  LogHeader header{schema_at(bytes, count, path), word_at<std::uint64_t>(bytes.data() + 16)};
  const std::string problem = problem_of(header.schema);
  if (!problem.empty()) throw base::FormatError(path, "the header of the log is not valid: " + problem);
  // What the header says twice must agree: offsets and lengths follow from the schema.
  const std::vector<std::byte> again = encode_log_header(header);
  if (!std::ranges::equal(again, bytes.first(length))) {
    throw base::FormatError(path, "the header of the log contradicts itself");
  }
  return header;
}

}  // namespace detail
}  // namespace tacit::io
