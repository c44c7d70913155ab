// Makes the report of a recorder.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/report.hpp"

#include <algorithm>

namespace tacit::trace {
namespace {

Report::Worker worker(const Recorder& recorder, std::size_t lane) {
  return {.busy_s = recorder.busy_s(lane),
          .poll_s = recorder.seconds(lane, Category::poll),
          .communication_s = recorder.seconds(lane, Category::communication),
          .output_s = recorder.seconds(lane, Category::output),
          .wait_s = recorder.seconds(lane, Category::wait),
          .idle_s = recorder.seconds(lane, Category::idle)};
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
  for (std::size_t i = 0; i < recorder.lanes(); ++i) report.workers.push_back(worker(recorder, i));
  report.outside = worker(recorder, recorder.lanes());
  for (std::size_t i = 0; i <= recorder.lanes(); ++i) report.dropped += recorder.lane(i).dropped();
  return report;
}

}  // namespace tacit::trace
