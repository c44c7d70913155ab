// Steps of the gas on two ranks in turns with one rank of one thread and one of two.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sph/ranked_gas.hpp"
#include "sph/ranks.hpp"

namespace tacit::bench {
namespace {

constexpr std::uint8_t slow = sph::TimeLine::first_bin;
constexpr std::uint8_t quick = slow - sph::most_bins_above_neighbour;

/// By ID - 1: the hundredth of the particles that is nearest to the middle.
std::vector<std::uint8_t> ball_of(std::size_t side) {
  const sph::InitialConditions gas = shear_layer(side);
  const base::Vec3 middle{0.5, 0.5, 0.5 * gas.box.z};
  std::vector<std::pair<double, std::uint64_t>> keys;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const base::Vec3 d = base::Vec3{gas.x[i], gas.y[i], gas.z[i]} - middle;
    keys.emplace_back(dot(d, d), gas.id[i]);
  }
  std::ranges::sort(keys);
  std::vector<std::uint8_t> is_quick(gas.size(), 0);
  for (std::size_t k = 0; k < gas.size() / 100; ++k) is_quick[keys[k].second - 1] = 1;
  return is_quick;
}

}  // namespace

void measure_full_steps(const Plan& plan, Crew& crew, comm::Communicator& self) {
  const std::size_t side = plan.size(128, 16);
  // Its second worker must find a processor of its own, so it is made before the ranks are bound.
  std::optional<RankedGas> two_threads;
  if (crew.is_first()) two_threads.emplace(self, side, 2, Steps::common);
  const BoundRank binding(crew.world());
  std::optional<RankedGas> alone;
  if (crew.is_first()) alone.emplace(self, side, 1, Steps::common);
  RankedGas both(crew.world(), side, 1, Steps::common);
  const std::array ways{TimedWay{"one rank", Takes::first_rank, [&] { alone->run(1); }, 1},
                        TimedWay{"two threads", Takes::first_rank, [&] { two_threads->run(1); }, 1},
                        TimedWay{"two ranks", Takes::all_ranks, [&] { both.run(1); }, 1}};
  const Times seconds = take_turns(crew, ways, plan.size(31, 3));
  std::vector<double> shares;
  for (std::size_t sample = 0; sample < plan.size(31, 3); ++sample) {
    const double before = both.exposed_s();
    const double step = crew.time(Takes::all_ranks, [&] { both.run(1); });
    const double exposed = crew.sum(both.exposed_s() - before) / static_cast<double>(crew.world().size());
    shares.push_back(exposed / step);
  }
  const auto flags = flag_ping_pong(crew.world());
  const double flag_ns = 1e9 * time_of(*flags, plan.size(2000, 20));
  plan.add({.name = "kh128_2r_ms",
            .unit = "ms",
            .ours = summarise(scaled(seconds[2], 1e3)),
            .peers = {{"one rank", summarise(scaled(seconds[0], 1e3)).median},
                      {"two threads", summarise(scaled(seconds[1], 1e3)).median}},
            .flag_ns = flag_ns});
  add_ratio(plan, "kh128_2r_speedup", ratios(seconds[0], seconds[2]), Better::higher, 1.85, flag_ns);
  add_ratio(plan, "kh128_2r_vs_2t", ratios(seconds[1], seconds[2]), Better::higher, 0.93, flag_ns);
  plan.add({.name = "kh128_2r_exposed_share",
            .unit = "1",
            .ours = summarise(std::move(shares)),
            .limit = 0.05,
            .flag_ns = flag_ns});
  const sph::CellCopies& copies = *both.solver().copies();
  plan.add({.name = "bytes_per_foreign_particle_step",
            .unit = "B",
            .ours = summarise({static_cast<double>(copies.bytes_of_particle())}),
            .limit = 64.0,
            .flag_ns = flag_ns});
  plan.add(
      {.name = "foreign_particles_share",
       .unit = "1",
       .ours = summarise({static_cast<double>(copies.particles()) / static_cast<double>(both.solver().gas().size())}),
       .flag_ns = flag_ns});
}

void measure_sparse_steps(const Plan& plan, Crew& crew, comm::Communicator& self) {
  const std::size_t side = plan.size(128, 16);
  const BoundRank binding(crew.world());
  const std::vector<std::uint8_t> is_quick = ball_of(side);
  const auto wanted = static_cast<std::uint64_t>(std::ranges::count(is_quick, 1));
  std::optional<RankedGas> alone;
  if (crew.is_first()) alone.emplace(self, side, 1, Steps::individual);
  RankedGas both(crew.world(), side, 1, Steps::individual);
  if (alone) alone->synchronise(slow);
  both.synchronise(slow);
  std::vector<double> on_one;
  std::vector<double> on_two;
  for (std::size_t sample = 0; sample < 4 * plan.size(100, 2) && on_two.size() < plan.size(100, 2); ++sample) {
    if (alone) alone->set_bins(is_quick, quick, slow);
    const double one = crew.time(Takes::first_rank, [&] { alone->run(1); });
    both.set_bins(is_quick, quick, slow);
    const double two = crew.time(Takes::all_ranks, [&] { both.run(1); });
    if (both.solver().updated() != wanted) continue;
    on_one.push_back(1e6 * one / static_cast<double>(wanted));
    on_two.push_back(1e6 * two / static_cast<double>(wanted));
  }
  const auto flags = flag_ping_pong(crew.world());
  const double flag_ns = 1e9 * time_of(*flags, plan.size(2000, 20));
  plan.add({.name = "active_1_percent_2r_us",
            .unit = "us",
            .ours = summarise(on_two),
            .peers = {{"one rank", summarise(on_one).median}},
            .flag_ns = flag_ns});
  plan.add({.name = "active_1_percent_2r_vs_1r",
            .unit = "1",
            .ours = summarise(ratios(on_two, on_one)),
            .limit = 1.3,
            .flag_ns = flag_ns});
}

}  // namespace tacit::bench
