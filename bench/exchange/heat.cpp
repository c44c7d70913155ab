// Steps of the heat solver on two ranks of one node, beside one rank and beside what memory gives.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "exchange/heated_cube.hpp"
#include "exchange/rank.hpp"
#include "sph/triad.hpp"

namespace tacit::bench {
namespace {

/// The first rank alone with a cube; the others only help to split.
class Alone {
 public:
  Alone(comm::Communicator& world, std::size_t n) : self_(world.split(comm::number(world.rank()), 0)) {
    if (comm::number(world.rank()) == 0) cube_.emplace(self_, n);
  }
  void run(std::size_t steps) { cube_->run(steps); }

 private:
  comm::Communicator self_;
  std::optional<HeatedCube> cube_;
};

enum Way : std::size_t { one_rank, two_ranks, one_triad, two_triads };

struct Measured {
  Times seconds;
  std::vector<double> shares;  // of a step on two ranks that is exposed
  double flag_ns = 0.0;
};

/// In turns: the cube on one rank and on two; the triad on one, and on two at once.
Measured measure_cube(const Plan& plan, Crew& crew, Triad& triad, std::size_t n, std::size_t steps,
                      std::size_t samples) {
  Alone alone(crew.world(), n);
  HeatedCube cube(crew.world(), n);
  const std::array ways{TimedWay{"one rank", Takes::first_rank, [&] { alone.run(steps); }, steps},
                        TimedWay{"two ranks", Takes::all_ranks, [&] { cube.run(steps); }, steps},
                        TimedWay{"triad", Takes::first_rank, [&] { triad.run(); }, 1},
                        TimedWay{"triads", Takes::all_ranks, [&] { triad.run(); }, 1}};
  Measured measured;
  measured.seconds = take_turns(crew, ways, samples);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const ExposedStep one = time_exposed(crew, cube, steps);
    measured.shares.push_back(one.exposed / one.seconds);
  }
  const auto flags = flag_ping_pong(crew.world());
  measured.flag_ns = 1e9 * time_of(*flags, plan.size(2000, 20));
  return measured;
}

void add_bandwidth(const Plan& plan, const Triad& triad, const Measured& measured) {
  const auto rate = [&](Way way, double ranks) {
    std::vector<double> values;
    for (const double s : measured.seconds[way]) values.push_back(1e-9 * ranks * triad.bytes() / s);
    return summarise(std::move(values));
  };
  const auto add = [&](std::string name, const Summary& ours) {
    plan.add(
        {.name = std::move(name), .unit = "GB/s", .better = Better::higher, .ours = ours, .flag_ns = measured.flag_ns});
  };
  add("bandwidth_1r_gbs", rate(one_triad, 1.0));
  add("bandwidth_2r_gbs", rate(two_triads, 2.0));
}

void add_steps(const Plan& plan, const Measured& measured, const std::string& cube) {
  plan.add({.name = "heat_2r_" + cube + "_ms",
            .unit = "ms",
            .ours = summarise(scaled(measured.seconds[two_ranks], 1e3)),
            .peers = {{"one rank", median_of(measured.seconds[one_rank], 1e3)}},
            .flag_ns = measured.flag_ns});
}

void add_share(const Plan& plan, const Measured& measured, const std::string& cube) {
  plan.add({.name = "heat_2r_exposed_share_" + cube,
            .unit = "1",
            .ours = summarise(measured.shares),
            .limit = 0.05,
            .flag_ns = measured.flag_ns});
}

}  // namespace

void measure_heat(const Plan& plan) {
  Crew crew(*plan.world);
  Triad triad(plan.size(std::size_t{1} << 22U, std::size_t{1} << 12U));
  const Measured small = measure_cube(plan, crew, triad, plan.size(64, 8), plan.size(50, 2), plan.size(31, 3));
  add_steps(plan, small, "64");
  add_ratio(plan, "heat_2r_speedup_64", ratios(small.seconds[one_rank], small.seconds[two_ranks]), Better::higher, 1.85,
            small.flag_ns);
  add_share(plan, small, "64");
  const Measured large = measure_cube(plan, crew, triad, plan.size(256, 32), plan.size(2, 1), plan.size(15, 3));
  const auto speedups = ratios(large.seconds[one_rank], large.seconds[two_ranks]);
  const auto bandwidths = scaled(ratios(large.seconds[one_triad], large.seconds[two_triads]), 2.0);
  add_bandwidth(plan, triad, large);
  add_steps(plan, large, "256");
  plan.add({.name = "heat_2r_speedup_256",
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(speedups),
            .peers = {{"bandwidth", summarise(bandwidths).median}},
            .flag_ns = large.flag_ns});
  add_ratio(plan, "heat_2r_speedup_256_of_bandwidth", ratios(speedups, bandwidths), Better::higher, 0.95,
            large.flag_ns);
  add_share(plan, large, "256");
}

}  // namespace tacit::bench
