// Our workloads with one worker and with two, in turns: a second one must never make anything slower.
// SPDX-License-Identifier: Apache-2.0
#include "micro/two_threads.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/flag_latency.hpp"
#include "micro/tacit_runtime.hpp"

namespace tacit::bench {
namespace {

constexpr double at_least = 0.97;
constexpr std::string_view tail = "_2t_ns";

/// Our runtime on a thread of its own.
struct Ours {
  explicit Ours(std::size_t workers) {
    host.call([&] { runtime = tacit_runtime().make(workers); });
  }
  ~Ours() {
    host.call([this] { runtime.reset(); });
  }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;

  Contestant contestant(std::string name, const Comparison& comparison) {
    Contestant made{.name = std::move(name), .host = &host, .workload = {}};
    host.call([&] { made.workload = comparison.make(*runtime, body); });
    return made;
  }
  void forget(Contestant& contestant) {
    host.call([&] { contestant.workload = {}; });
  }

  tasks::HostThread host;
  std::unique_ptr<Runtime> runtime;
  Body body;
};

Summary compare(const Session& session, Ours& one, Ours& two, const Comparison& comparison) {
  std::vector<Contestant> them;
  them.push_back(one.contestant("one worker", comparison));
  them.push_back(two.contestant("two workers", comparison));
  const auto seconds = measure_in_turns(them, repetitions(session.effort(), comparison.runs_per_sample));
  one.forget(them[0]);
  two.forget(them[1]);
  return summarise(ratios(seconds[0], seconds[1]));
}

}  // namespace

void measure_two_threads(Session& session, std::span<const Comparison> comparisons) {
  Ours one(1);
  Ours two(2);
  Result least{.name = "two_threads_vs_one", .unit = "1", .better = Better::higher, .limit = at_least};
  for (const Comparison& comparison : comparisons) {
    std::string_view name = comparison.name;
    if (name.ends_with(tail)) name.remove_suffix(tail.size());
    Result result{.name = fmt::format("two_threads_vs_one_{}", name), .unit = "1", .better = Better::higher};
    const auto before = measure_flag_latency(topology::allowed_cpus());
    result.ours = compare(session, one, two, comparison);
    result.limit = at_least;
    result.flag_ns = mean_flag_ns(before, measure_flag_latency(topology::allowed_cpus()));
    if (least.ours.samples == 0 || result.ours.median < least.ours.median) {
      least.ours = result.ours;
      least.flag_ns = result.flag_ns;
    }
    session.add(std::move(result));
  }
  session.add(std::move(least));
}

}  // namespace tacit::bench
