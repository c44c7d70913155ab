// A mode of the domain, which only decays: a product of sines and cosines.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {
namespace {

using config::Key;

constexpr std::array mode_keys{
    Key::numbers("eigenmode.waves",
                 "Along each axis: waves in the box where it is periodic, half waves between walls. Without it: 1.",
                 config::non_negative),
    Key::quantity("eigenmode.amplitude", base::dimension::temperature, "Amplitude of the mode.", "1"),
    Key::quantity("eigenmode.mean", base::dimension::temperature,
                  "Temperature about which it varies; between fixed walls, theirs is taken.", "0"),
};

/// The most that cells tell from fewer: two for each wave; where walls insulate, as many half waves as cells vanish.
double most_waves(const Domain& domain, std::size_t axis) {
  const std::int64_t cells = domain.cells[axis];
  const std::int64_t pairs = cells / 2;
  if (domain.walls[axis] == Wall::periodic) return static_cast<double>(pairs);
  return static_cast<double>(domain.walls[axis] == Wall::fixed ? cells : cells - 1);
}

std::vector<double> read_waves(const config::Parameters& p, const Domain& domain) {
  const auto refuse_waves = [&](const std::string& what) {
    throw config::Error(p.where("eigenmode.waves"), "eigenmode.waves", what);
  };
  auto waves = p.has("eigenmode.waves") ? p.vector("eigenmode.waves") : std::vector<double>(domain.dimensions, 1.0);
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    const double least = domain.walls[axis] == Wall::fixed ? 1.0 : 0.0;
    if (waves.size() != domain.dimensions || !(waves[axis] >= least) || waves[axis] != std::floor(waves[axis]))
      refuse_waves("expected a whole number for each axis of heat.cells, at least 1 between fixed walls");
    if (waves[axis] > most_waves(domain, axis)) {
      refuse_waves(fmt::format("{} along {} are too many for {} cells, expected at most {}", waves[axis], "xyz"[axis],
                               domain.cells[axis], most_waves(domain, axis)));
    }
  }
  return waves;
}

/// Wave numbers [1 / length].
std::array<double, 3> wave_numbers(const Domain& domain, const std::vector<double>& waves) {
  std::array<double, 3> k{};
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis)
    k[axis] = (domain.walls[axis] == Wall::periodic ? 2.0 : 1.0) * std::numbers::pi * waves[axis] / domain.box[axis];
  return k;
}

}  // namespace

std::span<const config::Key> eigenmode_keys() { return mode_keys; }

/// T = T0 + A prod_i f_i(k_i x_i) exp(-kappa k^2 t), f = sin between fixed walls, else cos.
Initial make_eigenmode(const config::Parameters& p, const Domain& domain) {
  const std::vector<double> waves = read_waves(p, domain);
  const std::array<double, 3> k = wave_numbers(domain, waves);
  const double mean = p.real("eigenmode.mean");
  const double amplitude = p.real("eigenmode.amplitude");
  const double kappa = p.real_or("heat.diffusivity", 0.0);
  Exact exact = between_walls(domain, mean);
  exact.factor = [=](std::size_t axis, double x, double t) {
    const double wave = domain.walls[axis] == Wall::fixed ? std::sin(k[axis] * x) : std::cos(k[axis] * x);
    return (axis == 0 ? amplitude : 1.0) * wave * std::exp(-kappa * k[axis] * k[axis] * t);
  };
  return {.temperature = ExactAt(exact, domain, 0.0), .exact = exact, .origin = {.input = "set-up eigenmode"}};
}

}  // namespace tacit::heat
