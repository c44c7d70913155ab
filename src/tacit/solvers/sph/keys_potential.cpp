// The keys of the external potential and what they become.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "tacit/solvers/sph/keys.hpp"

namespace tacit::sph {
namespace {

constexpr std::array potential_keys{
    Key{.name = "potential.point_mass",
        .type = Type::quantity,
        .help = "Mass of a point mass at the centre; none without it.",
        .dimension = dim::mass,
        .range = config::positive},
    Key{.name = "potential.nfw_mass",
        .type = Type::quantity,
        .help = "M200 of a halo of Navarro, Frenk & White around the centre: the mass within the radius where its mean "
                "density is 200 times potential.critical_density; none without it.",
        .dimension = dim::mass,
        .range = config::positive},
    Key{.name = "potential.nfw_concentration",
        .type = Type::real,
        .help = "That radius over the scale radius.",
        .need = Need::has_default,
        .default_value = "10",
        .range = {.lower = 0.01, .upper = 1000.0}},
    Key{.name = "potential.critical_density",
        .type = Type::quantity,
        .help = "Density that defines M200; without it 9.2e-30 g cm^-3, that of a Hubble constant of 70 km/s/Mpc.",
        .dimension = dim::density,
        .range = config::positive},
    Key{.name = "potential.softening",
        .type = Type::quantity,
        .help = "Length e by which both are softened: r becomes sqrt(r^2 + e^2).",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::length,
        .range = config::non_negative},
    Key{.name = "potential.x",
        .type = Type::quantity,
        .help = "Centre of the point mass and the halo along x. Without it: the middle of the box.",
        .dimension = dim::length},
    Key{.name = "potential.y", .type = Type::quantity, .help = "Centre along y.", .dimension = dim::length},
    Key{.name = "potential.z", .type = Type::quantity, .help = "Centre along z.", .dimension = dim::length},
    Key{.name = "potential.field_x",
        .type = Type::quantity,
        .help = "Constant acceleration along x.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::acceleration},
    Key{.name = "potential.field_y",
        .type = Type::quantity,
        .help = "Constant acceleration along y.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::acceleration},
    Key{.name = "potential.field_z",
        .type = Type::quantity,
        .help = "Constant acceleration along z.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::acceleration},
    Key{.name = "potential.time_step",
        .type = Type::real,
        .help = "Steps are at most this part of sqrt(length / acceleration), the length being the distance from the "
                "centre or the support radius.",
        .need = Need::has_default,
        .default_value = "0.02",
        .range = {.lower = 0.0, .upper = 1.0, .lower_open = true}},
};

void check_field(const config::Parameters& p, const SphParameters& sph, const char* key, int axis) {
  if (p.real(key) == 0.0) return;
  if (axis >= sph.dimension) {
    throw config::Error(p.where(key), key,
                        fmt::format("pulls along an axis that a run in {} dimension{} has not", sph.dimension,
                                    sph.dimension == 1 ? "" : "s"));
  }
  if (sph.boundary == Boundary::periodic) {
    throw config::Error(p.where(key), key, "pulls round a periodic box for ever",
                        "set sph.boundary = \"reflecting\" or \"open\"");
  }
}

}  // namespace

double gravitational_constant(const base::UnitSystem& units) {
  constexpr double G = 6.67430e-8;  // cm^3 g^-1 s^-2
  return G / units.in_cgs({.length = 3, .mass = -1, .time = -2});
}

std::span<const config::Key> potential_table() { return potential_keys; }

kernels::Potential read_potential(const config::Parameters& p, const SphParameters& sph) {
  kernels::Potential potential;
  const double G = gravitational_constant(p.units());
  potential.softening = p.real("potential.softening");
  potential.time_step_factor = p.real("potential.time_step");
  if (p.has("potential.point_mass")) potential.GM_point = G * p.real("potential.point_mass");
  if (p.has("potential.nfw_mass")) {
    constexpr double default_density = 9.2e-30;  // g cm^-3
    const double rho = p.has("potential.critical_density") ? p.real("potential.critical_density")
                                                           : default_density / p.units().in_cgs(dim::density);
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

}  // namespace tacit::sph
