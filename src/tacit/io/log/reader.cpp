// Opens a log, finds its records with and without an index, and follows the back-pointers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/log/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/io/log/interpolate.hpp"

namespace tacit::io {
namespace {

using base::FormatError;
using base::SystemError;
using detail::RecordView;

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

// Bytes read, fewer only at the end of the file. Not through a mapping: a file that is cut off meanwhile, or a disk
// that fails, is an error here and a signal there.
std::size_t read_some(int file, std::uint64_t offset, std::span<std::byte> out, const std::string& path) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(file, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(path, "the log cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// Where the next bytes stand that may be other than zero.
std::uint64_t next_data(int file, std::uint64_t offset, std::uint64_t size) noexcept {
  const off_t data = ::lseek(file, static_cast<off_t>(offset), SEEK_DATA);
  if (data >= 0) return static_cast<std::uint64_t>(data);
  return errno == ENXIO ? size : offset;
}

bool is_zero(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

void add_range(std::vector<LogRange>& ranges, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  if (!ranges.empty() && ranges.back().end == begin) {
    ranges.back().end = end;
  } else {
    ranges.push_back({begin, end});
  }
}

}  // namespace

LogReader::LogReader(const std::filesystem::path& path, Damage damage) : path_(path), damage_(damage) {
  try {
    open();
    use_index();
    scan();
    map();
  } catch (...) {
    release();
    throw;
  }
  if (damage_ == Damage::refuse && !damaged_.empty()) {
    release();
    const std::string where = damaged_.size() == 1 ? fmt::format("at byte {}", damaged_.front().begin)
                                                   : fmt::format("at {} places, the first at byte {}", damaged_.size(),
                                                                 damaged_.front().begin);
    throw FormatError(path_.string(),
                      fmt::format("the log is not what was written {}; read the rest with Damage::skip", where));
  }
}

LogReader::~LogReader() { release(); }

void LogReader::open() {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0) throw SystemError(path_.string(), "the log cannot be opened", errno);
  if (!S_ISREG(status.st_mode)) throw FormatError(path_.string(), "is no continuous log: it is no regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  std::vector<std::byte> bytes(std::min<std::uint64_t>(size_, detail::log_header_limit));
  bytes.resize(read_some(file_, 0, bytes, path_.string()));
  header_ = detail::decode_log_header(bytes, path_.string());
  layout_ = layout_of(header_.schema);
  scanned_from_ = end_ = layout_.header_bytes;
}

// An index that does not fit the log is of an earlier one, and the log is scanned from its beginning.
void LogReader::use_index() {
  auto stored = detail::StoredLogIndex::read(detail::log_index_path(path_));
  if (!stored || stored->key != header_.key || stored->until > size_ || stored->until < layout_.header_bytes) return;
  std::vector<std::byte> mark(layout_.record_bytes);
  const bool has_mark = stored->last_mark >= layout_.header_bytes && stored->last_mark < stored->until &&
                        read_some(file_, stored->last_mark, mark, path_.string()) == mark.size() &&
                        detail::is_whole_record(mark, header_.key, stored->last_mark) && RecordView(mark).is_mark();
  if (!has_mark || (stored->until - layout_.header_bytes) % layout_.record_bytes != 0) return;
  index_ = std::move(stored->index);
  last_mark_ = stored->last_mark;
  scanned_from_ = end_ = stored->until;
}

void LogReader::scan() {
  const std::size_t record = layout_.record_bytes;
  std::vector<std::byte> buffer(std::max(piece_bytes / record, std::size_t{1}) * record);
  Gaps gaps;
  for (std::uint64_t at = scanned_from_; at < size_;) {
    const std::uint64_t data = std::clamp(next_data(file_, at, size_), at, size_);
    const std::uint64_t begin = at + (data - at) / record * record;
    add_range(gaps.zero, at, begin);
    const std::size_t got = read_some(file_, begin, buffer, path_.string());
    at = begin + scan_piece(begin, std::span<const std::byte>(buffer).first(got), gaps);
    if (got < buffer.size()) break;
  }
  index_.settle();
  sort_gaps(gaps);
}

// Looks at the records that begin in the piece; returns the bytes of whole ones.
std::size_t LogReader::scan_piece(std::uint64_t offset, std::span<const std::byte> piece, Gaps& gaps) {
  const std::size_t record = layout_.record_bytes;
  std::size_t at = 0;
  for (; at + record <= piece.size(); at += record) {
    const std::span<const std::byte> bytes = piece.subspan(at, record);
    if (!detail::is_whole_record(bytes, header_.key, offset + at)) {
      add_range(is_zero(bytes) ? gaps.zero : gaps.other, offset + at, offset + at + record);
      continue;
    }
    end_ = offset + at + record;
    const RecordView view(bytes);
    if (view.is_element()) index_.note(view.head().id, offset + at);
    if (view.is_mark()) last_mark_ = offset + at;
  }
  const std::span<const std::byte> rest = piece.subspan(at);
  if (!is_zero(rest)) add_range(gaps.other, offset + at, offset + piece.size());
  return at;
}

// All before the last mark was whole once; zeros behind the last record are room that nobody has used.
void LogReader::sort_gaps(const Gaps& gaps) {
  std::vector<LogRange> all = gaps.other;
  for (const LogRange& range : gaps.zero) {
    if (range.begin < end_) all.push_back(range);
  }
  std::ranges::sort(all, {}, &LogRange::begin);
  for (const LogRange& range : all) {
    add_range(range.begin < last_mark_ ? damaged_ : unfinished_, range.begin, range.end);
  }
}

void LogReader::map() {
  void* const place = ::mmap(nullptr, end_, PROT_READ, MAP_SHARED, file_, 0);
  if (place == MAP_FAILED) throw SystemError(path_.string(), "the log cannot be mapped into memory", errno);
  bytes_ = static_cast<const std::byte*>(place);
}

void LogReader::release() noexcept {
  if (bytes_ != nullptr) ::munmap(const_cast<std::byte*>(std::exchange(bytes_, nullptr)), end_);
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

bool LogReader::is_place(std::uint64_t offset) const noexcept {
  return offset >= layout_.header_bytes && offset < end_ && end_ - offset >= layout_.record_bytes &&
         (offset - layout_.header_bytes) % layout_.record_bytes == 0;
}

std::optional<RecordView> LogReader::record_at(std::uint64_t offset) const noexcept {
  if (!is_place(offset)) return std::nullopt;
  const std::span<const std::byte> bytes(bytes_ + offset, layout_.record_bytes);
  if (!detail::is_whole_record(bytes, header_.key, offset)) return std::nullopt;
  return RecordView(bytes);
}

std::optional<LogReader::Place> LogReader::element_at(std::uint64_t offset, std::uint64_t id) const noexcept {
  const std::optional<RecordView> record = record_at(offset);
  if (!record || !record->is_element() || record->head().id != id) return std::nullopt;
  return Place{*record, offset};
}

// The element's record at `offset`, or where that is damaged, its last one that stands before `before`.
std::optional<LogReader::Place> LogReader::found_at(std::uint64_t offset, std::uint64_t id,
                                                    std::uint64_t before) const {
  if (offset < before) {
    if (const auto place = element_at(offset, id)) return place;
  }
  // Behind the last mark a gap is what a killed run leaves, and no damage.
  if (damage_ == Damage::refuse && (offset < last_mark_ || offset >= before)) {
    throw FormatError(path_.string(), fmt::format("the record of element {} at byte {} is not what was written; read "
                                                  "the rest with Damage::skip",
                                                  id, offset));
  }
  for (std::uint64_t at = before; at > layout_.header_bytes;) {
    at -= layout_.record_bytes;
    if (const auto place = element_at(at, id)) return place;
  }
  return std::nullopt;
}

std::optional<LogReader::Place> LogReader::last_of(const detail::LogIndexEntry& entry) const {
  return found_at(entry.offset, entry.id, end_);
}

std::optional<LogReader::Place> LogReader::previous_of(const Place& place) const {
  const detail::RecordHead head = place.record.head();
  if (head.previous == 0) return std::nullopt;
  return found_at(head.previous, head.id, place.offset);
}

std::vector<std::uint64_t> LogReader::ids() const {
  std::vector<std::uint64_t> all;
  for (const detail::LogIndexEntry& entry : index_.entries()) all.push_back(entry.id);
  return all;
}

std::optional<LogMark> LogReader::complete() const {
  const std::optional<RecordView> mark = record_at(last_mark_);
  if (!mark || !mark->is_mark()) return std::nullopt;
  return LogMark{mark->time(header_.schema), mark->head().id, last_mark_};
}

bool LogReader::is_closed() const {
  const std::optional<RecordView> mark = record_at(last_mark_);
  return mark && mark->kind() == detail::RecordKind::end && last_mark_ + layout_.record_bytes == end_;
}

LogTable LogReader::state(double time) const {
  const std::optional<LogMark> mark = complete();
  if (!mark || !(time <= mark->time)) {
    throw base::Error(fmt::format(
        "{}: the log is {}, so there is no state at {}", path_.string(),
        mark ? fmt::format("complete up to the time {}", mark->time) : std::string("not complete up to any time"),
        time));
  }
  LogTable table = detail::empty_table(header_.schema);
  for (const detail::LogIndexEntry& entry : index_.entries()) {
    const auto [before, after] = around(entry, time);
    if (!before || before->record.kind() == detail::RecordKind::removed) continue;
    detail::append_state(table, header_.schema, layout_, before->record, after ? &after->record : nullptr, time);
  }
  return table;
}

LogReader::Around LogReader::around(const detail::LogIndexEntry& entry, double time) const {
  Around found{.before = last_of(entry), .after = {}};
  while (found.before && !(found.before->record.time(header_.schema) <= time)) {
    found.after = std::exchange(found.before, previous_of(*found.before));
  }
  return found;
}

std::optional<LogRecord> LogReader::last_record(std::uint64_t id) const {
  const std::optional<std::uint64_t> last = index_.last_of(id);
  const std::optional<Place> place = last ? last_of({id, *last}) : std::nullopt;
  if (!place) return std::nullopt;
  return LogRecord{place->offset, place->record.time(header_.schema), place->record.at(sizeof(detail::RecordHead))};
}

std::optional<double> LogReader::begin() const {
  const std::optional<RecordView> first = record_at(layout_.header_bytes);
  if (!first || !(first->is_mark() || first->is_element())) return std::nullopt;
  return first->time(header_.schema);
}

LogTable LogReader::trajectory(std::uint64_t id) const {
  LogTable table = detail::empty_table(header_.schema);
  const std::optional<std::uint64_t> last = index_.last_of(id);
  if (!last) return table;
  std::vector<RecordView> records;
  for (auto place = last_of({id, *last}); place; place = previous_of(*place)) records.push_back(place->record);
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    detail::append_record(table, header_.schema, layout_, *record);
  }
  return table;
}

void LogReader::write_index() const {
  if (!damaged_.empty() || !unfinished_.empty()) {
    throw base::Error(path_.string() + ": places of the log are damaged or unfinished, so no index of it is kept");
  }
  if (last_mark_ == 0) throw base::Error(path_.string() + ": the log has no mark yet, so no index of it is kept");
  detail::StoredLogIndex{header_.key, end_, last_mark_, index_}.write(detail::log_index_path(path_));
}

}  // namespace tacit::io
