// Where the last record of each element of a log stands, collected record by record; and the file that keeps it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace tacit::io::detail {

/// Beside the log, under its name with ".index" behind.
[[nodiscard]] std::filesystem::path log_index_path(const std::filesystem::path& log);

struct LogIndexEntry {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;  ///< of its last record
};

/// 16 bytes per element.
class LogIndex {
 public:
  /// @pre `offset` is higher than that of all records of this element so far
  void note(std::uint64_t id, std::uint64_t offset);
  /// Sorts what was noted; before `entries`.
  void settle();
  /// By rising id.
  [[nodiscard]] std::span<const LogIndexEntry> entries() const noexcept { return entries_; }
  [[nodiscard]] std::optional<std::uint64_t> last_of(std::uint64_t id) const noexcept;

 private:
  friend struct StoredLogIndex;
  std::vector<LogIndexEntry> entries_;
  std::size_t settled_ = 0;
};

/// What a file of an index says: little-endian, "TACITIDX", version 1, the log's key, `until`, `last_mark`, the number
/// of elements (8 bytes each), then for each element its id and the offset of its last record, then the XXH64 of all
/// before it with seed 0.
struct StoredLogIndex {
  std::uint64_t key = 0;
  std::uint64_t until = 0;      ///< all records before this offset are in it
  std::uint64_t last_mark = 0;  ///< offset of the last mark before that
  LogIndex index;

  /// @throws base::SystemError if it cannot be written; an index that was there stays
  void write(const std::filesystem::path& path) const;
  /// Nothing if there is none or it is damaged: an index can be made again from its log.
  [[nodiscard]] static std::optional<StoredLogIndex> read(const std::filesystem::path& path);
};

}  // namespace tacit::io::detail
