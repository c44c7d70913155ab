// A star: a polytrope in the middle of the domain, at rest, moving, pulsating or turning.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "tacit/solvers/amr/setups/lane_emden.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array star_keys{
    Key::real("polytrope.index", {.lower = 0.5, .upper = 4.5},
              "Index n: the pressure of the star goes as rho^(1 + 1/n).", "1.5"),
    Key::positive("polytrope.mass", dim::mass, "Of the star.", "1"),
    Key::positive("polytrope.radius", dim::length, "Of the star, in the middle of the domain.", "1"),
    Key::fraction("polytrope.ambient",
                  "Density and pressure of the gas around, over those in the centre of the star: it is as hot as that.",
                  "1e-4"),
    Key::vector("polytrope.velocity", dim::velocity, "Of star and gas.", "[0, 0, 0]"),
    Key::vector("polytrope.ambient_velocity", dim::velocity, "Of the gas around; without it that of the star."),
    Key::real("polytrope.pulse", config::any,
              "Velocity from the centre, at the surface in units of sqrt(G M / R), within it as the distance.", "0"),
    Key::real("polytrope.rotation", config::any, "Angular velocity of the star around z, in units of sqrt(G M / R^3).",
              "0"),
};

/// Cells in the radius of a star that show its shape.
constexpr double cells_of_radius = 4.0;

/// What a star has beyond gas of the density `around` in its place, by Simpson's rule. @param rho  of the distance
template <class Density>
double mass_beyond(const Density& rho, double around, double R) {
  constexpr int parts = 2048;
  const auto shell = [&](int i) {
    const double r = R * i / parts;
    return r * r * std::max(rho(r) - around, 0.0);
  };
  double sum = shell(0) + shell(parts);
  for (int i = 1; i < parts; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * shell(i);
  return 4.0 * std::numbers::pi * sum * R / (3.0 * parts);
}

}  // namespace

std::span<const config::Key> polytrope_keys() { return star_keys; }

/// `exact` is the star at rest, where nothing disturbs it; the gas around falls.
Initial make_polytrope(const config::Parameters& p, const Domain& domain, double gamma) {
  const double G = p.real("gravity.constant");
  const double M = p.real("polytrope.mass");
  const double R = p.real("polytrope.radius");
  if (!p.flag("gravity.self")) {
    throw config::Error(p.where("initial.setup"), "initial.setup",
                        "'polytrope' is a star, which gravity holds together", "gravity.self = true");
  }
  const double least = 0.5 * std::ranges::min(domain.box);
  if (R >= least) {
    throw config::Error(p.where("polytrope.radius"), "polytrope.radius",
                        "is half of the shortest side of the domain, or more", "a larger amr.box");
  }
  if (gamma <= 4.0 / 3.0) {
    throw config::Error(p.where("amr.gamma"), "amr.gamma", "of 4/3 or less lets stars collapse", "amr.gamma = 1.6667");
  }
  const auto profile = std::make_shared<const LaneEmden>(p.real("polytrope.index"));
  const double n = profile->n();
  const double xi1 = profile->xi1();
  constexpr double pi = std::numbers::pi;
  // M = 4 pi a^3 rho_c mass and a^2 = (n + 1) P_c / (4 pi G rho_c^2), a = R / xi1.
  const double a = R / xi1;
  const double rho_c = M / (4.0 * pi * a * a * a * profile->mass());
  const double P_c = 4.0 * pi * G * a * a * rho_c * rho_c / (n + 1.0);
  const double thin = p.real("polytrope.ambient");
  const std::vector<double> velocity = p.vector("polytrope.velocity");
  const std::vector<double> around =
      p.has("polytrope.ambient_velocity") ? p.vector("polytrope.ambient_velocity") : velocity;
  const double pulse = p.real("polytrope.pulse") * std::sqrt(G * M / R) / R;
  const double rotation = p.real("polytrope.rotation") * std::sqrt(G * M / (R * R * R));
  const GasAt state = [=, box = domain.box](const Point& x) {
    const Point d{x[0] - 0.5 * box[0], x[1] - 0.5 * box[1], x[2] - 0.5 * box[2]};
    const double r = std::sqrt(d[0] * d[0] + (d[1] * d[1] + d[2] * d[2]));
    const double theta = profile->theta(r / a);
    GasState gas{std::max(rho_c * std::pow(theta, n), thin * rho_c),
                 {around[0], around[1], around[2]},
                 std::max(P_c * std::pow(theta, n + 1.0), thin * P_c)};
    if (r >= R) return gas;
    for (std::size_t axis = 0; axis < 3; ++axis) gas.v[axis] = velocity[axis] + pulse * d[axis];
    gas.v[0] -= rotation * d[1];
    gas.v[1] += rotation * d[0];
    return gas;
  };
  Initial initial{.state = state, .from = "set-up polytrope"};
  initial.stars = 1;
  initial.fractions = [=, box = domain.box](const Point& x) {
    const Point d{x[0] - 0.5 * box[0], x[1] - 0.5 * box[1], x[2] - 0.5 * box[2]};
    const double r = std::sqrt(d[0] * d[0] + (d[1] * d[1] + d[2] * d[2]));
    return all_of(r < R && std::pow(profile->theta(r / a), n) > thin ? 0 : 1);
  };
  Feature star{.name = "the star", .spacing = R / cells_of_radius, .density = thin * rho_c};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    star.low[axis] = 0.5 * domain.box[axis] - R;
    star.high[axis] = 0.5 * domain.box[axis] + R;
  }
  star.mass = mass_beyond([&](double r) { return rho_c * std::pow(profile->theta(r / a), n); }, star.density, R);
  initial.features.push_back(std::move(star));
  if (pulse != 0.0 || rotation != 0.0 || around != velocity) return initial;
  initial.exact = [=](double time) -> GasAt {
    return [=](const Point& x) {
      return state({x[0] - velocity[0] * time, x[1] - velocity[1] * time, x[2] - velocity[2] * time});
    };
  };
  return initial;
}

}  // namespace tacit::amr
