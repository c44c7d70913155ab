// A point explosion in the middle of the domain, in space beside its self-similar solution.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "tacit/solvers/amr/setups/blast_wave.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array explosion_keys{
    Key::positive("sedov.energy", dim::energy, "Energy of the explosion.", "1"),
    Key::positive("sedov.density", dim::density, "Density of the gas.", "1"),
    Key::positive("sedov.pressure", dim::pressure, "Pressure outside the explosion.", "1e-6"),
    Key::positive("sedov.radius", dim::length, "Of the ball that gets the energy; without it two of the finest cells."),
};

/// From the middle of the domain, along the axes that it has.
Point from_centre(const Domain& domain, const Point& x) {
  Point d{};
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) d[axis] = x[axis] - 0.5 * domain.box[axis];
  return d;
}

double length_of(const Point& d) { return std::sqrt(d[0] * d[0] + (d[1] * d[1] + d[2] * d[2])); }

}  // namespace

std::span<const config::Key> sedov_keys() { return explosion_keys; }

/// `exact` holds until the shock meets a side of the domain, where the pressure outside is negligible.
Initial make_sedov(const config::Parameters& p, const Domain& domain, double gamma) {
  const GasState gas{.rho = p.real("sedov.density"), .P = p.real("sedov.pressure")};
  double spacing = 0.0;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    spacing = std::max(spacing, domain.spacing(axis, std::max(domain.finest(), domain.deepest)));
  }
  const double energy = p.real("sedov.energy");
  const double radius = p.real_or("sedov.radius", 2.0 * spacing);
  if (radius < spacing) {
    throw config::Error(p.where("sedov.radius"), "sedov.radius", "is less than one of the finest cells",
                        "leave it out, or refine further");
  }
  Deposit ball{energy, [=](const Point& x) { return length_of(from_centre(domain, x)) < radius; }};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ball.low[axis] = 0.5 * domain.box[axis] - radius;
    ball.high[axis] = 0.5 * domain.box[axis] + radius;
  }
  Initial initial{.state = [=](const Point&) { return gas; }, .deposit = ball, .from = "set-up sedov"};
  initial.fractions = [is_within = ball.is_within](const Point& x) { return all_of(is_within(x) ? 0 : 1); };
  if (domain.dimensions < 3 || gamma >= 2.0) return initial;
  const auto wave = std::make_shared<const BlastWave>(gamma);
  initial.exact = [=](double time) -> GasAt {
    if (time <= 0.0) return [=](const Point&) { return gas; };
    const double R = wave->radius(energy, gas.rho, time);
    const double D = 0.4 * R / time;
    return [=](const Point& x) {
      const Point d = from_centre(domain, x);
      const double r = length_of(d);
      const BlastState blast = wave->at(r / R);
      const double v = r > 0.0 ? D * blast.v / r : 0.0;
      return GasState{gas.rho * blast.rho, {v * d[0], v * d[1], v * d[2]}, gas.P + gas.rho * D * D * blast.P};
    };
  };
  return initial;
}

}  // namespace tacit::amr
