// Steps of the heat solver on two ranks of one node, beside one rank and beside what memory gives.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "exchange/heated_cube.hpp"
#include "exchange/rank.hpp"
#include "tacit/engine/triad.hpp"

namespace tacit::bench {
namespace {

/// Every rank by itself: the first one with a cube, and each with half of one, which is what it has of a cube on two
/// ranks but for their messages.
class Apart {
 public:
  Apart(comm::Communicator& world, std::size_t n) : self_(world.split(comm::number(world.rank()), 0)) {
    if (comm::number(world.rank()) == 0) whole_.emplace(self_, n);
    half_.emplace(self_, n, n / 2);
  }
  void run_whole(std::size_t steps) { whole_->run(steps); }
  void run_half(std::size_t steps) { half_->run(steps); }

 private:
  comm::Communicator self_;
  std::optional<HeatedCube> whole_;
  std::optional<HeatedCube> half_;
};

enum Way : std::size_t { one_rank, two_ranks, halves_apart, one_triad, two_triads };

struct Measured {
  Times seconds;
  std::vector<double> shares;  // of a step on two ranks that is exposed
  double flag_ns = 0.0;
};

/// In turns: the cube on one rank and on two, and its halves without messages; the triad on one, and on two at once.
Measured measure_cube(const Plan& plan, Crew& crew, engine::Triad& triad, std::size_t n, std::size_t steps,
                      std::size_t samples) {
  Apart apart(crew.world(), n);
  HeatedCube cube(crew.world(), n);
  const std::array ways{TimedWay{"one rank", Takes::first_rank, [&] { apart.run_whole(steps); }, steps},
                        TimedWay{"two ranks", Takes::all_ranks, [&] { cube.run(steps); }, steps},
                        TimedWay{"halves apart", Takes::all_ranks, [&] { apart.run_half(steps); }, steps},
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

void add_bandwidth(const Plan& plan, const engine::Triad& triad, const Measured& measured) {
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
            .peers = {{"halves apart", median_of(measured.seconds[halves_apart], 1e3)},
                      {"one rank", median_of(measured.seconds[one_rank], 1e3)}},
            .flag_ns = measured.flag_ns});
}

/// @param reference  what two ranks could reach by `what`
void add_speedup(const Plan& plan, const Measured& measured, const std::string& cube, const std::string& what,
                 double reference, std::optional<double> limit) {
  plan.add({.name = "heat_2r_speedup_" + cube,
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(ratios(measured.seconds[one_rank], measured.seconds[two_ranks])),
            .peers = {{what, reference}},
            .limit = limit,
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
  engine::Triad triad(plan.size(std::size_t{1} << 22U, std::size_t{1} << 12U));
  const Measured small = measure_cube(plan, crew, triad, plan.size(64, 8), plan.size(50, 2), plan.size(31, 3));
  add_steps(plan, small, "64");
  const auto apart = ratios(small.seconds[one_rank], small.seconds[halves_apart]);
  add_speedup(plan, small, "64", "halves apart", summarise(apart).median, 1.85);
  add_share(plan, small, "64");
  const Measured large = measure_cube(plan, crew, triad, plan.size(256, 32), plan.size(2, 1), plan.size(15, 3));
  const auto speedups = ratios(large.seconds[one_rank], large.seconds[two_ranks]);
  const auto bandwidths = scaled(ratios(large.seconds[one_triad], large.seconds[two_triads]), 2.0);
  add_bandwidth(plan, triad, large);
  add_steps(plan, large, "256");
  add_speedup(plan, large, "256", "bandwidth", summarise(bandwidths).median, std::nullopt);
  add_ratio(plan, "heat_2r_speedup_256_of_bandwidth", ratios(speedups, bandwidths), Better::higher, 0.95,
            large.flag_ns);
  add_share(plan, large, "256");
}

}  // namespace tacit::bench
