// Reads a continuous log: the state at any time, and the trajectory of one element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "tacit/io/log/index.hpp"
#include "tacit/io/log/record.hpp"
#include "tacit/io/log/schema.hpp"
#include "tacit/io/log/table.hpp"

namespace tacit::io {

/// Up to where a log has everything.
struct LogMark {
  double time = 0.0;           ///< in the unit of rates
  std::uint64_t elements = 0;  ///< at that time
  std::uint64_t offset = 0;    ///< of the mark in the file
};

/// Bytes of a log, [begin, end).
struct LogRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const LogRange&) const = default;
};

enum class Damage { refuse, skip };

/// A record of an element as it stands in the log.
struct LogRecord {
  std::uint64_t offset = 0;           ///< its place: `previous` of the element's next record
  double time = 0.0;                  ///< in the unit of rates
  const std::byte* fields = nullptr;  ///< laid out as the schema says; as long as the reader lives
};

/// An open log. A log that is being written can be read; what comes later needs a new reader, and so does a log whose
/// run was restarted.
///
/// Every record has been checked against its checksum when it is used, and every offset against the file; no content
/// of a file leads to more than an exception. Threads: const members may run at once.
class LogReader {
 public:
  /// Finds the last record of each element: by the index file, as far as it goes, and then record by record.
  ///
  /// @param damage  refuse: a record before the last mark that is not what was written is an error;
  ///                skip: it is left out, and states there come from the records around it
  /// @throws base::SystemError if the file cannot be read
  /// @throws base::FormatError if it is no log, or damaged where that is refused
  /// Cost: one pass over what the index does not cover; 16 bytes of memory per element.
  explicit LogReader(const std::filesystem::path& path, Damage damage = Damage::refuse);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  [[nodiscard]] const LogSchema& schema() const noexcept { return header_.schema; }
  /// The last mark; nothing before the first.
  [[nodiscard]] std::optional<LogMark> complete() const;
  /// Whether the run ended it. If not: it goes on, it was killed, or the file was cut off.
  [[nodiscard]] bool is_closed() const;
  /// Elements that have at least one record.
  [[nodiscard]] std::size_t elements() const noexcept { return index_.entries().size(); }
  /// Their numbers, rising.
  [[nodiscard]] std::vector<std::uint64_t> ids() const;
  /// Bytes up to and with the last whole record.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return end_; }
  /// Bytes before this were not looked at when the log was opened, because an index covers them.
  [[nodiscard]] std::uint64_t scanned_from() const noexcept { return scanned_from_; }
  /// Of what was looked at, the places before the last mark that hold no whole record, though they did.
  [[nodiscard]] std::span<const LogRange> damaged() const noexcept { return damaged_; }
  /// Those behind it: begun when the run was killed, or damaged later.
  [[nodiscard]] std::span<const LogRange> unfinished() const noexcept { return unfinished_; }

  /// The elements that exist at `time` by rising id, with their fields at that time, see LogSchema.
  ///
  /// @param time  in the unit of rates, at most complete()->time
  /// @throws base::Error if the log is not complete up to then
  /// @throws base::FormatError if a record that is needed is damaged, and that is refused
  /// Cost: for each element, the records after `time` are passed backwards.
  [[nodiscard]] LogTable state(double time) const;

  /// All records of one element in the order of time, also those behind the last mark; no rows if it has none.
  /// @throws base::FormatError as `state`
  [[nodiscard]] LogTable trajectory(std::uint64_t id) const;

  /// The last record of an element, whether or not it exists afterwards; nothing if it has none.
  /// @throws base::FormatError as `state`
  [[nodiscard]] std::optional<LogRecord> last_record(std::uint64_t id) const;

  /// When the log begins: the time of its first record; nothing if that is not there.
  [[nodiscard]] std::optional<double> begin() const;

  /// Keeps the index beside the log, so that the next reader opens it faster; a restarted run removes it.
  /// @throws base::Error if places of the log are damaged
  /// @throws base::SystemError if it cannot be written
  void write_index() const;

 private:
  friend class LogSet;
  struct Place {
    detail::RecordView record;
    std::uint64_t offset = 0;
  };
  // An element's records on both sides of a time.
  struct Around {
    std::optional<Place> before;
    std::optional<Place> after;
  };

  void open();
  void use_index();
  // Places without a whole record.
  struct Gaps {
    std::vector<LogRange> zero;
    std::vector<LogRange> other;
  };
  void scan();
  std::size_t scan_piece(std::uint64_t offset, std::span<const std::byte> piece, Gaps& gaps);
  void sort_gaps(const Gaps& gaps);
  void map();
  void release() noexcept;
  [[nodiscard]] bool is_place(std::uint64_t offset) const noexcept;
  [[nodiscard]] std::optional<detail::RecordView> record_at(std::uint64_t offset) const noexcept;
  [[nodiscard]] std::optional<Place> element_at(std::uint64_t offset, std::uint64_t id) const noexcept;
  [[nodiscard]] std::optional<Place> found_at(std::uint64_t offset, std::uint64_t id, std::uint64_t before) const;
  [[nodiscard]] std::optional<Place> last_of(const detail::LogIndexEntry& entry) const;
  [[nodiscard]] std::optional<Place> previous_of(const Place& place) const;
  [[nodiscard]] Around around(const detail::LogIndexEntry& entry, double time) const;

  std::filesystem::path path_;
  Damage damage_;
  int file_ = -1;
  std::uint64_t size_ = 0;  // of the file when it was opened
  detail::LogHeader header_;
  LogLayout layout_;
  detail::LogIndex index_;
  std::uint64_t scanned_from_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t last_mark_ = 0;  // offset, 0 if there is none
  std::vector<LogRange> damaged_;
  std::vector<LogRange> unfinished_;
  const std::byte* bytes_ = nullptr;  // the file up to end_, mapped
};

}  // namespace tacit::io
