// Makes the report of a recorder.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/report.hpp"

#include <algorithm>
#include <numeric>

namespace tacit::trace {
namespace {

Report::Worker worker(const Recorder& recorder, std::size_t track) {
  return {.busy_s = recorder.busy_s(track),
          .poll_s = recorder.seconds(track, Category::poll),
          .communication_s = recorder.seconds(track, Category::communication),
          .output_s = recorder.seconds(track, Category::output),
          .wait_s = recorder.seconds(track, Category::wait),
          .idle_s = recorder.seconds(track, Category::idle),
          .disk_wait_s = recorder.seconds(track, Category::disk_wait),
          .task_s = recorder.seconds(track, Category::task)};
}

Report::Worker& operator+=(Report::Worker& sum, const Report::Worker& worker) {
  sum.busy_s += worker.busy_s;
  sum.poll_s += worker.poll_s;
  sum.communication_s += worker.communication_s;
  sum.output_s += worker.output_s;
  sum.wait_s += worker.wait_s;
  sum.idle_s += worker.idle_s;
  sum.disk_wait_s += worker.disk_wait_s;
  sum.task_s += worker.task_s;
  return sum;
}

/// @param report  with the workers, those beside them, counters and exposure
Report::Rank rank_of(const Recorder& recorder, const Report& report) {
  Report::Rank rank{.workers = report.workers.size(),
                    .polls = report.counters.polls,
                    .completions = report.counters.completions,
                    .poll_s = report.outside.poll_s,
                    .exposed_s = report.exposure.exposed_s,
                    .sent = recorder.sent()};
  for (const Report::Worker& worker : report.workers) rank.poll_s += worker.poll_s;
  return rank;
}

Report::Path with_names(const CriticalPath& path, const Recorder& recorder) {
  Report::Path named{.runs = path.runs, .work_s = path.work_s, .length_s = path.length_s, .by_kind = {}};
  for (const auto& [kind, seconds] : path.by_kind) named.by_kind.emplace_back(recorder.name(kind), seconds);
  std::ranges::sort(named.by_kind,
                    [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a < b; });
  return named;
}

}  // namespace

Report make_report(const Recorder& recorder, double wall_s) {
  Report report;
  report.wall_s = wall_s;
  report.kinds = recorder.sums();
  report.counters = recorder.counters();
  report.critical_path = with_names(recorder.critical_path(), recorder);
  report.exposure = recorder.exposure();
  for (std::size_t i = 0; i < recorder.tracks(); ++i) report.workers.push_back(worker(recorder, i));
  const std::size_t all = recorder.tracks() + Recorder::beside;
  for (std::size_t i = recorder.tracks(); i < all; ++i) report.outside += worker(recorder, i);
  for (std::size_t i = 0; i < all; ++i) report.dropped += recorder.track(i).dropped();
  report.ranks.push_back(rank_of(recorder, report));
  return report;
}

std::uint64_t Report::Rank::messages() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& phase : sent) sum += phase.messages;
  return sum;
}

std::uint64_t Report::Rank::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& phase : sent) sum += phase.bytes;
  return sum;
}

std::vector<double> task_seconds_of_ranks(const Report& report) {
  std::vector<double> seconds;
  std::size_t worker = 0;
  for (const Report::Rank& rank : report.ranks) {
    double sum = 0.0;
    const std::size_t end = std::min(worker + rank.workers, report.workers.size());
    for (; worker < end; ++worker) sum += report.workers[worker].task_s;
    seconds.push_back(rank.workers > 0 ? sum / static_cast<double>(rank.workers) : 0.0);
  }
  return seconds;
}

std::optional<double> imbalance(std::span<const double> seconds) {
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (sum <= 0.0) return std::nullopt;
  return std::ranges::max(seconds) * static_cast<double>(seconds.size()) / sum;
}

std::optional<double> imbalance_of_workers(const Report& report) {
  std::vector<double> seconds;
  for (const Report::Worker& worker : report.workers) seconds.push_back(worker.task_s);
  return imbalance(seconds);
}

namespace {

/// Adds those of a rank to those of the same name and category.
void add_kinds(std::vector<Recorder::KindSum>& sums, const std::vector<Recorder::KindSum>& more) {
  for (const auto& kind : more) {
    const auto same = std::ranges::find_if(
        sums, [&](const auto& sum) { return sum.name == kind.name && sum.category == kind.category; });
    if (same == sums.end()) {
      sums.push_back(kind);
    } else {
      same->count += kind.count;
      same->seconds += kind.seconds;
    }
  }
}

}  // namespace

Report joined(std::span<const Report> ranks) {
  Report sum;
  for (const Report& rank : ranks) {
    sum.wall_s = std::max(sum.wall_s, rank.wall_s);
    sum.workers.insert(sum.workers.end(), rank.workers.begin(), rank.workers.end());
    sum.outside += rank.outside;
    sum.ranks.insert(sum.ranks.end(), rank.ranks.begin(), rank.ranks.end());
    add_kinds(sum.kinds, rank.kinds);
    sum.counters += rank.counters;
    const double work_s = sum.critical_path.work_s + rank.critical_path.work_s;
    if (rank.critical_path.length_s >= sum.critical_path.length_s) sum.critical_path = rank.critical_path;
    sum.critical_path.work_s = work_s;
    sum.exposure.exposed_s += rank.exposure.exposed_s * static_cast<double>(rank.workers.size());
    sum.exposure.serial_s += rank.exposure.serial_s / static_cast<double>(ranks.size());
    sum.exposure.transfers += rank.exposure.transfers;
    sum.dropped += rank.dropped;
    sum.left.whole_from_s = std::max(sum.left.whole_from_s, rank.left.whole_from_s);
    sum.left.events += rank.left.events;
    sum.left.spans += rank.left.spans;
    sum.left.transfers += rank.left.transfers;
  }
  sum.exposure.exposed_s /= static_cast<double>(sum.workers.size());
  std::ranges::stable_sort(sum.kinds, std::ranges::greater{}, &Recorder::KindSum::seconds);
  return sum;
}

}  // namespace tacit::trace
