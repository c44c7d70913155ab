// Two layers of other diffusivity between fixed walls across x, as cold as the low wall at the begin.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {
namespace {

using config::Key;

constexpr std::array layer_keys{
    Key::positive("two_layers.low", {.length = 2, .time = -1}, "Diffusivity of the layer at the low wall.", "1"),
    Key::positive("two_layers.high", {.length = 2, .time = -1}, "Diffusivity of the layer at the high wall.", "0.1"),
    Key::fraction("two_layers.thickness", "Of the low layer, over the box; best at a face of cells.", "0.5"),
};

}  // namespace

std::span<const config::Key> two_layers_keys() { return layer_keys; }

/// `exact` is the steady state: T is linear in each layer, with the same heat flow through both,
///
///     q = (T_low - T_high) / (d_low / kappa_low + d_high / kappa_high)
Initial make_two_layers(const config::Parameters& p, const Domain& domain) {
  if (domain.walls[0] != Wall::fixed || domain.walls[1] == Wall::fixed || domain.walls[2] == Wall::fixed) {
    throw config::Error(p.where("initial.setup"), "initial.setup",
                        "two_layers needs fixed walls across x, and only there",
                        "heat.walls = [\"fixed\", \"periodic\", \"periodic\"], as many as heat.cells");
  }
  const std::array kappa{p.real("two_layers.low"), p.real("two_layers.high")};
  const double face = p.real("two_layers.thickness") * domain.box[0];
  const double flow = (domain.low[0] - domain.high[0]) / (face / kappa[0] + (domain.box[0] - face) / kappa[1]);
  const auto steady = [=](double x) {
    return x < face ? domain.low[0] - flow / kappa[0] * x : domain.high[0] + flow / kappa[1] * (domain.box[0] - x);
  };
  return {.temperature = [=](const Cell&) { return domain.low[0]; },
          .diffusivity = [=](const Cell& cell) { return kappa[domain.position(0, cell[0]) < face ? 0 : 1]; },
          .exact = Exact{.about = steady},
          .origin = {.input = "set-up two_layers"}};
}

}  // namespace tacit::heat
