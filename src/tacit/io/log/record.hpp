// The words of a log's record: what it is, where its parts stand, and whether it is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tacit/io/log/checksum.hpp"
#include "tacit/io/log/schema.hpp"

namespace tacit::io::detail {

/// 0 is no kind, so that zeros are never a record.
enum class RecordKind : std::uint32_t {
  state = 1,    ///< an element at a time
  removed = 2,  ///< the last of an element, which is there before this time and not from it on
  mark = 3,     ///< all before it is whole; id: number of elements, previous: the mark before, time: up to when
  end = 4,      ///< a mark behind which nothing comes
  filler = 5    ///< room that was reserved and not used
};

struct RecordHead {
  std::uint64_t id = 0;
  std::uint64_t previous = 0;   ///< offset of this element's record before, 0 if there is none
  std::uint64_t time_bits = 0;  ///< of a double or an int64
};

/// Stores all but fields and checksum.
inline void put_head(std::span<std::byte> record, const RecordHead& head, RecordKind kind) noexcept {
  // Word by word: a compiler that joins two words to one store first waits for both to leave the store buffer.
  std::memcpy(record.data(), &head.id, 8);
  std::memcpy(record.data() + 8, &head.previous, 8);
  std::memcpy(record.data() + 16, &head.time_bits, 8);
  std::memcpy(record.data() + record.size() - 8, &kind, sizeof kind);
}

/// The checksum of a record at `offset` of the file with this key: of all its bytes, and of its place, so that a block
/// that stands in the wrong place or file is not taken for a record.
[[nodiscard]] inline std::uint32_t record_sum(std::span<const std::byte> record, std::uint64_t key,
                                              std::uint64_t offset) noexcept {
  return static_cast<std::uint32_t>(xxh64(record.first(record.size() - 4), key + offset));
}

/// Makes a record whole that has all but its checksum.
inline void put_sum(std::span<std::byte> record, std::uint64_t key, std::uint64_t offset) noexcept {
  const std::uint32_t sum = record_sum(record, key, offset);
  std::memcpy(record.data() + record.size() - 4, &sum, sizeof sum);
}

/// Makes a record whole that has its fields.
inline void seal_record(std::span<std::byte> record, const RecordHead& head, RecordKind kind, std::uint64_t key,
                        std::uint64_t offset) noexcept {
  put_head(record, head, kind);
  put_sum(record, key, offset);
}

[[nodiscard]] inline bool is_whole_record(std::span<const std::byte> record, std::uint64_t key,
                                          std::uint64_t offset) noexcept {
  const auto kind = word_at<std::uint32_t>(record.data() + record.size() - 8);
  if (kind < 1 || kind > 5) return false;
  return record_sum(record, key, offset) == word_at<std::uint32_t>(record.data() + record.size() - 4);
}

/// A whole record in memory.
class RecordView {
 public:
  RecordView() = default;
  explicit RecordView(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] RecordHead head() const noexcept { return word_at<RecordHead>(bytes_.data()); }
  [[nodiscard]] RecordKind kind() const noexcept {
    return static_cast<RecordKind>(word_at<std::uint32_t>(bytes_.data() + bytes_.size() - 8));
  }
  [[nodiscard]] bool is_mark() const noexcept { return kind() == RecordKind::mark || kind() == RecordKind::end; }
  [[nodiscard]] bool is_element() const noexcept {
    return kind() == RecordKind::state || kind() == RecordKind::removed;
  }
  /// In the unit of rates, see LogSchema.
  [[nodiscard]] double time(const LogSchema& schema) const noexcept {
    const std::byte* place = bytes_.data() + 16;
    const double number =
        schema.time == Number::int64 ? static_cast<double>(word_at<std::int64_t>(place)) : word_at<double>(place);
    return schema.time_zero + schema.time_unit * number;
  }
  [[nodiscard]] const std::byte* at(std::size_t offset) const noexcept { return bytes_.data() + offset; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace tacit::io::detail
