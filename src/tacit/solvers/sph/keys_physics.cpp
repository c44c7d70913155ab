// The keys of the external potential and of cooling, and what they become.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

#include "tacit/solvers/sph/cooling.hpp"
#include "tacit/solvers/sph/keys.hpp"

namespace tacit::sph {
namespace {

constexpr std::array cooling_keys{
    Key::positive("cooling.time", dim::time,
                  "Time within which the heat above the floor falls to 1/e; without it no cooling.")
        .needs("sph.equation_of_state", "ideal"),
    Key::non_negative("cooling.sound_speed", dim::velocity,
                      "The floor: adiabatic sound speed of gas that cools no further.", "0"),
};
constexpr std::array potential_keys{
    Key::positive("potential.point_mass", dim::mass, "Mass of a point mass at the centre; none without it."),
    Key::positive("potential.nfw_mass", dim::mass,
                  "M200 of a halo of Navarro, Frenk & White around the centre: the mass within the radius where its "
                  "mean density is 200 times potential.critical_density; none without it."),
    Key::real("potential.nfw_concentration", {0.01, 1000.0}, "That radius over the scale radius.", "10"),
    Key::positive("potential.critical_density", dim::density,
                  "Density that defines M200; without it 9.2e-30 g cm^-3, that of a Hubble constant of 70 km/s/Mpc."),
    Key::non_negative("potential.softening", dim::length,
                      "Length e by which both are softened: r becomes sqrt(r^2 + e^2).", "0"),
    Key::quantity("potential.x", dim::length,
                  "Centre of the point mass and the halo along x. Without it: the middle of the box."),
    Key::quantity("potential.y", dim::length, "Centre along y."),
    Key::quantity("potential.z", dim::length, "Centre along z."),
    Key::quantity("potential.field_x", dim::acceleration, "Constant acceleration along x.", "0"),
    Key::quantity("potential.field_y", dim::acceleration, "Constant acceleration along y.", "0"),
    Key::quantity("potential.field_z", dim::acceleration, "Constant acceleration along z.", "0"),
    Key::fraction("potential.time_step",
                  "Steps are at most this part of sqrt(length / acceleration), the length being the distance from the "
                  "centre or the support radius.",
                  "0.02")
        .changeable(),
};

void check_field(const config::Parameters& p, const SphParameters& sph, const char* key, int axis) {
  if (p.real(key) == 0.0) return;
  if (axis >= sph.dimension) {
    throw config::Error(p.where(key), key,
                        fmt::format("pulls along an axis that a run in {} dimension{} has not", sph.dimension,
                                    sph.dimension == 1 ? "" : "s"));
  }
  if (sph.boundary == Boundary::periodic) {
    throw config::Error(p.where(key), key, "accelerates the gas in a periodic box without end",
                        "set sph.boundary = \"reflecting\" or \"open\"");
  }
}

}  // namespace

std::span<const Key> potential_table() { return potential_keys; }

std::span<const Key> cooling_table() { return cooling_keys; }

kernels::Potential read_potential(const config::Parameters& p, const SphParameters& sph) {
  kernels::Potential potential;
  const double G = gravitational_constant(p);
  potential.softening = p.real("potential.softening");
  potential.time_step_factor = p.real("potential.time_step");
  if (p.has("potential.point_mass")) potential.GM_point = G * p.real("potential.point_mass");
  if (p.has("potential.nfw_mass")) {
    constexpr double default_density = 9.2e-30;  // g cm^-3
    const double rho = p.real_or("potential.critical_density", default_density / p.units().in_cgs(dim::density));
    const double M200 = p.real("potential.nfw_mass");
    const double c = p.real("potential.nfw_concentration");
    potential.GM_halo = kernels::halo_strength(G * M200, c);
    potential.r_s = std::cbrt(M200 / (4.0 / 3.0 * std::numbers::pi * 200.0 * rho)) / c;
  }
  constexpr std::array field_keys{"potential.field_x", "potential.field_y", "potential.field_z"};
  constexpr std::array centres{"potential.x", "potential.y", "potential.z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    check_field(p, sph, field_keys[axis], static_cast<int>(axis));
    potential.field[axis] = p.real(field_keys[axis]);
    if (p.has(centres[axis])) potential.centre[axis] = p.real(centres[axis]);
  }
  return potential;
}

std::shared_ptr<const SourceTerm> read_cooling(const config::Parameters& p, const SphParameters& sph) {
  const double c = p.real("cooling.sound_speed");
  return std::make_shared<ExponentialCooling>(p.real("cooling.time"), c * c / (sph.gamma * (sph.gamma - 1.0)));
}

}  // namespace tacit::sph
