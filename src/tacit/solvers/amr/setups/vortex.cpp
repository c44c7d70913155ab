// A vortex of one entropy that drifts through a periodic box, beside its exact solution.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array whirl_keys{
    Key::positive("vortex.radius", dim::length,
                  "Of the vortex, in the middle of the domain; its tail is 1e-10 at six times that.", "0.0625"),
    Key::positive("vortex.strength", "Velocity around it at the radius, times 2 pi / sqrt(P / rho) of the gas around.",
                  "5"),
    Key::positive("vortex.density", dim::density, "Density of the gas around.", "1"),
    Key::positive("vortex.pressure", dim::pressure, "Pressure of the gas around.", "1"),
    Key::vector("vortex.velocity", dim::velocity, "With which it drifts.", "[1, 1, 0]"),
};

}  // namespace

std::span<const config::Key> vortex_keys() { return whirl_keys; }

/// In the x-y plane, with s = r / radius, c0^2 = P0 / rho0, and strength b:
///
///     T / T0 = 1 - (gamma - 1) b^2 / (8 gamma pi^2) exp(1 - s^2)
///     rho = rho0 (T / T0)^(1 / (gamma - 1))    P = P0 (T / T0)^(gamma / (gamma - 1))
///     v = v0 + c0 b / (2 pi) exp((1 - s^2) / 2) (-y, x) / radius
///
/// @see Shu (1998), Lecture Notes in Mathematics 1697, 325
Initial make_vortex(const config::Parameters& p, const Domain& domain, double gamma) {
  if (domain.dimensions < 2) {
    throw config::Error(p.where("amr.root"), "amr.root", "a vortex turns in a plane, and the domain is a line",
                        "for example amr.root = [4, 4]");
  }
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (domain.sides[axis][0] == Wall::periodic) continue;
    throw config::Error(p.where("amr.low"), "amr.low", "the vortex drifts through periodic sides",
                        "amr.low = \"periodic\"");
  }
  const double R = p.real("vortex.radius");
  const double b = p.real("vortex.strength");
  const double rho0 = p.real("vortex.density");
  const double P0 = p.real("vortex.pressure");
  const std::vector<double> v0 = p.vector("vortex.velocity");
  constexpr double pi = std::numbers::pi;
  const double depth = (gamma - 1.0) * b * b / (8.0 * gamma * pi * pi);
  if (depth * std::numbers::e >= 1.0) {
    throw config::Error(p.where("vortex.strength"), "vortex.strength", "is so large that there is a vacuum within",
                        "vortex.strength = 5");
  }
  const double speed = std::sqrt(P0 / rho0) * b / (2.0 * pi);
  const auto exact = [=, box = domain.box](double time) -> GasAt {
    return [=](const Point& x) {
      std::array<double, 2> d{};
      for (std::size_t axis = 0; axis < 2; ++axis) {
        d[axis] = x[axis] - 0.5 * box[axis] - v0[axis] * time;
        d[axis] = (d[axis] - box[axis] * std::round(d[axis] / box[axis])) / R;
      }
      const double g = 1.0 - (d[0] * d[0] + d[1] * d[1]);
      const double T = 1.0 - depth * std::exp(g);
      const double turn = speed * std::exp(0.5 * g);
      return GasState{rho0 * std::pow(T, 1.0 / (gamma - 1.0)),
                      {v0[0] - turn * d[1], v0[1] + turn * d[0], v0[2]},
                      P0 * std::pow(T, gamma / (gamma - 1.0))};
    };
  };
  return {.state = exact(0.0), .exact = exact, .from = "set-up vortex"};
}

}  // namespace tacit::amr
