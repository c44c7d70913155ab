// What the records of a log hold: named fields, their rates, the unit of time; and the header that says so in the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/io/number.hpp"

namespace tacit::io {

/// One field of a record: a number, or some of the same type.
struct LogField {
  std::string name = {};  ///< at most 55 bytes, unique
  Number type = Number::float64;
  std::uint32_t count = 1;  ///< numbers, for example 3 of a position; at least 1
  std::string unit = {};    ///< text for people, at most 31 bytes
  std::string rate = {};    ///< name of the field d(this)/dt, both of floating point, of the same count; or empty
  std::array<double, 3> period{};  ///< of the components, where a value jumps at the edge of a periodic box; else 0

  bool operator==(const LogField&) const = default;
};

/// The same for all records of a log. Between two records readers interpolate: a field with a rate by the cubic Hermite
/// polynomial, other floating point linearly, integers keep the value of the earlier record.
struct LogSchema {
  std::vector<LogField> fields = {};
  /// float64, or int64 for runs that count ticks.
  Number time = Number::float64;
  /// time of a record [the time that rates are per] = time_zero + time_unit * number in the record
  double time_unit = 1.0;
  double time_zero = 0.0;

  bool operator==(const LogSchema&) const = default;
};

/// Where the fields stand in a record; all records of a log have the same length.
///
///     id 8 | previous 8 | time 8 | fields, each aligned to its numbers, together filled up to 8 | kind 4 | checksum 4
///
/// A C++ struct with the same members in the same order is laid out as the fields are.
struct LogLayout {
  std::vector<std::uint32_t> offsets;  ///< of the fields in the record [bytes]
  std::uint32_t record_bytes = 0;      ///< multiple of 8
  std::uint32_t header_bytes = 0;      ///< multiple of 64: where the first record begins

  [[nodiscard]] std::uint32_t field_bytes() const noexcept { return record_bytes - 32; }
};

/// What is wrong with the schema, empty if nothing: a name too long or double, a type that is no number, a rate that
/// does not fit, a record of more than 65536 bytes.
[[nodiscard]] std::string problem_of(const LogSchema& schema);

/// @pre problem_of(schema) is empty
[[nodiscard]] LogLayout layout_of(const LogSchema& schema);

namespace detail {

inline constexpr std::string_view log_magic = "TACITLOG";
inline constexpr std::size_t log_record_limit = 65536;
inline constexpr std::size_t log_header_limit = 64 + 128 * 1024 + 64;

struct LogHeader {
  LogSchema schema;
  std::uint64_t key = 0;  ///< drawn at random when the log begins
};

/// The header as bytes, layout_of(schema).header_bytes of them.
[[nodiscard]] std::vector<std::byte> encode_log_header(const LogHeader& header);

/// @param bytes  the beginning of the file, all of it or log_header_limit bytes
/// @param path   named in errors
/// @throws base::FormatError if this is no header of a log, of another version, or damaged
[[nodiscard]] LogHeader decode_log_header(std::span<const std::byte> bytes, const std::string& path);

}  // namespace detail
}  // namespace tacit::io
