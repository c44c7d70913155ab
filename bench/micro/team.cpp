// Checks and times all contestants of one workload in turns.
// SPDX-License-Identifier: Apache-2.0
#include "micro/team.hpp"

#include <fmt/format.h>

#include <utility>

#include "framework/flag_latency.hpp"
#include "micro/tacit_runtime.hpp"
#include "peers/peers.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

struct Team::Member {
  RuntimeEntry entry;
  tasks::HostThread host;
  std::unique_ptr<Runtime> runtime;
  Body body;

  Member(RuntimeEntry its, std::size_t workers) : entry(std::move(its)) {
    host.call([&] { runtime = entry.make(workers); });
  }
  ~Member() {
    host.call([&] { runtime.reset(); });
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// @throws base::Error if one run does not do what it must
  void check(const Contestant& contestant, const Expectation& expected) {
    body.begin_check(expected.calls ? 0 : expected.tasks);
    if (expected.data > 0) body.watch_locks(expected.locks, expected.data);
    host.call([&] {
      if (contestant.workload.prepare) contestant.workload.prepare();
      contestant.workload.run();
    });
    std::string wrong;
    if (!expected.calls) {
      wrong = body.end_check(expected.order);
    } else if (const std::uint64_t calls = body.end_count(); calls != *expected.calls) {
      wrong = fmt::format("{} calls instead of {}", calls, *expected.calls);
    }
    if (!wrong.empty()) throw base::Error(contestant.name + ": " + wrong);
  }
};

namespace {

std::optional<Summary> flag_between_workers() { return measure_flag_latency(topology::allowed_cpus()); }

}  // namespace

Team::Team(std::size_t workers) : workers_(workers) {
  members_.push_back(std::make_unique<Member>(tacit_runtime(), workers));
  for (RuntimeEntry& peer : peers()) members_.push_back(std::make_unique<Member>(std::move(peer), workers));
}

Team::~Team() = default;

void Team::introduce(Session& session) const {
  for (const auto& member : std::span(members_).subspan(1)) {
    session.add_peer(std::string(member->entry.name), member->entry.version);
  }
}

std::vector<Contestant> Team::contestants(const Comparison& comparison) {
  std::vector<Contestant> made;
  for (const auto& member : members_) {
    Contestant contestant{.name = std::string(member->entry.name), .host = &member->host, .workload = {}};
    member->host.call([&] { contestant.workload = comparison.make(*member->runtime, member->body); });
    if (!contestant.workload.run) continue;
    const Expectation& expected = comparison.expectation;
    if (expected.tasks > 0 || expected.calls) {
      try {
        member->check(contestant, expected);
      } catch (base::Error& error) {
        error.add_context("in " + comparison.name);
        throw;
      }
    }
    made.push_back(std::move(contestant));
  }
  return made;
}

void Team::forget(std::vector<Contestant>& contestants) {
  for (Contestant& contestant : contestants) {
    contestant.host->call([&] { contestant.workload = {}; });
  }
}

void Team::compare(Session& session, const Comparison& comparison) {
  auto them = contestants(comparison);
  const auto before = workers_ > 1 ? flag_between_workers() : std::nullopt;
  const auto seconds = measure_in_turns(them, repetitions(session.effort(), comparison.runs_per_sample));
  const auto after = workers_ > 1 ? flag_between_workers() : std::nullopt;
  Result result{.name = comparison.name, .unit = "ns", .limit = comparison.limit};
  result.flag_ns = mean_flag_ns(before, after);
  for (std::size_t i = 0; i < them.size(); ++i) {
    const Summary summary = summarise(scaled(seconds[i], 1e9 / comparison.operations));
    if (i == 0) {
      result.ours = summary;
    } else {
      result.peers.emplace_back(them[i].name, summary.median);
    }
  }
  forget(them);
  session.add(std::move(result));
}

void Team::compare_efficiency(Session& session, const Comparison& comparison, double task_s) {
  const auto tasks = static_cast<std::uint32_t>(comparison.operations);
  auto them = contestants(comparison);
  tasks::HostThread bare_host;
  std::uint32_t turns = 0;
  bare_host.call([&] { turns = turns_for(task_s); });
  for (const auto& member : members_) member->body.spin(turns);
  const auto bare = [&body = members_.front()->body, tasks] {
    for (std::uint32_t task = 0; task < tasks; ++task) body(task);
  };
  them.push_back({"bare", &bare_host, {bare}});
  const auto seconds = measure_in_turns(them, repetitions(session.effort(), 1));
  Result result{.name = comparison.name, .unit = "1", .better = Better::higher, .limit = comparison.limit};
  for (std::size_t i = 0; i + 1 < them.size(); ++i) {
    const auto shares = scaled(ratios(seconds.back(), seconds[i]), 1.0 / static_cast<double>(workers_));
    const Summary summary = summarise(shares);
    if (i == 0) {
      result.ours = summary;
    } else {
      result.peers.emplace_back(them[i].name, summary.median);
    }
  }
  for (const auto& member : members_) member->body.rest();
  forget(them);
  session.add(std::move(result));
}

Workload repeated(Workload workload, std::size_t times) {
  if (!workload.run) return workload;
  return {[run = std::move(workload.run), times] {
            for (std::size_t i = 0; i < times; ++i) run();
          },
          std::move(workload.prepare)};
}

std::optional<double> mean_flag_ns(const std::optional<Summary>& before, const std::optional<Summary>& after) {
  if (!before || !after) return std::nullopt;
  return 0.5 * (before->median + after->median);
}

}  // namespace tacit::bench
