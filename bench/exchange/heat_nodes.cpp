// Steps of the heat solver on two emulated nodes, beside the wire and what could be hidden.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "comm/launch.hpp"
#include "exchange/heated_cube.hpp"
#include "exchange/rank.hpp"

namespace tacit::bench {

void measure_heat_nodes(const Plan& plan) {
  Crew crew(*plan.world);
  HeatedCube cube(*plan.world, plan.size(256, 32));
  const double wire = wire_s(crew.largest(cube.bytes_per_step()));
  const ExposedSteps steps = measure_exposed(crew, cube, plan.size(4, 1), plan.size(15, 3));
  std::vector<double> over_longer;
  std::vector<double> hidden;
  for (std::size_t i = 0; i < steps.seconds.size(); ++i) {
    const double computation = steps.seconds[i] - steps.exposed[i];
    over_longer.push_back(steps.seconds[i] / std::max(wire, computation));
    hidden.push_back((steps.serial[i] - steps.exposed[i]) / std::min(steps.serial[i], computation));
  }
  plan.add({.name = "heat_2n_ms",
            .unit = "ms",
            .ours = summarise(scaled(steps.seconds, 1e3)),
            .peers = {{"wire", 1e3 * wire}, {"serial", median_of(steps.serial, 1e3)}}});
  plan.add({.name = "heat_2n_exposed_share", .unit = "1", .ours = summarise(ratios(steps.exposed, steps.seconds))});
  plan.add({.name = "heat_2n_step_over_longer", .unit = "1", .ours = summarise(over_longer), .limit = 1.1});
  plan.add({.name = std::string(last_on_nodes),
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(hidden),
            .limit = 0.9});
}

}  // namespace tacit::bench
