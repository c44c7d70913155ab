// The report as JSON, written and read back from a file that may be anything.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/trace/detail/find_report.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::trace {
namespace {

using Json = nlohmann::ordered_json;  // as written
using Read = nlohmann::json;

template <class T>
struct Member {
  const char* name;
  double T::*value;
};
constexpr std::array<Member<Report::Worker>, 6> worker_members{{{"busy_s", &Report::Worker::busy_s},
                                                                {"poll_s", &Report::Worker::poll_s},
                                                                {"communication_s", &Report::Worker::communication_s},
                                                                {"output_s", &Report::Worker::output_s},
                                                                {"wait_s", &Report::Worker::wait_s},
                                                                {"idle_s", &Report::Worker::idle_s}}};
/// What the first traces did not have.
constexpr std::array<Member<Report::Worker>, 2> later_members{
    {{"disk_wait_s", &Report::Worker::disk_wait_s}, {"task_s", &Report::Worker::task_s}}};

struct CounterMember {
  const char* name;
  std::uint64_t Counters::*value;
};
constexpr std::array<CounterMember, 8> counter_members{{{"tasks", &Counters::tasks},
                                                        {"jobs", &Counters::jobs},
                                                        {"steals", &Counters::steals},
                                                        {"stolen", &Counters::stolen},
                                                        {"conflicts", &Counters::conflicts},
                                                        {"polls", &Counters::polls},
                                                        {"completions", &Counters::completions},
                                                        {"sleeps", &Counters::sleeps}}};

// ---- writing ----------------------------------------------------------------------------------------------------

Json json_of(const Report::Worker& worker) {
  Json json;
  for (const auto& [name, value] : worker_members) json[name] = worker.*value;
  for (const auto& [name, value] : later_members) json[name] = worker.*value;
  return json;
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// @param task_s  of a worker, on average
Json json_of(const Report::Rank& rank, double task_s, double wall_s) {
  const double workers_s = wall_s * static_cast<double>(rank.workers);
  Json json{{"workers", rank.workers}, {"messages", rank.messages()}, {"bytes", rank.bytes()}};
  json["phases"] = Json::array();
  for (const auto& phase : rank.sent) {
    json["phases"].push_back({{"name", phase.name}, {"messages", phase.messages}, {"bytes", phase.bytes}});
  }
  json["polls"] = rank.polls;
  json["completions"] = rank.completions;
  json["poll_s"] = rank.poll_s;
  json["poll_share"] = workers_s > 0.0 ? rank.poll_s / workers_s : 0.0;
  json["exposed_s"] = rank.exposed_s;
  json["task_s"] = task_s;
  return json;
}

Json json_of_ranks(const Report& report) {
  const std::vector<double> task_s = task_seconds_of_ranks(report);
  Json json = Json::array();
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    json.push_back(json_of(report.ranks[i], task_s[i], report.wall_s));
  }
  return json;
}

Json json_of(const Report::Path& path) {
  Json json{{"runs", path.runs}, {"work_s", path.work_s}, {"length_s", path.length_s}};
  json["parallelism"] = path.runs > 0 ? Json(path.parallelism()) : Json();
  json["by_kind"] = Json::array();
  for (const auto& [kind, seconds] : path.by_kind) json["by_kind"].push_back({{"name", kind}, {"seconds", seconds}});
  return json;
}

Json json_of(const Exposure& exposure) {
  Json json{{"exposed_s", exposure.exposed_s}, {"serial_s", exposure.serial_s}, {"transfers", exposure.transfers}};
  json["hidden_fraction"] = or_null(exposure.hidden_fraction());
  return json;
}

// ---- reading ----------------------------------------------------------------------------------------------------

/// A value of the report, the file that it stands in, and the way to it.
class Node {
 public:
  Node(const Read& value, const std::string& file, std::string where)
      : value_(value), file_(file), where_(std::move(where)) {}

  [[nodiscard]] Node at(const std::string& name) const {
    if (!value_.is_object()) fail("is not an object");
    const auto member = value_.find(name);
    if (member == value_.end()) fail(fmt::format("has no '{}'", name));
    return {*member, file_, where_ + "." + name};
  }
  /// The number of that name; 0 where a file of an earlier version has none.
  [[nodiscard]] double number_or_zero(const std::string& name) const { return lacks(name) ? 0.0 : at(name).number(); }
  /// Whether it is an object without a value of that name.
  [[nodiscard]] bool lacks(const std::string& name) const { return value_.is_object() && !value_.contains(name); }
  [[nodiscard]] std::vector<Node> elements() const {
    if (!value_.is_array()) fail("is not a list");
    std::vector<Node> nodes;
    nodes.reserve(value_.size());
    for (const Read& element : value_) nodes.push_back({element, file_, fmt::format("{}[{}]", where_, nodes.size())});
    return nodes;
  }
  [[nodiscard]] double number() const {
    if (!value_.is_number()) fail("is not a number");
    return value_.get<double>();
  }
  [[nodiscard]] std::uint64_t count() const {
    if (!value_.is_number_unsigned()) fail("is not a count");
    return value_.get<std::uint64_t>();
  }
  [[nodiscard]] std::string text() const {
    if (!value_.is_string()) fail("is not a text");
    return value_.get<std::string>();
  }
  [[nodiscard]] Category category() const {
    const std::string word = text();
    for (std::size_t i = 0; i < category_count; ++i) {
      if (word == name(static_cast<Category>(i))) return static_cast<Category>(i);
    }
    fail(fmt::format("'{}' is not a category of events", base::printable(word)));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw base::FormatError(file_, where_ + ": " + what); }

  const Read& value_;
  const std::string& file_;
  std::string where_;
};

Report::Worker read_worker(const Node& node) {
  Report::Worker worker;
  for (const auto& [name, value] : worker_members) worker.*value = node.at(name).number();
  for (const auto& [name, value] : later_members) worker.*value = node.number_or_zero(name);
  return worker;
}

/// What follows from other numbers is not read.
Report::Rank read_rank(const Node& node) {
  Report::Rank rank{.workers = node.at("workers").count(),
                    .polls = node.at("polls").count(),
                    .completions = node.at("completions").count(),
                    .poll_s = node.at("poll_s").number(),
                    .exposed_s = node.at("exposed_s").number(),
                    .sent = {}};
  for (const Node& phase : node.at("phases").elements()) {
    rank.sent.push_back({.name = phase.at("name").text(),
                         .messages = phase.at("messages").count(),
                         .bytes = phase.at("bytes").count()});
  }
  return rank;
}

/// A file of an earlier version has none.
std::vector<Report::Rank> read_ranks(const Node& report) {
  std::vector<Report::Rank> ranks;
  if (report.lacks("ranks")) return ranks;
  for (const Node& rank : report.at("ranks").elements()) ranks.push_back(read_rank(rank));
  return ranks;
}

Recorder::KindSum read_kind(const Node& node) {
  return {.name = node.at("name").text(),
          .category = node.at("category").category(),
          .count = node.at("count").count(),
          .seconds = node.at("seconds").number()};
}

Counters read_counters(const Node& node) {
  Counters counters;
  for (const auto& [name, value] : counter_members) counters.*value = node.at(name).count();
  return counters;
}

Report::Path read_path(const Node& node) {
  Report::Path path{.runs = node.at("runs").count(),
                    .work_s = node.at("work_s").number(),
                    .length_s = node.at("length_s").number(),
                    .by_kind = {}};
  for (const Node& kind : node.at("by_kind").elements()) {
    path.by_kind.emplace_back(kind.at("name").text(), kind.at("seconds").number());
  }
  return path;
}

Exposure read_exposure(const Node& node) {
  return {.exposed_s = node.at("exposed_s").number(),
          .serial_s = node.at("serial_s").number(),
          .transfers = node.at("transfers").count()};
}

/// A file of an earlier version has everything.
Report::Left read_left(const Node& report) {
  if (report.lacks("whole_from_s")) return {};
  return {.whole_from_s = report.at("whole_from_s").number(),
          .events = report.at("merged_events").count(),
          .spans = report.at("merged_into").count(),
          .transfers = report.at("left_out_transfers").count()};
}

Report report_of(const Node& node) {
  Report report;
  report.wall_s = node.at("wall_s").number();
  for (const Node& worker : node.at("workers").elements()) report.workers.push_back(read_worker(worker));
  report.outside = read_worker(node.at("outside"));
  report.ranks = read_ranks(node);
  for (const Node& kind : node.at("kinds").elements()) report.kinds.push_back(read_kind(kind));
  report.counters = read_counters(node.at("counters"));
  report.critical_path = read_path(node.at("critical_path"));
  report.exposure = read_exposure(node.at("exposure"));
  report.dropped = node.at("dropped_events").count();
  report.left = read_left(node);
  return report;
}

}  // namespace

std::string to_json(const Report& report) {
  Json json;
  json["wall_s"] = report.wall_s;
  json["workers"] = Json::array();
  for (const Report::Worker& worker : report.workers) json["workers"].push_back(json_of(worker));
  json["outside"] = json_of(report.outside);
  json["ranks"] = json_of_ranks(report);
  json["imbalance"] = {{"ranks", or_null(imbalance(task_seconds_of_ranks(report)))},
                       {"workers", or_null(imbalance_of_workers(report))}};
  json["kinds"] = Json::array();
  for (const Recorder::KindSum& kind : report.kinds) {
    json["kinds"].push_back({{"name", kind.name},
                             {"category", std::string(name(kind.category))},
                             {"count", kind.count},
                             {"seconds", kind.seconds}});
  }
  for (const auto& [name, value] : counter_members) json["counters"][name] = report.counters.*value;
  json["critical_path"] = json_of(report.critical_path);
  json["exposure"] = json_of(report.exposure);
  json["dropped_events"] = report.dropped;
  json["whole_from_s"] = report.left.whole_from_s;
  json["merged_events"] = report.left.events;
  json["merged_into"] = report.left.spans;
  json["left_out_transfers"] = report.left.transfers;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Report report_from_json(std::string_view text, const std::string& source) {
  const Read json = Read::parse(text, nullptr, false);
  return report_of({json, source, "the report"});
}

Report read_report(const std::filesystem::path& path) {
  const Read json = detail::find_report(path);
  const std::string file = path.string();
  return report_of({json, file, "otherData.tacit"});
}

}  // namespace tacit::trace
