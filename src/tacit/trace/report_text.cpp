// The report as tables for people.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tacit/base/text.hpp"
#include "tacit/trace/detail/rank_table.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::trace {
namespace {

constexpr std::size_t longest_name = 40;

/// Per cent of a whole; 0 of nothing.
double percent(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

std::string plural(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class Text {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void add(const std::string& lines) { text_ += lines; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string worker_cells(const Report::Worker& worker, double wall_s) {
  std::string cells;
  for (const double seconds : {worker.busy_s, worker.idle_s, worker.wait_s, worker.poll_s}) {
    cells += fmt::format("  {:>9.3f} s {:>5.1f} %", seconds, percent(seconds, wall_s));
  }
  return cells;
}

void add_workers(Text& text, const Report& report) {
  text.line("{:<7}  {:>19}  {:>19}  {:>19}  {:>19}", "worker", "busy", "idle", "waiting", "polling");
  for (std::size_t i = 0; i < report.workers.size(); ++i) {
    text.line("{:>7}{}", i, worker_cells(report.workers[i], report.wall_s));
  }
  if (report.outside.busy_s > 0.0) text.line("{:>7}{}", "beside", worker_cells(report.outside, report.wall_s));
  text.line("idle: nothing to run; waiting: the same while a transfer is under way; polling is part of busy.");
  text.line("What is missing to 100 % was spent outside of tasks and output, or in waits for the disk.");
}

/// All but those that never ran. The share is of the workers' time.
void add_kinds(Text& text, const Report& report) {
  std::size_t width = 4;
  for (const auto& kind : report.kinds) width = std::max(width, base::printable(kind.name, longest_name).size());
  const double workers_s = report.wall_s * static_cast<double>(report.workers.size());
  text.line("{:<{}}  {:<13}  {:>10}  {:>11}  {:>13}  {:>7}", "kind", width, "category", "count", "total", "mean",
            "share");
  for (const auto& kind : report.kinds) {
    if (kind.count == 0) continue;
    text.line("{:<{}}  {:<13}  {:>10}  {:>9.3f} s  {:>10.2f} us  {:>5.1f} %", base::printable(kind.name, longest_name),
              width, name(kind.category), kind.count, kind.seconds,
              1e6 * kind.seconds / static_cast<double>(kind.count), percent(kind.seconds, workers_s));
  }
}

void add_critical_path(Text& text, const Report::Path& path) {
  if (path.runs == 0) {
    text.line("critical path: not known, no graph ran");
    return;
  }
  text.line("critical path: {:.3f} s of the {:.3f} s of work in {}: parallelism {:.2f}", path.length_s, path.work_s,
            plural(path.runs, "analysed run"), path.parallelism());
  for (const auto& [kind, seconds] : path.by_kind) {
    text.line("  {:>5.1f} % {}", percent(seconds, path.length_s), base::printable(kind, longest_name));
  }
}

void add_exposure(Text& text, const Report& report) {
  const Exposure& exposure = report.exposure;
  const auto hidden = exposure.hidden_fraction();
  const std::string transfers =
      hidden ? fmt::format("{}, {:.3f} s one after the other, {} of it hidden", plural(exposure.transfers, "transfer"),
                           exposure.serial_s, *hidden > 0.0 ? fmt::format("{:.1f} %", 100.0 * *hidden) : "nothing")
             : std::string("nothing was transferred");
  text.line("communication: {:.3f} s exposed, {:.1f} % of the wall time; {}", exposure.exposed_s,
            percent(exposure.exposed_s, report.wall_s), transfers);
}

void add_disk_waits(Text& text, const Report& report) {
  double longest_s = 0.0;
  for (const Report::Worker& worker : report.workers) longest_s = std::max(longest_s, worker.disk_wait_s);
  if (longest_s <= 0.0) return;
  text.line("output: the run waited {:.3f} s for the disk, {:.1f} % of the wall time", longest_s,
            percent(longest_s, report.wall_s));
}

void add_counters(Text& text, const Report& report) {
  const Counters& c = report.counters;
  double poll_s = report.outside.poll_s;
  for (const Report::Worker& worker : report.workers) poll_s += worker.poll_s;
  const double workers_s = report.wall_s * static_cast<double>(report.workers.size());
  text.line("counted: {}, {}; {} took {}; {} set aside for a lock; {}", plural(c.tasks, "task"), plural(c.jobs, "job"),
            plural(c.steals, "steal"), c.stolen, plural(c.conflicts, "task"), plural(c.sleeps, "sleep"));
  text.line("polling: {}, {}, {:.2f} % of the workers' time", plural(c.polls, "poll"),
            plural(c.completions, "completion"), percent(poll_s, workers_s));
}

void add_left(Text& text, const Report::Left& left) {
  if (left.whole_from_s <= 0.0) return;
  text.line("The file holds each event from {:.3f} s on. Before that, short ones in a row stand as one: {} as {}.",
            left.whole_from_s, left.events, plural(left.spans, "span"));
  if (left.transfers > 0) text.line("Of that time it holds no transfers; there were {}.", left.transfers);
  text.line("The sums count all; output.trace = \"all\" keeps each in the file, too.");
}

}  // namespace

std::string to_text(const Report& report) {
  Text text;
  text.line("{:.3f} s on {}\n", report.wall_s, plural(report.workers.size(), "worker"));
  add_workers(text, report);
  text.line("");
  add_kinds(text, report);
  text.line("");
  if (const std::string ranks = detail::rank_table(report); !ranks.empty()) text.add(ranks + '\n');
  add_critical_path(text, report.critical_path);
  add_exposure(text, report);
  add_disk_waits(text, report);
  add_counters(text, report);
  if (report.dropped > 0) {
    text.line("The file holds the newest events; {} of the oldest {} only in these sums.", report.dropped,
              report.dropped == 1 ? "is" : "are");
  }
  add_left(text, report.left);
  return text.take();
}

}  // namespace tacit::trace
