// Measures substages of dns beside what eight transforms by FFTW take.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dns/rank.hpp"
#include "dns/round_trip.hpp"
#include "dns/turbulence.hpp"
#include "framework/flag_latency.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/tasks/host_thread.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

constexpr std::size_t round_trips = 4;  // of one field: eight transforms, those of a substage

/// What plain plans of FFTW need: a thread that no processor binds, made before others are bound.
struct Floor {
  tasks::HostThread host;
  std::vector<NamedRoundTrip> plans;      // run there
  std::vector<NamedRoundTrip> mpi_plans;  // run by the thread that speaks MPI

  Floor(Crew& crew, std::size_t n, std::size_t cores) {
    host.call([&] {
      // One thread wins over several where these take longer to start than to work.
      if (cores == 1 || n <= 64) plans = fftw_plans(crew, n, 1);
      if (cores == 1) return;
      for (auto& plan : fftw_plans(crew, n, cores)) plans.push_back(std::move(plan));
    });
    if (crew.world().size() > 1) mpi_plans = fftw_mpi_plans(crew, n);
  }

  void add_to(std::vector<TimedWay>& ways, std::size_t repeats) {
    for (auto& [name, way, takes] : plans) {
      ways.push_back({name, takes,
                      [this, way = way.get(), repeats] { host.call([=] { way->run(round_trips * repeats); }); },
                      repeats});
    }
    for (auto& [name, way, takes] : mpi_plans) {
      ways.push_back({name, takes, [way = way.get(), repeats] { way->run(round_trips * repeats); }, repeats});
    }
  }
};

struct Measured {
  Times seconds;               // by way, ours first
  std::vector<double> shares;  // of the step that communication costs, by sample
  double words = 0.0;
  std::optional<double> flag_ns;
};

std::optional<double> flag_of(Crew& crew, std::size_t cores) {
  std::optional<double> flag;
  if (cores > 1 && crew.is_first()) {
    if (const auto summary = measure_flag_latency(topology::allowed_cpus())) flag = summary->median;
  }
  static_cast<void>(crew.largest(0.0));  // the others leave the processors alone
  return flag;
}

/// Ours is the first of `ways` to be added; its exposure is read around each run.
Measured measure(const DnsPlan& plan, const Cube& cube, Floor& floor, std::vector<TimedWay>& ways) {
  Crew& crew = *plan.crew;
  Measured measured;
  measured.flag_ns = flag_of(crew, plan.threads * crew.world().size());
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  const bool has_one_each = crew.world().size() > 1 && cpus.size() >= crew.world().size();
  if (has_one_each) binding.emplace(cpus[comm::number(crew.world().rank())]);
  Turbulence turbulence(crew, cube.side, plan.threads);
  measured.words = turbulence.words_per_point();
  std::vector<double> mine;
  ways.push_back({"ours", Takes::all_ranks,
                  [&] {
                    const double before = turbulence.exposed_s();
                    const base::Stopwatch watch;
                    turbulence.run(cube.repeats);
                    const double wall = watch.seconds();
                    mine.push_back((turbulence.exposed_s() - before) / wall);
                  },
                  Turbulence::substages * cube.repeats});
  floor.add_to(ways, cube.repeats);
  measured.seconds = take_turns(crew, ways, cube.samples);
  for (std::size_t i = 1; i < mine.size(); ++i) {
    measured.shares.push_back(crew.sum(mine[i]) / static_cast<double>(crew.world().size()));
  }
  return measured;
}

void report(const DnsPlan& plan, const Cube& cube, const std::vector<TimedWay>& ways, const Measured& measured) {
  const std::size_t ranks = plan.crew->world().size();
  const std::string name = fmt::format("substage_{}_{}x{}", cube.name, ranks, plan.threads);
  const Times& seconds = measured.seconds;
  Result time{.name = name + "_ms", .unit = "ms", .ours = summarise(scaled(seconds[0], 1e3))};
  std::size_t fastest = 1;
  for (std::size_t i = 1; i < ways.size(); ++i) {
    time.peers.emplace_back("8 x " + ways[i].name, median_of(seconds[i], 1e3));
    if (median_of(seconds[i], 1.0) < median_of(seconds[fastest], 1.0)) fastest = i;
  }
  time.flag_ns = measured.flag_ns;
  plan.add(time);
  plan.add({.name = name + "_floor_ratio",
            .unit = "1",
            .ours = summarise(ratios(seconds[0], seconds[fastest])),
            .limit = cube.name < 128 ? 1.3 : 1.15,
            .flag_ns = measured.flag_ns});
  plan.add({.name = name + "_words_per_point", .unit = "1", .ours = summarise({measured.words}), .limit = 20.0});
  if (ranks == 1) return;
  const std::string share = cube.name == 128 ? "transpose_share" : fmt::format("transpose_share_{}", cube.name);
  plan.add({.name = share, .unit = "1", .ours = summarise(measured.shares), .flag_ns = measured.flag_ns});
}

}  // namespace

void measure_substages(const DnsPlan& plan) {
  for (const Cube& cube : cubes(plan.effort)) {
    Floor floor(*plan.crew, cube.side, plan.threads * plan.crew->world().size());
    std::vector<TimedWay> ways;
    const Measured measured = measure(plan, cube, floor, ways);
    report(plan, cube, ways, measured);
  }
}

}  // namespace tacit::bench
