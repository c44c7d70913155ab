// Stalls: detects that nothing makes progress, and reports what waits for what.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tacit/base/clock.hpp"
#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

using detail::Waiting;
using detail::Worker;

namespace {

constexpr std::size_t most_lines = 20;
constexpr std::size_t most_names = 5;

}  // namespace

/// Whether for the time of the options every worker has looked for work, none has found any, and no operation has
/// completed. A task that computes, however long, is progress. Or whether another worker has said so while this one
/// was waiting, too: then that one is leaving the run, and nothing will bring what this one waits for.
bool Scheduler::Pool::is_stalled(Watch& watch) const {
  if (stalls.load(std::memory_order_acquire) != watch.stalls) return true;
  const std::int64_t now = base::now_ns();
  std::uint64_t changes = 0;
  bool all_idle = true;
  for (std::size_t i = 0; i <= count; ++i) {
    changes += workers[i].changes.load(std::memory_order_relaxed);
    all_idle = all_idle && workers[i].hands.idle.load(std::memory_order_acquire);
  }
  if (watch.since_ns == 0 || changes != watch.changes || !all_idle) {
    watch.since_ns = now;
    watch.changes = changes;
  }
  return 1e-9 * static_cast<double>(now - watch.since_ns) > options.stall_timeout_s;
}

namespace {

/// "a[1], b[2] and 7 more"
std::string shortened(const std::vector<std::string>& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), most_names));
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > most_names) text += fmt::format(" and {} more", names.size() - most_names);
  return text;
}

}  // namespace

/// What waits for what: collected by the first worker that detects a stall, while nothing runs, and repeated to the
/// others.
std::string Scheduler::Pool::report_stall(const Watch& watch) {
  const std::lock_guard guard(error_mutex);
  if (stalls.load(std::memory_order_acquire) == watch.stalls) {
    stall_report = who_waits();
    stalls.fetch_add(1, std::memory_order_acq_rel);
  }
  return stall_report;
}

std::string Scheduler::Pool::who_waits() const {
  std::vector<std::string> lines;
  const std::int64_t now = base::ticks();
  const double seconds_per_tick = 1e-9 * recorder->scale().ns_per_tick();
  tokens.for_each([&](base::Token token, const Waiting& waiting) {
    const bool is_task = waiting.awaiter == nullptr;
    const std::string who = is_task ? "task " + name_of_node(waiting.node) : waiting.awaiter->describe();
    std::string what = waiting.source->describe(token);
    if (what.empty()) what = fmt::format("operation {:#x}", static_cast<std::uint64_t>(token));
    std::string line = fmt::format("{} waits for {} on {}, posted {:.1f} s ago", who, what, waiting.source->name(),
                                   seconds_per_tick * static_cast<double>(now - waiting.posted));
    if (is_task) line += followers_of(waiting.node);
    lines.push_back(std::move(line));
  });
  if (activation != nullptr) add_parked(lines);
  const std::size_t shown = std::min(lines.size(), most_lines);
  std::string text = fmt::format("nothing has happened for {:g} s", options.stall_timeout_s);
  for (std::size_t i = 0; i < shown; ++i) text += "\n  " + lines[i];
  if (shown < lines.size()) text += fmt::format("\n  and {} more", lines.size() - shown);
  if (lines.empty()) {
    text += "\n  no operation is outstanding and no job is left: what is waited for is a future that will never be set";
  }
  if (activation != nullptr) {
    text += fmt::format("\n  {} of {} tasks have ended", finished() - finished_before, activation->size());
  }
  return text;
}

std::string Scheduler::Pool::name_of_node(std::uint32_t node) const {
  return graph->name_of(activation->nodes_[node].task);
}

/// "; behind it wait a[1], b[2]", those behind joins included.
std::string Scheduler::Pool::followers_of(std::uint32_t node) const {
  std::vector<std::string> names;
  std::vector<std::uint32_t> open{node};
  while (!open.empty()) {
    const Activation::Node at = activation->nodes_[open.back()];
    open.pop_back();
    for (std::uint32_t e = at.first; e < at.first + at.followers; ++e) {
      const std::uint32_t next_node = activation->successors_[e];
      if (activation->nodes_[next_node].task == TaskId::none) {
        open.push_back(next_node);
      } else {
        names.push_back(name_of_node(next_node));
      }
    }
  }
  return names.empty() ? "" : "; behind it wait " + shortened(names);
}

/// The tasks that wait for a datum. Its holder awaits an operation; nothing else keeps a lock.
void Scheduler::Pool::add_parked(std::vector<std::string>& lines) const {
  if (activation->first_lock_.empty()) return;
  locks.for_parked([&](std::uint32_t node, DatumId datum) {
    std::vector<std::string> holders;
    tokens.for_each([&](base::Token, const Waiting& waiting) {
      if (waiting.awaiter == nullptr && has_locked(waiting.node, datum)) holders.push_back(name_of_node(waiting.node));
    });
    lines.push_back(fmt::format("task {} waits for datum {}, which {} has locked", name_of_node(node),
                                static_cast<std::uint32_t>(datum), shortened(holders)));
  });
}

/// Whether a task that runs has locked the datum or, for a datum with parts, one of those.
bool Scheduler::Pool::has_locked(std::uint32_t node, DatumId datum) const {
  return std::ranges::any_of(locks_of(node), [&](DatumId held) {
    for (; held != DatumId::none; held = graph->parents_[static_cast<std::size_t>(held)]) {
      if (held == datum) return true;
    }
    return false;
  });
}

}  // namespace tacit::tasks
