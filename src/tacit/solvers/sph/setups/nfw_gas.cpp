// Gas at rest in the potential of a halo: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "tacit/solvers/sph/kernels/potential.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array nfw_gas_keys{
    Key::integer("nfw_gas.resolution", {4, 2048},
                 "Body-centred cubic cells across the ball before it is stretched (two particles each): about as many "
                 "particles as its cube.",
                 "32"),
    Key::real("nfw_gas.radius", {0.01, 100.0}, "Where the gas ends, in units of the halo's r200.", "1.5"),
    Key::fraction("nfw_gas.fraction", "Mass of the gas over M200. It has no gravity of its own.", "0.1"),
    Key::real("nfw_gas.polytropic_index", config::above(1.0, 3.0),
              "Gamma in P ~ rho^Gamma from the middle to the edge, where both vanish; beyond sph.gamma the gas "
              "convects. Isothermal gas keeps its own law and a pressure at the edge, from where it expands.",
              "1.2"),
};

/// The potential must be a halo alone, and the gas ideal or isothermal.
void check_halo(const config::Parameters& p, const SphParameters& sph) {
  const auto refuse = [&](const char* what, const char* hint) {
    throw config::Error(p.where("initial.setup"), "initial.setup", what, hint);
  };
  if (!p.has("potential.nfw_mass")) {
    refuse("nfw_gas rests in a halo, and there is none", "set potential.nfw_mass, such as \"1e12 Msun\"");
  }
  if (sph.potential.GM_point != 0.0 || sph.potential.field != base::Vec3{}) {
    refuse("nfw_gas is at rest in a halo alone", "remove potential.point_mass and potential.field_x, _y, _z");
  }
  if (std::isfinite(sph.eos.rho_c)) {
    refuse("nfw_gas is not known for gas that is barotropic", "set sph.equation_of_state = \"ideal\"");
  }
}

Setup read_nfw_gas(const config::Parameters& p, const SphParameters& sph) {
  check_halo(p, sph);
  const double r200 = p.real("potential.nfw_concentration") * sph.potential.r_s;
  NfwGas halo{.resolution = p.integer("nfw_gas.resolution"),
              .radius = p.real("nfw_gas.radius") * r200,
              .mass = p.real("nfw_gas.fraction") * p.real("potential.nfw_mass"),
              .polytropic = p.real("nfw_gas.polytropic_index"),
              .c0 = sph.eos.c0,
              .potential = sph.potential,
              .gamma = sph.gamma,
              .eta = sph.smoothing.eta};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!sph.is_centre_given[axis]) halo.potential.centre[axis] = halo.radius;  // the middle of the box
  }
  return halo;
}

/// Depth of the potential below its value at the edge of the gas. At 0 itself the kernel of the potential has no value.
double depth(const NfwGas& halo, double r) {
  const auto phi = [&](double at) {
    const base::Vec3 c = halo.potential.centre;
    return kernels::specific_energy(halo.potential, {c.x + at, c.y, c.z});
  };
  return phi(halo.radius) - phi(std::max(r, 1e-8 * halo.radius));
}

/// Density over that in the middle (isothermal: over that at the edge).
///
///     dP/dr = -rho dphi/dr      P ~ rho^Gamma:    rho ~ depth^(1 / (Gamma - 1))
///                               P = rho c0^2:     rho ~ exp(depth / c0^2)
double relative_density(const NfwGas& halo, double r) {
  if (halo.c0 > 0.0) return std::exp(depth(halo, r) / (halo.c0 * halo.c0));
  return std::pow(std::max(depth(halo, r) / depth(halo, 0.0), 0.0), 1.0 / (halo.polytropic - 1.0));
}

/// Mass within radii, in units of the outermost: radii grow by equal factors, as the density does.
struct MassProfile {
  std::vector<double> radius;
  std::vector<double> mass;  ///< of relative densities
};

MassProfile integrate(const NfwGas& halo) {
  constexpr int points = 8192;
  constexpr double innermost = 1e-5;  // a uniform ball within
  const auto shell = [&](double r) {
    return 4.0 * std::numbers::pi * r * r * r * relative_density(halo, r);
  };  // d ln r
  MassProfile profile;
  double mass = shell(innermost * halo.radius) / 3.0;
  const double step = -std::log(innermost) / (points - 1);
  for (int k = 0; k < points; ++k) {
    const double r = halo.radius * innermost * std::exp(step * k);
    profile.radius.push_back(r);
    profile.mass.push_back(mass);
    // Simpson's rule to the next.
    mass += step / 6.0 * (shell(r) + 4.0 * shell(r * std::exp(0.5 * step)) + shell(r * std::exp(step)));
  }
  return profile;
}

/// The radius within which a share of the mass lies: by powers of the radius between the table's points.
double radius_of(const MassProfile& profile, double share) {
  const double mass = share * profile.mass.back();
  const auto above = std::ranges::upper_bound(profile.mass, mass);
  const auto k = static_cast<std::size_t>(above - profile.mass.begin());
  if (k == 0) return profile.radius[0] * std::cbrt(mass / profile.mass[0]);
  if (k == profile.mass.size()) return profile.radius.back();
  const double part = std::log(mass / profile.mass[k - 1]) / std::log(profile.mass[k] / profile.mass[k - 1]);
  return profile.radius[k - 1] * std::pow(profile.radius[k] / profile.radius[k - 1], part);
}

/// Of the lattice before it is stretched [length].
double cell_side(const NfwGas& halo) { return 2.0 * halo.radius / static_cast<double>(halo.resolution); }

}  // namespace

const SetupEntry& nfw_gas_entry() {
  static constexpr SetupEntry entry{
      .choice = {"nfw_gas", "gas at rest in the halo of table [potential] (table [nfw_gas])"},
      .title = "Set-up: gas at rest in an NFW halo",
      .keys = nfw_gas_keys,
      .read = &read_nfw_gas,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const NfwGas& halo) { return count_in_ball(halo.radius, cell_side(halo), 3); }

InitialConditions make(const NfwGas& halo, const Share& share) {
  InitialConditions gas;
  gas.source = "set-up nfw_gas";
  gas.box = {2.0 * halo.radius, 2.0 * halo.radius, 2.0 * halo.radius};
  const std::uint64_t n = particle_count(halo);
  const double m = halo.mass / static_cast<double>(n);
  const MassProfile profile = integrate(halo);
  const double G = halo.polytropic;
  const Rows rows = share.of(n);
  reserve(gas, rows.size());
  std::uint64_t row = 0;
  for_each_in_ball(halo.radius, cell_side(halo), 3, [&](const base::Vec3& q) {
    if (!rows.contains(row++)) return;
    const double r = radius_of(profile, std::pow(norm(q) / halo.radius, 3.0));
    const double rho = relative_density(halo, r) * halo.mass / profile.mass.back();
    // P / rho: of the polytrope the share (Gamma - 1) / Gamma of the depth.
    const double heat = halo.c0 > 0.0 ? halo.c0 * halo.c0 : (G - 1.0) / G * depth(halo, r);
    const double h = std::min(halo.eta * std::cbrt(m / rho), halo.radius);  // at the very edge rho is 0
    add_particle(gas, row - 1, halo.potential.centre + (r / norm(q)) * q,
                 {.m = m, .u = heat / (halo.gamma - 1.0), .h = h});
  });
  return gas;
}

}  // namespace tacit::sph
