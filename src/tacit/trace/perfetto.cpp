// Writes recorded events as the JSON that Perfetto opens.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <system_error>

#include "tacit/base/error.hpp"
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
std::string json_text(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds printed as microseconds with three decimals, exactly.
struct Microseconds {
  std::int64_t ns;
  [[nodiscard]] const char* sign() const { return ns < 0 ? "-" : ""; }
  [[nodiscard]] std::int64_t whole() const { return (ns < 0 ? -ns : ns) / 1000; }
  [[nodiscard]] std::int64_t rest() const { return (ns < 0 ? -ns : ns) % 1000; }
};

void write_event(PendingFile& file, const Event& event, std::int64_t start_ns, std::size_t lane,
                 const std::string& name) {
  const Microseconds begin{event.begin_ns - start_ns};
  const Microseconds length{event.end_ns - event.begin_ns};
  file.print(
      ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"name\":{},\"ts\":{}{}.{:03},\"dur\":{}{}.{:03},\"args\":{{\"key\":{}}}}"
      "}",
      lane, name, begin.sign(), begin.whole(), begin.rest(), length.sign(), length.whole(), length.rest(), event.key);
}

}  // namespace

void Recorder::write(const std::filesystem::path& path,
                     std::span<const std::pair<std::string, std::string>> about) const {
  std::vector<std::string> names;
  names.reserve(kinds_.size());
  for (const std::string& kind : kinds_) names.push_back(json_text(kind));
  PendingFile file(path);
  file.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{");
  for (std::size_t i = 0; i < about.size(); ++i) {
    file.print("{}{}:{}", i == 0 ? "" : ",", json_text(about[i].first), json_text(about[i].second));
  }
  file.print("}},\"traceEvents\":[");
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    file.print("{}\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"worker {}\"}}}}",
               lane == 0 ? "" : ",", lane, lane);
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    for (const Event& event : lanes_[lane]->events()) {
      write_event(file, event, start_ns_, lane, names[static_cast<std::size_t>(event.kind)]);
    }
  }
  file.print("\n]}}\n");
  file.commit();
}

}  // namespace tacit::trace
