// The file of a log that is being written: allocated before it is mapped, mapped before it is written, cut when done.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/log/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>
#include <vector>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/log/index.hpp"

namespace tacit::io {
namespace {

namespace fs = std::filesystem;

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::uint64_t new_key() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

// Records that `reserve` leaves over: a mark and the end, which must find room on a full disk.
constexpr std::uint64_t spare_records = 2;

// Written at a time ahead of records; long enough that the kernel takes memory for it in large pieces.
constexpr std::uint64_t fill_bytes = std::uint64_t{1} << 20;

bool is_lack_of_room(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }

// Returns 0 or an errno; what is short counts as no data.
int read_fully(int file, std::uint64_t offset, std::span<std::byte> out) noexcept {
  while (!out.empty()) {
    const ssize_t got = ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : ENODATA;
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return 0;
}

// The name of a new file is durable only when its directory is.
void sync_directory_of(const fs::path& path) noexcept {
  const int directory = ::open(detail::directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace

LogBatch::LogBatch(LogBatch&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)),
      next_(std::exchange(other.next_, nullptr)),
      offset_(other.offset_),
      room_(std::exchange(other.room_, 0)),
      record_bytes_(other.record_bytes_),
      key_(other.key_),
      time_(other.time_) {}

void LogBatch::finish() noexcept {
  while (room_ > 0) put({}, detail::RecordKind::filler);
  const std::uint64_t first = offset_ - static_cast<std::uint64_t>(next_ - begin_);
  for (std::uint64_t at = first; at < offset_; at += record_bytes_) {
    detail::put_sum({begin_ + (at - first), record_bytes_}, key_, at);
  }
  begin_ = next_ = nullptr;
}

void LogBatch::refuse() {
  throw base::PreconditionError("a record of a log has no room, or other fields or times than the schema says");
}

LogWriter::LogWriter(fs::path path, const LogSchema& schema, Options options)
    : path_(std::move(path)), options_(options) {
  if (const std::string problem = problem_of(schema); !problem.empty()) throw base::PreconditionError(problem);
  layout_ = layout_of(schema);
  time_ = schema.time;
  try {
    create(schema);
  } catch (...) {
    unmap();
    if (file_ >= 0) {
      ::close(file_);
      ::unlink(path_.c_str());  // it was ours from the beginning, and holds nothing
    }
    throw;
  }
}

LogWriter::LogWriter(fs::path path, const LogSchema& schema, LogPosition continue_at, Options options)
    : path_(std::move(path)), options_(options) {
  if (const std::string problem = problem_of(schema); !problem.empty()) throw base::PreconditionError(problem);
  layout_ = layout_of(schema);
  time_ = schema.time;
  try {
    resume(schema, continue_at);
  } catch (...) {
    unmap();
    if (file_ >= 0) ::close(file_);
    throw;
  }
}

LogWriter::~LogWriter() { release(); }

void LogWriter::create(const LogSchema& schema) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) {
    if (errno == EEXIST) throw base::SystemError(path_.string(), "exists: a new log replaces no file; move it away");
    fail("cannot be made", layout_.header_bytes, errno);
  }
  key_ = new_key();
  end_ = layout_.header_bytes;
  ensure_room(0);
  const std::vector<std::byte> header = detail::encode_log_header({schema, key_});
  const ssize_t written = ::pwrite(file_, header.data(), header.size(), 0);
  if (written != static_cast<ssize_t>(header.size()) || ::fsync(file_) != 0)
    fail("cannot be made", layout_.header_bytes, errno);
  sync_directory_of(path_);
}

void LogWriter::resume(const LogSchema& schema, LogPosition position) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) throw base::SystemError(path_.string(), "cannot be opened to continue the log", errno);
  std::vector<std::byte> bytes(detail::log_header_limit);
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw base::SystemError(path_.string(), "cannot be read", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  bytes.resize(std::min<std::uint64_t>(size, bytes.size()));
  if (const int code = read_fully(file_, 0, bytes)) throw base::SystemError(path_.string(), "cannot be read", code);
  const detail::LogHeader header = detail::decode_log_header(bytes, path_.string());
  key_ = header.key;
  if (key_ != position.log) throw base::FormatError(path_.string(), "is the log of another run: no record is added");
  if (!(header.schema == schema)) {
    throw base::FormatError(path_.string(), "has other fields than this run logs: continue with the same, or move it");
  }
  if (position.offset > size) {
    throw base::FormatError(path_.string(), fmt::format("ends at byte {}, before byte {} where the run continues: "
                                                        "it was cut off",
                                                        size, position.offset));
  }
  if (position.offset != layout_.header_bytes) check_last_mark(position.offset);
  // What comes now may stand elsewhere than where an index found it.
  std::error_code ignored;
  fs::remove(detail::log_index_path(path_), ignored);
  if (::ftruncate(file_, static_cast<off_t>(position.offset)) != 0) fail("cannot be continued", 0, errno);
  end_ = position.offset;
  allocated_ = filled_ = position.offset;
  ensure_room(0);
}

// A position in a checkpoint stands behind the mark that was written for it.
void LogWriter::check_last_mark(std::uint64_t offset) {
  std::vector<std::byte> record(layout_.record_bytes);
  const bool is_place =
      offset >= layout_.header_bytes + record.size() && (offset - layout_.header_bytes) % record.size() == 0;
  last_mark_ = is_place ? offset - record.size() : 0;
  if (!is_place || read_fully(file_, last_mark_, record) != 0 || !detail::is_whole_record(record, key_, last_mark_) ||
      !detail::RecordView(record).is_mark()) {
    throw base::FormatError(path_.string(),
                            fmt::format("has no whole mark before byte {}, where the run continues", offset));
  }
}

// Returns 0 or an errno; then the file is as before. Blocks first, then addresses: who writes to a mapped page that
// has no block, and gets none, is killed by SIGBUS.
int LogWriter::grow(std::uint64_t size) noexcept {
  const std::uint64_t from = allocated_ / page_bytes() * page_bytes();
  int code = 0;
  do {
    code = ::posix_fallocate(file_, static_cast<off_t>(from), static_cast<off_t>(size - from));
  } while (code == EINTR);
  if (code == 0) {
    allocated_ = size;
  } else if (::ftruncate(file_, static_cast<off_t>(allocated_)) != 0) {
    return errno;
  }
  return code;
}

bool LogWriter::lacks_room(std::uint64_t records) const noexcept {
  const std::uint64_t end = end_.load(std::memory_order_relaxed);
  return window_ == nullptr || records > (allocated_ - end) / layout_.record_bytes ||
         end + (records + spare_records) * layout_.record_bytes > filled_;
}

void LogWriter::ensure_room(std::uint64_t records) {
  const std::uint64_t end = end_.load(std::memory_order_relaxed);
  const std::uint64_t most = (std::uint64_t{1} << 62) / layout_.record_bytes - spare_records;
  if (records > most) fail("cannot grow", std::uint64_t{1} << 62, EFBIG);
  const std::uint64_t needed = end + (records + spare_records) * layout_.record_bytes;
  if (needed <= filled_ && window_ != nullptr) return;
  const bool is_mapped = window_ != nullptr && needed <= allocated_;
  if (needed > allocated_) {
    int code = grow(std::max(needed, allocated_ + options_.extent_bytes));
    // Near the end of the disk, what is needed may fit where an extent does not.
    if (is_lack_of_room(code)) code = grow(needed);
    if (code != 0) fail("cannot grow", needed - allocated_, code);
  }
  if (!is_mapped) map_window();
  fill(needed);
}

// Pages that the page cache has, and has marked as to be written, cost the thread that first stores to them a third of
// what a page costs that is made then: a call makes them by the hundred. Nothing in the file changes by it.
void LogWriter::fill(std::uint64_t needed) {
  zeros_.resize(fill_bytes / 4);
  // Who reserved more than it had asked for has written beyond what was filled.
  filled_ = std::max(filled_, end_.load(std::memory_order_relaxed));
  const std::uint64_t to = std::min(allocated_, (needed + fill_bytes - 1) / fill_bytes * fill_bytes);
  while (filled_ < to) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(zeros_.size(), to - filled_));
    const ssize_t written = ::pwrite(file_, zeros_.data(), length, static_cast<off_t>(filled_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot grow", to - filled_, written < 0 ? errno : ENOSPC);
    filled_ += static_cast<std::uint64_t>(written);
  }
}

void LogWriter::map_window() {
  unmap();
  window_begin_ = end_.load(std::memory_order_relaxed) / page_bytes() * page_bytes();
  window_bytes_ = allocated_ - window_begin_;
  void* const place =
      ::mmap(nullptr, window_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(window_begin_));
  if (place == MAP_FAILED) {
    const int code = errno;
    throw base::SystemError(
        path_.string(), fmt::format("{} of the log cannot be mapped into memory", detail::format_bytes(window_bytes_)),
        code);
  }
  window_ = static_cast<std::byte*>(place);
}

void LogWriter::unmap() noexcept {
  if (window_ != nullptr) ::munmap(std::exchange(window_, nullptr), window_bytes_);
}

LogBatch LogWriter::reserve(std::size_t records) noexcept {
  return take(records, spare_records * layout_.record_bytes);
}

LogBatch LogWriter::take(std::size_t records, std::uint64_t spare) noexcept {
  LogBatch batch;
  const std::uint64_t bytes = records * std::uint64_t{layout_.record_bytes};
  std::uint64_t begin = end_.load(std::memory_order_relaxed);
  do {
    // Never moved beyond the room: who asks for too much leaves no gap for the others.
    if (window_ == nullptr || records > allocated_ || begin + bytes + spare > allocated_) return batch;
  } while (!end_.compare_exchange_weak(begin, begin + bytes, std::memory_order_relaxed));
  batch.begin_ = batch.next_ = window_ + (begin - window_begin_);
  batch.offset_ = begin;
  batch.room_ = records;
  batch.record_bytes_ = layout_.record_bytes;
  batch.key_ = key_;
  batch.time_ = time_;
  return batch;
}

void LogWriter::put_mark(detail::RecordKind kind, Number type, std::uint64_t time_bits, std::uint64_t elements) {
  if (type != time_) throw base::PreconditionError("the time of a mark is of another type than those of the records");
  if (window_ == nullptr || end_ + layout_.record_bytes > allocated_) ensure_room(0);
  LogBatch batch = take(1, 0);
  std::ranges::fill(std::span(batch.next_, layout_.record_bytes), std::byte{0});
  last_mark_ = batch.put({elements, last_mark_, time_bits}, kind);
  batch.finish();
}

void LogWriter::mark(detail::RecordKind kind, Number type, std::uint64_t time_bits, std::uint64_t elements) {
  put_mark(kind, type, time_bits, elements);
  if (::fdatasync(file_) != 0) fail("cannot be made durable", allocated_, errno);
}

// Without room that is not used, the file is as long as its records.
void LogWriter::release() noexcept {
  unmap();
  if (file_ < 0) return;
  allocated_ = end_.load(std::memory_order_relaxed);
  const bool is_cut = ::ftruncate(file_, static_cast<off_t>(allocated_)) == 0;
  if (is_cut) ::fdatasync(file_);
  ::close(std::exchange(file_, -1));
}

void LogWriter::fail(const char* what, std::uint64_t needed, int code) const {
  const fs::path directory = detail::directory_of(path_);
  const std::optional<std::uint64_t> free = detail::free_bytes(directory);
  throw base::SystemError(
      path_.string(),
      fmt::format("{}: needs {}, {}; {}", what, detail::format_bytes(needed),
                  free ? detail::format_bytes(*free) + " free" : "free space unknown", detail::advice(code, directory)),
      code);
}

}  // namespace tacit::io
