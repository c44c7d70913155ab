// Writes a continuous log: a mapped file to which any number of threads append records without a system call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/log/record.hpp"
#include "tacit/io/log/schema.hpp"

namespace tacit::io {

/// A place in a log: what a checkpoint keeps, so that a restarted run continues there.
struct LogPosition {
  std::uint64_t log = 0;     ///< the log's own number, drawn when it began
  std::uint64_t offset = 0;  ///< bytes from the beginning of the file
};

/// Room for some records, as a rule those of a cell; one thread fills it. What is not used, the destructor marks as
/// such.
///
///     LogBatch batch = log.reserve(due.size());
///     for (i : due) last_record[i] = batch.write(id[i], last_record[i], time, Fields{x[i], v[i]});
class LogBatch {
 public:
  LogBatch(LogBatch&& other) noexcept;
  LogBatch& operator=(LogBatch&&) = delete;
  ~LogBatch() { finish(); }

  /// Makes the records whole, and marks the rest of the room as not used. Nothing can be written afterwards.
  void finish() noexcept;

  /// Whether there was room.
  explicit operator bool() const noexcept { return next_ != nullptr; }
  /// Records that still fit.
  [[nodiscard]] std::size_t room() const noexcept { return room_; }

  /// Appends the state of an element.
  ///
  /// @param previous  what `write` returned for this element last, 0 the first time
  /// @param time      double or int64, as the schema says; not before the element's record before
  /// @param fields    a struct with the members of the schema in its order
  /// @return          offset of the record: the element's next `previous`
  /// @throws base::PreconditionError if there is no room left, or time or fields are not what the schema says
  /// Cost: about 20 ns for a record of 64 bytes, with its checksum; no lock, system call or allocation.
  template <class Time, class Fields>
  std::uint64_t write(std::uint64_t id, std::uint64_t previous, Time time, const Fields& fields) {
    return append(id, previous, time, fields, detail::RecordKind::state);
  }

  /// The same for an element that no longer exists from `time` on, for example because another rank has it now.
  template <class Time, class Fields>
  std::uint64_t remove(std::uint64_t id, std::uint64_t previous, Time time, const Fields& fields) {
    return append(id, previous, time, fields, detail::RecordKind::removed);
  }

 private:
  friend class LogWriter;
  LogBatch() = default;

  template <class Time, class Fields>
  std::uint64_t append(std::uint64_t id, std::uint64_t previous, Time time, const Fields& fields,
                       detail::RecordKind kind) {
    static_assert(std::is_trivially_copyable_v<Fields>);
    static_assert(std::same_as<Time, double> || std::same_as<Time, std::int64_t>);
    if (!fits(sizeof(Fields), number_type<Time>())) refuse();
    std::memcpy(next_ + sizeof(detail::RecordHead), &fields, sizeof(Fields));
    return put({id, previous, std::bit_cast<std::uint64_t>(time)}, kind);
  }
  [[nodiscard]] bool fits(std::size_t bytes, Number time) const noexcept {
    return room_ > 0 && (bytes + 7) / 8 * 8 == record_bytes_ - 32 && time == time_;
  }
  [[noreturn]] static void refuse();
  std::uint64_t put(const detail::RecordHead& head, detail::RecordKind kind) noexcept {
    detail::put_head({next_, record_bytes_}, head, kind);
    next_ += record_bytes_;
    --room_;
    return std::exchange(offset_, offset_ + record_bytes_);
  }

  std::byte* begin_ = nullptr;
  std::byte* next_ = nullptr;
  std::uint64_t offset_ = 0;
  std::size_t room_ = 0;
  std::size_t record_bytes_ = 0;
  std::uint64_t key_ = 0;
  Number time_ = Number::float64;
};

/// A log that is being written: one per rank, see docs/guide/log.md for the file.
///
/// Its owner calls `ensure_room` between steps; tasks call `reserve` and write. `sync` before a checkpoint makes what
/// was written durable. Whenever the process dies, what was written before stays readable.
///
///     LogWriter log("output.log", schema);
///     while (...) {
///       log.ensure_room(elements);
///       ...                                  // tasks: reserve, write
///       if (checkpoint) position = log.sync(time, elements);
///     }
///     log.close(time, elements);
class LogWriter {
 public:
  struct Options {
    /// The file grows by at least so much at a time, if there is room.
    std::uint64_t extent_bytes = std::uint64_t{64} << 20;
  };

  /// Begins a new log.
  /// @throws base::PreconditionError if the schema has a problem
  /// @throws base::SystemError if the file exists, or cannot be made
  LogWriter(std::filesystem::path path, const LogSchema& schema, Options options);
  LogWriter(std::filesystem::path path, const LogSchema& schema) : LogWriter(std::move(path), schema, Options{}) {}

  /// Continues a log where `sync` was: what came later is cut off.
  /// @throws base::FormatError if the file is another log, has another schema, or has no whole mark there
  /// @throws base::SystemError if the file cannot be opened or extended
  LogWriter(std::filesystem::path path, const LogSchema& schema, LogPosition continue_at, Options options);
  LogWriter(std::filesystem::path path, const LogSchema& schema, LogPosition continue_at)
      : LogWriter(std::move(path), schema, continue_at, Options{}) {}

  /// Gives back the room that was not used. The log stays without its end, as after a kill: `close` writes that.
  /// @pre no batch of it is left
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Makes room for so many records, before any of them is written: a full disk is found here.
  /// @throws base::SystemError naming the bytes needed; what was written stays, and `sync` and `close` still have room
  /// Threads: no batch may be alive.
  void ensure_room(std::uint64_t records);

  /// Whether `ensure_room` would have to do something.
  [[nodiscard]] bool lacks_room(std::uint64_t records) const noexcept;

  /// Room for `records`; an empty batch if there is less than that: `ensure_room` was asked for too little.
  /// Threads: any number at once.
  /// Cost: one atomic operation.
  [[nodiscard]] LogBatch reserve(std::size_t records) noexcept;

  /// Writes a mark, "up to `time` everything is here", and makes all so far durable.
  ///
  /// @param time      as in records; all records up to this time have been written
  /// @param elements  how many there are now
  /// @return          for the checkpoint
  /// @throws base::SystemError if the disk is full or does not take what was written
  /// Threads: no batch may be alive.
  template <class Time>
  LogPosition sync(Time time, std::uint64_t elements) {
    static_assert(std::same_as<Time, double> || std::same_as<Time, std::int64_t>);
    mark(detail::RecordKind::mark, number_type<Time>(), std::bit_cast<std::uint64_t>(time), elements);
    return position();
  }

  /// Writes a mark without making anything durable: what a kill of the process leaves can be read up to `time`, what a
  /// failure of the machine leaves perhaps not.
  /// Threads: no batch may be alive.
  /// @throws base::SystemError if the disk is full
  template <class Time>
  void note(Time time, std::uint64_t elements) {
    static_assert(std::same_as<Time, double> || std::same_as<Time, std::int64_t>);
    put_mark(detail::RecordKind::mark, number_type<Time>(), std::bit_cast<std::uint64_t>(time), elements);
  }

  /// The same as `sync`, for the last time: nothing can be written afterwards.
  template <class Time>
  LogPosition close(Time time, std::uint64_t elements) {
    static_assert(std::same_as<Time, double> || std::same_as<Time, std::int64_t>);
    mark(detail::RecordKind::end, number_type<Time>(), std::bit_cast<std::uint64_t>(time), elements);
    release();
    return position();
  }

  [[nodiscard]] LogPosition position() const noexcept { return {key_, end_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] const LogLayout& layout() const noexcept { return layout_; }

 private:
  void create(const LogSchema& schema);
  void resume(const LogSchema& schema, LogPosition position);
  void check_last_mark(std::uint64_t offset);
  [[nodiscard]] int grow(std::uint64_t size) noexcept;
  void fill(std::uint64_t needed);
  void map_window();
  [[nodiscard]] LogBatch take(std::size_t records, std::uint64_t spare) noexcept;
  void unmap() noexcept;
  void release() noexcept;
  void put_mark(detail::RecordKind kind, Number type, std::uint64_t time_bits, std::uint64_t elements);
  void mark(detail::RecordKind kind, Number type, std::uint64_t time_bits, std::uint64_t elements);
  [[noreturn]] void fail(const char* what, std::uint64_t needed, int code) const;

  std::filesystem::path path_;
  Options options_;
  LogLayout layout_;
  Number time_ = Number::float64;
  std::uint64_t key_ = 0;
  int file_ = -1;
  std::uint64_t allocated_ = 0;  // bytes of the file that surely have blocks on the disk
  std::uint64_t filled_ = 0;     // up to there the page cache has the file, at least
  std::vector<std::byte> zeros_;
  std::uint64_t last_mark_ = 0;  // its offset
  std::byte* window_ = nullptr;  // the file from window_begin_ to allocated_, mapped
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_bytes_ = 0;
  alignas(64) std::atomic<std::uint64_t> end_ = 0;  // where the next record goes; all threads write it
};

}  // namespace tacit::io
