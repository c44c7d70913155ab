// Writes recorded events as the JSON that Perfetto opens.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/trace/report.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace {

namespace {

/// A text file that appears under its name only when `commit` has succeeded.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path)
      : path_(path), partial_(path.string() + ".partial"), file_(std::fopen(partial_.c_str(), "wb"), &std::fclose) {
    if (!file_) fail("cannot create the trace; check that the folder exists and may be written");
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() {
    file_.reset();
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);  // is gone after commit
  }

  /// Appends; the text is written in pieces of some 64 kB.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() > (1U << 16U)) flush();
  }

  void commit() {
    flush();
    if (std::fclose(file_.release()) != 0) fail("cannot finish the trace");
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) fail("cannot move the trace to its place");
  }

 private:
  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail("cannot write the trace");
    buffer_.clear();
  }
  [[noreturn]] void fail(const char* what) const { throw base::SystemError(path_.string(), what, errno); }

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
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
  explicit TimeLine(const base::TickScale& scale) : start_(scale.start()), ns_per_tick_(scale.ns_per_tick()) {}
  [[nodiscard]] std::int64_t ns(std::int64_t ticks) const {
    return std::llround(static_cast<double>(ticks - start_) * ns_per_tick_);
  }

 private:
  std::int64_t start_;
  double ns_per_tick_;
};

/// `label`: the members "name" and "cat" as JSON.
void write_event(PendingFile& file, const Event& event, const TimeLine& line, std::size_t lane,
                 const std::string& label) {
  const Microseconds begin{line.ns(event.begin)};
  const Microseconds length{line.ns(event.end) - begin.ns};
  file.print(",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{},{},\"ts\":{}{}.{:03},\"dur\":{}{}.{:03},\"args\":{{\"key\":{}}}}}",
             lane, label, begin.sign(), begin.whole(), begin.rest(), length.sign(), length.whole(), length.rest(),
             event.key);
}

/// A pair that Perfetto draws as a span on a track of its own, in the group "transfers": such spans overlap.
void write_transfer(PendingFile& file, const Transfer& transfer, const TimeLine& line, std::uint64_t id,
                    std::size_t lane, const std::string& name) {
  const Microseconds begin{line.ns(transfer.posted)};
  const Microseconds end{line.ns(transfer.completed)};
  file.print(
      ",\n{{\"ph\":\"b\",\"pid\":1,\"tid\":{},\"id\":{},\"name\":{},\"cat\":\"transfers\",\"ts\":{}{}.{:03},"
      "\"args\":{{\"key\":{},\"alone_us\":{:.3f}}}}}",
      lane, id, name, begin.sign(), begin.whole(), begin.rest(), transfer.key, 1e6 * transfer.alone_s);
  file.print(",\n{{\"ph\":\"e\",\"pid\":1,\"tid\":{},\"id\":{},\"name\":{},\"cat\":\"transfers\",\"ts\":{}{}.{:03}}}",
             lane, id, name, end.sign(), end.whole(), end.rest());
}

void write_about(PendingFile& file, std::span<const std::pair<std::string, std::string>> about, const Report& report) {
  file.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{");
  for (const auto& [name, value] : about) file.print("{}:{},", json_text(name), json_text(value));
  file.print("\"tacit\":{}}},", to_json(report));
}

/// The workers, and the thread beside them if it did anything.
void write_thread_names(PendingFile& file, const Recorder& recorder) {
  for (std::size_t lane = 0; lane < recorder.lanes(); ++lane) {
    file.print("{}\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"worker {}\"}}}}",
               lane == 0 ? "" : ",", lane, lane);
  }
  if (recorder.lane(recorder.lanes()).recorded() == 0) return;
  file.print(
      ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"beside the workers\"}}}}",
      recorder.lanes());
}

/// @pre the list of events is not empty
void write_transfers(PendingFile& file, const Recorder& recorder, const TimeLine& line) {
  std::uint64_t id = 0;
  for (std::size_t lane = 0; lane <= recorder.lanes(); ++lane) {
    for (const Transfer& transfer : recorder.lane(lane).transfers()) {
      if (id == 0) {
        file.print(",\n{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":\"transfers\"}}}}");
      }
      write_transfer(file, transfer, line, ++id, lane, json_text(recorder.name(transfer.kind)));
    }
  }
}

}  // namespace

void Recorder::write(const std::filesystem::path& path,
                     std::span<const std::pair<std::string, std::string>> about) const {
  const TimeLine line(scale_);
  std::vector<std::string> labels;
  labels.reserve(kinds_.size());
  for (const Kind& kind : kinds_) {
    labels.push_back(fmt::format("\"name\":{},\"cat\":\"{}\"", json_text(kind.name), trace::name(kind.category)));
  }
  PendingFile file(path);
  // The report comes first, so that who wants the sums need not read the events.
  write_about(file, about, make_report(*this, 1e-9 * static_cast<double>(line.ns(base::ticks()))));
  file.print("\"traceEvents\":[");
  write_thread_names(file, *this);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    for (const Event& event : lanes_[lane]->events()) {
      write_event(file, event, line, lane, labels[static_cast<std::size_t>(event.kind)]);
    }
  }
  write_transfers(file, *this, line);
  file.print("\n]}}\n");
  file.commit();
}

}  // namespace tacit::trace
