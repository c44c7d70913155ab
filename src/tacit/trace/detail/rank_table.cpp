// Chooses ranks and phases, and aligns their numbers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/detail/rank_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "tacit/base/text.hpp"

namespace tacit::trace::detail {
namespace {

constexpr std::size_t most_phases = 5;
constexpr std::size_t longest_phase = 20;
/// What the names of trials begin with, of which no column is needed.
constexpr std::string_view trial = "tuning: ";

/// A power of 1000 in which the largest number of a table has up to three digits before its point.
struct Unit {
  double bytes = 1.0;
  std::string_view name = "B";
  int decimals = 0;
};

Unit unit_for(std::uint64_t most_bytes) {
  constexpr std::array<std::string_view, 7> names{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  Unit unit;
  for (std::size_t i = 1; i < names.size() && static_cast<double>(most_bytes) >= 1000.0 * unit.bytes; ++i) {
    unit = {.bytes = 1000.0 * unit.bytes, .name = names.at(i), .decimals = 3};
  }
  return unit;
}

/// Phases with a column of their own: of those of steps the ones with the most bytes, in the order in which the ranks
/// name them.
struct Phases {
  std::vector<std::string> names;
  bool has_others = false;
};

Phases phases_of(const Report& report) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  std::map<std::string, std::size_t> place_of;
  for (const Report::Rank& rank : report.ranks) {
    for (const auto& sent : rank.sent) {
      const auto [place, is_new] = place_of.try_emplace(sent.name, all.size());
      if (is_new) all.emplace_back(sent.name, 0);
      all[place->second].second += sent.bytes;
    }
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return all[i].second; });
  std::erase_if(order, [&](std::size_t i) { return all[i].first.starts_with(trial); });
  if (order.size() > most_phases) order.resize(most_phases);
  std::ranges::sort(order);
  Phases phases{.names = {}, .has_others = all.size() > order.size()};
  for (const std::size_t i : order) phases.names.push_back(all[i].first);
  return phases;
}

/// Bytes by column: the named phases, then the others.
std::vector<std::uint64_t> bytes_by_phase(const Report::Rank& rank, const Phases& phases) {
  std::vector<std::uint64_t> bytes(phases.names.size() + (phases.has_others ? 1 : 0));
  for (const auto& sent : rank.sent) {
    const auto column = std::ranges::find(phases.names, sent.name) - phases.names.begin();
    if (static_cast<std::size_t>(column) < bytes.size()) bytes[static_cast<std::size_t>(column)] += sent.bytes;
  }
  return bytes;
}

/// Texts in columns, each as wide as its longest; the first and all numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heads) { rows_.push_back(std::move(heads)); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// @param notes  behind each row, the heads' row first
  [[nodiscard]] std::string text(std::span<const std::string> notes) const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string text;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t c = 0; c < widths.size(); ++c) {
        fmt::format_to(std::back_inserter(text), "{}{:>{}}", c > 0 ? "  " : "", rows_[r][c], widths[c]);
      }
      if (!notes[r].empty()) text += "  " + notes[r];
      text += '\n';
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// What a row says of one rank, or of all.
struct Row {
  std::string name;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> by_phase;
  std::uint64_t polls = 0;
  double poll_s = 0.0;
  double exposed_s = 0.0;
  double task_s = 0.0;  // of a worker, on average
  double workers = 0.0;
};

std::vector<std::string> cells_of(const Row& row, const Unit& unit, double wall_s, double mean_task_s) {
  const auto amount = [&unit](std::uint64_t bytes) {
    return fmt::format("{:.{}f}", static_cast<double>(bytes) / unit.bytes, unit.decimals);
  };
  std::vector<std::string> cells{row.name, fmt::format("{}", row.messages), amount(row.bytes)};
  for (const std::uint64_t bytes : row.by_phase) cells.push_back(amount(bytes));
  const double workers_s = wall_s * row.workers;
  cells.push_back(fmt::format("{}", row.polls));
  cells.push_back(fmt::format("{:.2f} %", workers_s > 0.0 ? 100.0 * row.poll_s / workers_s : 0.0));
  cells.push_back(fmt::format("{:.3f} s", row.exposed_s));
  cells.push_back(fmt::format("{:.3f} s", row.task_s));
  cells.push_back(fmt::format("{:.2f}", mean_task_s > 0.0 ? row.task_s / mean_task_s : 0.0));
  return cells;
}

Row row_of(const Report::Rank& rank, std::size_t number, double task_s, const Phases& phases) {
  return {.name = fmt::format("{}", number),
          .messages = rank.messages(),
          .bytes = rank.bytes(),
          .by_phase = bytes_by_phase(rank, phases),
          .polls = rank.polls,
          .poll_s = rank.poll_s,
          .exposed_s = rank.exposed_s,
          .task_s = task_s,
          .workers = static_cast<double>(rank.workers)};
}

double mean(std::span<const double> values) {
  return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sums; of times the mean over ranks.
Row row_of_all(const Report& report, std::span<const double> task_s, const Phases& phases) {
  Row all{.name = "all", .by_phase = bytes_by_phase({}, phases), .task_s = mean(task_s)};
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const Row row = row_of(report.ranks[i], i, task_s[i], phases);
    all.messages += row.messages;
    all.bytes += row.bytes;
    std::ranges::transform(all.by_phase, row.by_phase, all.by_phase.begin(), std::plus{});
    all.polls += row.polls;
    all.poll_s += row.poll_s;
    all.exposed_s += row.exposed_s / static_cast<double>(report.ranks.size());
    all.workers += row.workers;
  }
  return all;
}

std::vector<std::string> heads(const Phases& phases, const Unit& unit) {
  std::vector<std::string> heads{"rank", "messages", fmt::format("{} sent", unit.name)};
  for (const std::string& name : phases.names) heads.push_back(base::printable(name, longest_phase));
  if (phases.has_others) heads.emplace_back("others");
  for (const char* head : {"polls", "polling", "exposed", "in tasks", "load"}) heads.emplace_back(head);
  return heads;
}

std::string imbalance_line(const Report& report, std::span<const double> task_s) {
  const auto of_ranks = imbalance(task_s);
  const auto of_workers = imbalance_of_workers(report);
  if (!of_ranks || !of_workers) return "imbalance: not known, no task ran\n";
  std::string ranks = report.ranks.size() > 1 ? fmt::format("{:.2f} over ranks, ", *of_ranks) : std::string();
  return fmt::format("imbalance: {}{:.2f} over workers (largest time in tasks over the mean)\n", ranks, *of_workers);
}

}  // namespace

std::vector<ShownRank> ranks_to_show(const Report& report) {
  const std::size_t ranks = report.ranks.size();
  std::vector<std::size_t> order(ranks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<ShownRank> shown;
  if (ranks <= most_rank_rows) {
    for (const std::size_t rank : order) shown.push_back({.rank = rank});
    return shown;
  }
  std::map<std::size_t, std::string> why;
  const auto show = [&why](std::size_t rank, std::string_view reason) {
    std::string& reasons = why[rank];
    reasons += fmt::format("{}{}", reasons.empty() ? "" : ", ", reason);
  };
  const auto most = [&](const auto& value_of) { return *std::ranges::max_element(order, {}, value_of); };
  const std::vector<double> task_s = task_seconds_of_ranks(report);
  show(0, "first");
  show(ranks - 1, "last");
  show(most([&](std::size_t i) { return report.ranks[i].bytes(); }), "most bytes");
  show(most([&](std::size_t i) { return report.ranks[i].exposed_s; }), "most exposed");
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return task_s[i]; });
  show(order.front(), "least load");
  show(order[ranks / 2], "median load");
  show(order.back(), "most load");
  for (const auto& [rank, reasons] : why) shown.push_back({.rank = rank, .why = reasons});
  return shown;
}

std::string rank_table(const Report& report) {
  if (report.ranks.empty()) return "ranks: messages, bytes and imbalance not recorded by the version that ran\n";
  const std::vector<double> task_s = task_seconds_of_ranks(report);
  if (report.workers.size() < 2) return {};
  if (report.ranks.size() == 1) return imbalance_line(report, task_s);
  const Phases phases = phases_of(report);
  const Row all = row_of_all(report, task_s, phases);
  const Unit unit = unit_for(all.bytes);
  Table table(heads(phases, unit));
  std::vector<std::string> notes(1);
  for (const ShownRank& shown : ranks_to_show(report)) {
    const Row row = row_of(report.ranks[shown.rank], shown.rank, task_s[shown.rank], phases);
    table.add(cells_of(row, unit, report.wall_s, all.task_s));
    notes.push_back(shown.why);
  }
  table.add(cells_of(all, unit, report.wall_s, all.task_s));
  notes.emplace_back();
  return table.text(notes) +
         "messages go to other ranks; polling is a share of the workers' time; load is the time in tasks over the mean "
         "of ranks.\n" +
         imbalance_line(report, task_s);
}

}  // namespace tacit::trace::detail
