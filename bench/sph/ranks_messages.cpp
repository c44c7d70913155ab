// Steps with many small messages: what handling them takes.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sph/ranked_gas.hpp"
#include "sph/ranks.hpp"

namespace tacit::bench {
namespace {

/// Particles of thin gas along each axis, at rest in a periodic box, beside a layer of gas in which they are twice as
/// close, and more than half of all: cells are narrower than the thin gas would have them.
sph::InitialConditions gas_of_two_densities(std::size_t side, const sph::Share& share) {
  constexpr double dense_part = 0.13;
  constexpr double pressure = 1.0;
  const double spacing = 1.0 / static_cast<double>(side);
  const auto layers = static_cast<std::size_t>(std::ceil(dense_part * static_cast<double>(side)));
  const std::size_t dense = 8 * side * side * layers;
  const std::size_t thin = side * side * (side - layers);
  sph::InitialConditions gas;
  gas.box = {1.0, 1.0, 1.0};
  gas.source = "gas of two densities";
  const sph::Rows rows = share.of(dense + thin);
  for (std::uint64_t i = rows.first; i < rows.end; ++i) {
    const bool is_dense = i < dense;
    const std::uint64_t k = is_dense ? i : i - dense;
    const std::uint64_t along = is_dense ? 2 * side : side;
    const double apart = is_dense ? 0.5 * spacing : spacing;
    const double begin = is_dense ? 0.0 : static_cast<double>(layers) * spacing;
    const auto place = [apart](std::uint64_t number) { return (static_cast<double>(number) + 0.5) * apart; };
    gas.id.push_back(i + 1);
    gas.x.push_back(place(k % along));
    gas.y.push_back(place(k / along % along));
    gas.z.push_back(begin + place(k / along / along));
    gas.u.push_back(pressure / (sph::SphParameters{}.gamma - 1.0) / (is_dense ? 8.0 : 1.0));
  }
  for (auto* v : {&gas.vx, &gas.vy, &gas.vz}) v->assign(rows.size(), 0.0);
  gas.m.assign(rows.size(), spacing * spacing * spacing);
  return gas;
}

}  // namespace

void measure_many_messages(const Plan& plan, Crew& crew) {
  const BoundRank binding(crew.world());
  RankedGas gas(crew.world(), 1, parameters_of({.steps = Steps::common}),
                gas_of_two_densities(plan.size(106, 16), share_of(crew.world())));
  std::vector<double> shares;
  std::vector<double> messages;
  std::vector<double> envelopes;
  const auto ranks = static_cast<double>(crew.world().size());
  while (shares.size() < plan.size(11, 2)) {
    const std::uint64_t sorts = gas.solver().sorts();
    const exchange::Sent sent = gas.messages().sent();
    const double before = gas.handling_s();
    const double step = crew.time(Takes::all_ranks, [&] { gas.run(1); });
    const double handling = crew.sum(gas.handling_s() - before) / ranks;
    const exchange::Sent now = gas.messages().sent().since(sent);
    const double all_messages = crew.sum(static_cast<double>(now.messages));
    const double all_envelopes = crew.sum(static_cast<double>(now.envelopes));
    if (gas.solver().sorts() != sorts) continue;
    shares.push_back(handling / step);
    messages.push_back(all_messages);
    envelopes.push_back(all_envelopes);
  }
  const auto flags = flag_ping_pong(crew.world());
  const double flag_ns = 1e9 * time_of(*flags, plan.size(2000, 20));
  const auto add_count = [&](std::string name, std::vector<double> counts) {
    plan.add({.name = std::move(name), .unit = "1", .ours = summarise(std::move(counts)), .flag_ns = flag_ns});
  };
  add_count("sph_messages_10k", std::move(messages));
  add_count("sph_messages_10k_envelopes", std::move(envelopes));
  plan.add({.name = "sph_messages_10k_step_share",
            .unit = "1",
            .ours = summarise(std::move(shares)),
            .limit = 0.05,
            .flag_ns = flag_ns});
}

}  // namespace tacit::bench
