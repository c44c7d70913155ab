// Finds the report in the JSON of a trace without keeping anything else of it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/detail/find_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::trace::detail {
namespace {

constexpr std::size_t deepest = 64;  // a trace has 6 levels

/// Receives the values of a file in their order, keeps the object otherData.tacit, and stops at the events after it.
///
/// The file may be hostile: what is not kept costs no memory, and what is nested deeper than any trace is refused.
class ReportFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Json = nlohmann::json;  // finds keys in logarithmic time, however many a hostile file has

  [[nodiscard]] bool is_found() const noexcept { return found_; }
  /// Why the file was refused, or nothing.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  /// @pre is_found()
  [[nodiscard]] Json take() { return std::move(report_); }

  bool null() override { return value(Json()); }
  bool boolean(bool b) override { return value(Json(b)); }
  bool number_integer(number_integer_t number) override { return value(Json(number)); }
  bool number_unsigned(number_unsigned_t number) override { return value(Json(number)); }
  bool number_float(number_float_t number, const string_t& /*as written*/) override { return value(Json(number)); }
  bool string(string_t& text) override { return value(Json(std::move(text))); }
  bool binary(binary_t& /*bytes*/) override { return true; }  // no such thing in text

  bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t position, const std::string& last, const Json::exception& error) override;

 private:
  bool value(Json value);
  bool open(Json container);
  bool close();
  /// Adds a value to the innermost open container of the report. @return where it is now
  Json* add(Json value);

  Json report_;
  std::vector<Json*> open_;  // the containers around the next value; only the innermost grows, so none of them moves
  std::string key_;
  std::size_t depth_ = 0;
  bool in_other_data_ = false;
  bool found_ = false;
  std::string problem_;
};

bool ReportFinder::key(string_t& name) {
  if (depth_ == 1) {
    in_other_data_ = name == "otherData";
    if (found_ && name == "traceEvents") return false;
  }
  key_ = std::move(name);
  return true;
}

bool ReportFinder::parse_error(std::size_t position, const std::string& /*last*/, const Json::exception& /*error*/) {
  problem_ = fmt::format("is not the trace of a run of Tacit (it is not JSON from byte {} on)", position);
  return false;
}

bool ReportFinder::value(Json value) {
  if (!open_.empty()) add(std::move(value));
  return true;
}

bool ReportFinder::open(Json container) {
  if (++depth_ > deepest) {
    problem_ = fmt::format("is not the trace of a run of Tacit (it is nested deeper than {} levels)", deepest);
    return false;
  }
  if (!open_.empty()) {
    open_.push_back(add(std::move(container)));
  } else if (depth_ == 3 && in_other_data_ && key_ == "tacit") {
    report_ = std::move(container);
    open_.push_back(&report_);
    found_ = true;
  }
  return true;
}

bool ReportFinder::close() {
  --depth_;
  if (!open_.empty()) open_.pop_back();
  return true;
}

ReportFinder::Json* ReportFinder::add(Json value) {
  Json& parent = *open_.back();
  if (parent.is_array()) {
    parent.push_back(std::move(value));
    return &parent.back();
  }
  return &(parent[key_] = std::move(value));
}

/// Whether the file ends as Recorder::write ends it, "]}" and white space; the events themselves are not looked at.
bool is_whole(std::ifstream& file) {
  constexpr std::streamoff longest_tail = 16;
  file.clear();
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - longest_tail));
  std::string tail(std::istreambuf_iterator<char>(file), {});
  std::erase_if(tail, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
  return tail.ends_with("]}");
}

}  // namespace

nlohmann::json find_report(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw base::FormatError(path.string(), "is not a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw base::SystemError(path.string(), "cannot be opened for reading", errno);
  ReportFinder finder;
  const bool is_read_to_the_end = nlohmann::json::sax_parse(file, &finder);
  if (file.bad()) throw base::SystemError(path.string(), "cannot be read");
  if (!finder.problem().empty()) throw base::FormatError(path.string(), finder.problem());
  if (!finder.is_found()) {
    throw base::FormatError(path.string(), "is not the trace of a run of Tacit (it has no otherData.tacit)");
  }
  if (!is_read_to_the_end && !is_whole(file)) throw base::FormatError(path.string(), "is cut off; copy it again");
  return finder.take();
}

}  // namespace tacit::trace::detail
