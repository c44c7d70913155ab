// Writes recorded events as the JSON that Perfetto opens.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "tacit/base/disk.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/trace/readable.hpp"
#include "tacit/trace/report.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace {

namespace {

/// A text file beside its target that `commit` renames to the target. The first failure of the disk is kept until
/// then, so that the message can say how many bytes are needed.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path)
      : path_(path), partial_(unfinished_trace(path)), file_(std::fopen(partial_.c_str(), "wb"), &std::fclose) {
    if (!file_) code_ = errno;
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() {
    file_.reset();
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);  // is gone after commit
  }

  void append(std::string_view text) {
    bytes_ += text.size();
    if (code_ == 0 && std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) code_ = errno;
  }
  /// @throws base::SystemError
  void commit() {
    if (file_ && std::fclose(file_.release()) != 0 && code_ == 0) code_ = errno;
    if (code_ == 0 && std::rename(partial_.c_str(), path_.c_str()) != 0) code_ = errno;
    if (code_ != 0) base::fail_to_write(path_, bytes_, code_);
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::uint64_t bytes_ = 0;
  int code_ = 0;  // errno of the first failure
};

/// Hands text on in pieces of some 64 kB.
class Pieces {
 public:
  explicit Pieces(const TakeText& take) : take_(take) {}
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    flush_if_long();
  }
  /// Without a format to read: there are millions of events.
  void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  void append(std::uint64_t number) {
    const fmt::format_int digits(number);
    append(std::string_view(digits.data(), digits.size()));
  }
  void flush_if_long() {
    if (buffer_.size() > (1U << 16U)) flush();
  }
  void flush() {
    take_({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

 private:
  const TakeText& take_;
  fmt::memory_buffer buffer_;
};

/// A name as JSON, quotation marks included; bytes that are not UTF-8 are replaced.
std::string json_text(std::string_view name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds printed as microseconds with three decimals, exactly.
struct Microseconds {
  std::int64_t ns;
  [[nodiscard]] const char* sign() const { return ns < 0 ? "-" : ""; }
  [[nodiscard]] std::int64_t whole() const { return (ns < 0 ? -ns : ns) / 1000; }
  [[nodiscard]] std::int64_t rest() const { return (ns < 0 ? -ns : ns) % 1000; }
};

/// Ticks to nanoseconds since the start. Rounds points in time, so that events that touch still touch.
class TimeLine {
 public:
  /// @param origin_ns  of the start
  explicit TimeLine(const base::TickScale& scale, std::int64_t origin_ns = 0)
      : start_(scale.start()), ns_per_tick_(scale.ns_per_tick()), origin_ns_(origin_ns) {}
  [[nodiscard]] std::int64_t ns(std::int64_t ticks) const {
    return std::llround(static_cast<double>(ticks - start_) * ns_per_tick_) + origin_ns_;
  }

 private:
  std::int64_t start_;
  double ns_per_tick_;
  std::int64_t origin_ns_;
};

/// The processes of one rank: its workers, and its transfers on separate tracks.
struct Processes {
  std::uint64_t workers = 0;
  std::uint64_t transfers = 1;
};

void append(Pieces& text, const Microseconds& time) {
  text.append(time.sign());
  text.append(static_cast<std::uint64_t>(time.whole()));
  const auto rest = static_cast<unsigned>(time.rest());
  const auto digit = [](unsigned value) { return static_cast<char>('0' + value % 10); };
  const std::array<char, 4> decimals{'.', digit(rest / 100), digit(rest / 10), digit(rest)};
  text.append(std::string_view(decimals.data(), decimals.size()));
}

/// @param head  the event up to its time, as event_head
void write_span(Pieces& text, const Span& span, const TimeLine& line, std::string_view head) {
  const Microseconds begin{line.ns(span.event.begin)};
  text.append(head);
  append(text, begin);
  text.append(",\"dur\":");
  append(text, Microseconds{line.ns(span.event.end) - begin.ns});
  text.append(span.merged == 1 ? ",\"args\":{\"key\":" : ",\"args\":{\"merged\":");
  text.append(span.merged == 1 ? std::uint64_t{span.event.key} : span.count);
  if (span.merged == 1 && span.count > 1) {
    text.append(",\"count\":");
    text.append(span.count);
  }
  text.append("}}");
  text.flush_if_long();
}

/// What stands before the times of the spans of a track, made for each kind when it is first wanted.
class Heads {
 public:
  Heads(const Recorder& recorder, std::uint64_t process, std::size_t track)
      : recorder_(recorder), process_(process), track_(track), heads_(2 * max_kinds) {}
  [[nodiscard]] const std::string& of(const Span& span) {
    const KindId kind = span.event.kind;
    std::string& head = heads_[2 * static_cast<std::size_t>(kind) + (span.is_mixed ? 1 : 0)];
    if (head.empty()) {
      const std::string name = std::string(recorder_.name(kind)) + (span.is_mixed ? " and others" : "");
      head = fmt::format(",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"cat\":\"{}\",\"ts\":", process_, track_,
                         json_text(name), trace::name(recorder_.category(kind)));
    }
    return head;
  }

 private:
  const Recorder& recorder_;
  std::uint64_t process_;
  std::size_t track_;
  std::vector<std::string> heads_;
};

/// A pair that Perfetto draws as a span on a separate track, in the group "transfers": such spans overlap.
void write_transfer(Pieces& text, const Transfer& transfer, const TimeLine& line, std::uint64_t process,
                    std::uint64_t id, std::size_t track, const std::string& name) {
  const Microseconds begin{line.ns(transfer.posted)};
  const Microseconds end{line.ns(transfer.completed)};
  text.print(
      ",\n{{\"ph\":\"b\",\"pid\":{},\"tid\":{},\"id\":{},\"name\":{},\"cat\":\"transfers\",\"ts\":{}{}.{:03},"
      "\"args\":{{\"key\":{},\"alone_us\":{:.3f},\"bytes\":{}}}}}",
      process, track, id, name, begin.sign(), begin.whole(), begin.rest(), transfer.key, 1e6 * transfer.alone_s,
      transfer.bytes);
  text.print(",\n{{\"ph\":\"e\",\"pid\":{},\"tid\":{},\"id\":{},\"name\":{},\"cat\":\"transfers\",\"ts\":{}{}.{:03}}}",
             process, track, id, name, end.sign(), end.whole(), end.rest());
}

void write_about(Pieces& text, std::span<const std::pair<std::string, std::string>> about, const Report& report) {
  text.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{");
  for (const auto& [name, value] : about) text.print("{}:{},", json_text(name), json_text(value));
  text.print("\"tacit\":{}}},\"traceEvents\":[", to_json(report));
}

void write_process_name(Pieces& text, std::uint64_t process, const std::string& name) {
  text.print(",\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"{}\"}}}}", process, name);
}

/// The workers, and the threads beside them that did anything. The first worker of all comes without a comma.
void write_thread_names(Pieces& text, const Recorder& recorder, std::uint64_t process) {
  for (std::size_t track = 0; track < recorder.tracks(); ++track) {
    text.print(
        "{}\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"worker {}\"}}}}",
        process == 0 && track == 0 ? "" : ",", process, track, track);
  }
  for (std::size_t i = 0; i < Recorder::beside; ++i) {
    const std::size_t track = recorder.tracks() + i;
    if (recorder.track(track).recorded() == 0) continue;
    text.print(",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}",
               process, track, i == 0 ? "beside the workers" : "files");
  }
}

/// @param title  of their process
/// @pre the list of events is not empty
void write_transfers(Pieces& text, const Recorder& recorder, const Selection& selection, const TimeLine& line,
                     std::uint64_t process, const std::string& title) {
  std::uint64_t id = 0;
  for (std::size_t track = 0; track < recorder.tracks() + Recorder::beside; ++track) {
    for (const Transfer& transfer : transfers_of(recorder.track(track), selection)) {
      if (id == 0) write_process_name(text, process, title);
      write_transfer(text, transfer, line, process, ++id, track, json_text(recorder.name(transfer.kind)));
    }
  }
}

}  // namespace

std::int64_t Recorder::now_ns() const { return TimeLine(scale_).ns(base::ticks()); }

void Recorder::write_events(const TakeText& take, std::optional<RankInTrace> rank) const {
  trace::write_events(*this, {}, take, rank);
}

void write_events(const Recorder& recorder, const Selection& selection, const TakeText& take,
                  std::optional<RankInTrace> rank) {
  const TimeLine line(recorder.scale(), rank ? rank->origin_ns : 0);
  const Processes process =
      rank ? Processes{std::uint64_t{2} * rank->rank, std::uint64_t{2} * rank->rank + 1U} : Processes{};
  Pieces text(take);
  write_thread_names(text, recorder, process.workers);
  if (rank) write_process_name(text, process.workers, fmt::format("rank {}", rank->rank));
  for (std::size_t track = 0; track < recorder.tracks() + Recorder::beside; ++track) {
    Heads heads(recorder, process.workers, track);
    for (const Span& span : spans_of(recorder.track(track), selection)) write_span(text, span, line, heads.of(span));
  }
  write_transfers(text, recorder, selection, line, process.transfers,
                  rank ? fmt::format("transfers of rank {}", rank->rank) : std::string("transfers"));
  text.flush();
}

void Recorder::write(const std::filesystem::path& path,
                     std::span<const std::pair<std::string, std::string>> about) const {
  write_trace(*this, {}, path, about);
}

void write_trace(const Recorder& recorder, const Selection& selection, const std::filesystem::path& path,
                 std::span<const std::pair<std::string, std::string>> about) {
  write_trace(path, about, make_report(recorder, 1e-9 * static_cast<double>(recorder.now_ns()), selection),
              [&](const TakeText& take) { write_events(recorder, selection, take); });
}

std::filesystem::path unfinished_trace(const std::filesystem::path& path) { return path.string() + ".partial"; }

void write_trace(const std::filesystem::path& path, std::span<const std::pair<std::string, std::string>> about,
                 const Report& report, const std::function<void(const TakeText&)>& events) {
  PendingFile file(path);
  const TakeText append = [&file](std::string_view text) { file.append(text); };
  Pieces text(append);
  // The report comes first, so that a reader of the sums need not read the events.
  write_about(text, about, report);
  text.flush();
  events(append);
  file.append("\n]}\n");
  file.commit();
}

}  // namespace tacit::trace
