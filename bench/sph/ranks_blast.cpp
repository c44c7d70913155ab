// Steps of an explosion on ranks: what they send, by how many particles end them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sph/ranked_gas.hpp"
#include "sph/ranks.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::bench {
namespace {

/// Steps by the part of the particles that end them.
struct Class {
  double most;  ///< of the particles
  std::string_view name;
};
constexpr std::array classes{Class{0.01, "upto_1"}, Class{0.1, "1_to_10"}, Class{1.0, "10_to_100"}};

struct StepsOfBlast {
  std::array<std::vector<double>, classes.size()> bytes;
  double steps = 0.0;
  double without_messages = 0.0;
  std::size_t most_bins = 0;

  void add(double share_of_particles, double bytes_sent, double envelopes) {
    const auto holds = [=](const Class& one) { return share_of_particles <= one.most; };
    const auto place = std::ranges::find_if(classes, holds);
    bytes[static_cast<std::size_t>(place - classes.begin())].push_back(bytes_sent);
    steps += 1.0;
    if (envelopes == 0.0) without_messages += 1.0;
  }
};

/// Of all ranks, which all call it.
std::size_t populated_bins(RankedGas& gas, comm::Communicator& ranks) {
  std::vector<std::uint64_t> counts = gas.solver().bins();
  exchange::add_over(ranks, counts);
  return counts.size() - static_cast<std::size_t>(std::ranges::count(counts, std::uint64_t{0}));
}

}  // namespace

void measure_blast(const Plan& plan, Crew& crew) {
  const BoundRank binding(crew.world());
  const sph::Sedov sedov{.resolution = static_cast<std::int64_t>(plan.size(64, 12))};
  RankedGas gas(crew.world(), 1, parameters_of({.steps = Steps::individual}), make(sedov, share_of(crew.world())));
  StepsOfBlast all;
  for (std::size_t step = 0; step < plan.size(1024, 64); ++step) {
    const std::uint64_t sorts = gas.solver().sorts();
    const exchange::Sent sent = gas.messages().sent();
    gas.run(1);
    const exchange::Sent now = gas.messages().sent().since(sent);
    const double bytes = crew.sum(static_cast<double>(now.bytes));
    const double envelopes = crew.sum(static_cast<double>(now.envelopes));
    if (step % 8 == 0) all.most_bins = std::max(all.most_bins, populated_bins(gas, crew.world()));
    if (gas.solver().sorts() != sorts) continue;
    const auto particles = static_cast<double>(gas.solver().elements());
    all.add(static_cast<double>(gas.solver().updated()) / particles, bytes, envelopes);
  }
  plan.add({.name = "sedov_bins", .unit = "1", .ours = summarise({static_cast<double>(all.most_bins)})});
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (all.bytes[i].empty()) continue;
    plan.add({.name = "sedov_bytes_per_step_" + std::string(classes[i].name) + "_percent",
              .unit = "B",
              .ours = summarise(all.bytes[i])});
  }
  plan.add({.name = std::string(last_gas_on_node), .unit = "1", .ours = summarise({all.without_messages / all.steps})});
}

}  // namespace tacit::bench
