// Two streams whose border rolls up.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array stream_keys{
    Key::positive("kelvin_helmholtz.outer_density", dim::density, "Density of the outer stream.", "1"),
    Key::positive("kelvin_helmholtz.inner_density", dim::density,
                  "Density of the inner stream, in the middle half along y.", "2"),
    Key::quantity("kelvin_helmholtz.outer_speed", dim::velocity, "Velocity of the outer stream along x.", "0.5"),
    Key::quantity("kelvin_helmholtz.inner_speed", dim::velocity, "Velocity of the inner stream along x.", "-0.5"),
    Key::positive("kelvin_helmholtz.pressure", dim::pressure, "Pressure.", "2.5"),
    Key::fraction("kelvin_helmholtz.width", "Of the borders between them, over the side of the box along y.", "0.025"),
    Key::quantity("kelvin_helmholtz.kick", dim::velocity, "Amplitude of the velocity along y.", "0.01"),
    Key::integer("kelvin_helmholtz.waves", {1, 1024}, "Waves of that velocity along x.", "2"),
};

}  // namespace

std::span<const config::Key> kelvin_helmholtz_keys() { return stream_keys; }

/// Both change smoothly from one to the other, so that there is a solution that cells converge to.
/// @see McNally, Lyra & Passy (2012), Astrophys. J. Suppl. 201, 18
Initial make_kelvin_helmholtz(const config::Parameters& p, const Domain& domain, double /*gamma*/) {
  if (domain.dimensions < 2 || domain.sides[0][0] != Wall::periodic || domain.sides[1][0] != Wall::periodic) {
    throw config::Error(p.where("amr.root"), "amr.root", "the streams fill a plane or a box, periodic along x and y",
                        "for example amr.root = [4, 4] and amr.low = \"periodic\"");
  }
  const double rho1 = p.real("kelvin_helmholtz.outer_density");
  const double rho2 = p.real("kelvin_helmholtz.inner_density");
  const double u1 = p.real("kelvin_helmholtz.outer_speed");
  const double u2 = p.real("kelvin_helmholtz.inner_speed");
  const double P = p.real("kelvin_helmholtz.pressure");
  const double width = p.real("kelvin_helmholtz.width");
  const double kick = p.real("kelvin_helmholtz.kick");
  const double waves = 2.0 * std::numbers::pi * static_cast<double>(p.integer("kelvin_helmholtz.waves"));
  // 0 in the outer stream, 1 in the inner one, 1/2 at the borders.
  const auto inner = [=, side = domain.box[1]](const Point& x) {
    const double inside = (0.25 - std::abs(x[1] / side - 0.5)) / width;
    return inside > 0.0 ? 1.0 - 0.5 * std::exp(-inside) : 0.5 * std::exp(inside);
  };
  Initial initial{.state =
                      [=, side = domain.box[0]](const Point& x) {
                        const double share = inner(x);
                        return GasState{rho1 + (rho2 - rho1) * share,
                                        {u1 + (u2 - u1) * share, kick * std::sin(waves * x[0] / side), 0.0},
                                        P};
                      },
                  .from = "set-up kelvin_helmholtz"};
  initial.species = 2;  // the outer and the inner stream
  initial.fractions = [=](const Point& x) {
    const double share = inner(x);
    return Fractions{1.0 - share, share};
  };
  return initial;
}

}  // namespace tacit::amr
