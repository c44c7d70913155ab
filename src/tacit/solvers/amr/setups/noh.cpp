// Cold gas that falls onto the middle of the domain, beside its exact solution.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array inflow_keys{
    Key::positive("noh.density", dim::density, "Density at the begin.", "1"),
    Key::positive("noh.speed", dim::velocity, "Speed of the gas towards the middle.", "1"),
    Key::positive("noh.pressure", dim::pressure, "Pressure at the begin: much less than density times speed squared.",
                  "1e-6"),
};

}  // namespace

std::span<const config::Key> noh_keys() { return inflow_keys; }

/// Behind a shock at r = (gamma - 1) / 2 v t gas rests, in d dimensions:
///
///     rho = rho0 ((gamma + 1) / (gamma - 1))^d    P = (gamma - 1) / 2 rho v^2
///
/// and before it has rho = rho0 (1 + v t / r)^(d - 1). The pressure at the begin is neglected.
/// @see Noh (1987), J. Comput. Phys. 72, 78
Initial make_noh(const config::Parameters& p, const Domain& domain, double gamma) {
  if (domain.has(Wall::periodic)) {
    throw config::Error(p.where("amr.low"), "amr.low", "gas that falls onto the middle comes through no periodic side",
                        "amr.low = \"outflow\"");
  }
  const double rho0 = p.real("noh.density");
  const double v = p.real("noh.speed");
  const double P0 = p.real("noh.pressure");
  const auto exact = [=](double time) -> GasAt {
    return [=](const Point& x) {
      Point d{};
      double squares = 0.0;
      for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
        d[axis] = x[axis] - 0.5 * domain.box[axis];
        squares += d[axis] * d[axis];
      }
      const double r = std::sqrt(squares);
      const auto dimensions = static_cast<int>(domain.dimensions);
      if (r < 0.5 * (gamma - 1.0) * v * time || r == 0.0) {
        const double rho = rho0 * std::pow((gamma + 1.0) / (gamma - 1.0), dimensions);
        return GasState{.rho = rho, .P = time > 0.0 ? 0.5 * (gamma - 1.0) * rho * v * v : P0};
      }
      GasState gas{.rho = rho0 * std::pow(1.0 + v * time / r, dimensions - 1), .P = P0};
      for (std::size_t axis = 0; axis < domain.dimensions; ++axis) gas.v[axis] = -v * d[axis] / r;
      return gas;
    };
  };
  return {.state = exact(0.0), .exact = exact, .from = "set-up noh"};
}

}  // namespace tacit::amr
