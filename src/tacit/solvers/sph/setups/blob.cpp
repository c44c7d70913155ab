// A cloud in a wind: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array blob_keys{
    Key::integer("blob.resolution", {8, 1024},
                 "Body-centred cubic cells of the wind across the tunnel, which is 10 radii wide (two particles each).",
                 "16"),
    Key::positive("blob.radius", dim::length, "Radius of the cloud; the tunnel measures 40 x 10 x 10 of it.", "1"),
    Key::positive("blob.density", dim::density, "Density of the wind.", "1"),
    Key::real("blob.density_ratio", {1.0, 1000.0},
              "Density of the cloud over that of the wind, with equal particle masses.", "10"),
    Key::positive("blob.pressure", dim::pressure, "Pressure everywhere.", "1"),
    Key::real("blob.mach", {0.0, 100.0}, "Speed of the wind over its sound speed.", "2.7"),
};

Setup read_blob(const config::Parameters& p, const SphParameters& sph) {
  return Blob{.resolution = p.integer("blob.resolution"),
              .radius = p.real("blob.radius"),
              .rho = p.real("blob.density"),
              .contrast = p.real("blob.density_ratio"),
              .P = p.real("blob.pressure"),
              .mach = p.real("blob.mach"),
              .gamma = sph.gamma,
              .eta = sph.smoothing.eta,
              .dimension = sph.dimension};
}

constexpr double tunnel_width = 10.0;  // [cloud radii]
constexpr double upstream = 5.0;       // of the cloud's centre [cloud radii]

base::Vec3 centre_of(const Blob& blob) {
  base::Vec3 centre{upstream * blob.radius, 0.5 * tunnel_width * blob.radius, 0.0};
  if (blob.dimension == 3) centre.z = centre.y;
  return centre;
}

double cell_side(const Blob& blob) { return tunnel_width * blob.radius / static_cast<double>(blob.resolution); }

/// Calls f(place) for the places of a lattice that fills the tunnel, without those that lie in the cloud.
template <class F>
void for_each_in_wind(const Blob& blob, const F& f) {
  const std::int64_t n = blob.resolution;
  const base::Vec3 centre = centre_of(blob);
  for (const CubicLattice& lattice : bcc_lattice({.corner = {},
                                     .shape = {4 * n, n, blob.dimension == 3 ? n : 1},
                                     .a = cell_side(blob),
                                     .dimension = blob.dimension})) {
    for (std::uint64_t i = 0; i < lattice.size(); ++i) {
      const base::Vec3 at = lattice.at(i);
      if (norm(at - centre) >= blob.radius) f(at);
    }
  }
}

double cell_side_in_cloud(const Blob& blob) { return cell_side(blob) * std::pow(blob.contrast, -1.0 / blob.dimension); }

}  // namespace

const SetupEntry& blob_entry() {
  static constexpr SetupEntry entry{.choice = {"blob", "a cloud in a supersonic wind (table [blob])"},
                                    .title = "Set-up: cloud in a wind",
                                    .keys = blob_keys,
                                    .read = &read_blob,
                                    .least_dimension = 2,
                                    .boundary = Boundary::periodic};
  return entry;
}

std::uint64_t particle_count(const Blob& blob) {
  std::uint64_t count = count_in_ball(blob.radius, cell_side_in_cloud(blob), blob.dimension);
  for_each_in_wind(blob, [&count](const base::Vec3& /*at*/) { ++count; });
  return count;
}

InitialConditions make(const Blob& blob, const Share& share) {
  const double m = 0.5 * blob.rho * std::pow(cell_side(blob), blob.dimension);
  const auto state = [&](double rho) {
    return LatticeGas{m, blob.P / ((blob.gamma - 1.0) * rho), blob.eta * std::pow(m / rho, 1.0 / blob.dimension)};
  };
  const LatticeGas wind = state(blob.rho);
  const LatticeGas cloud = state(blob.contrast * blob.rho);
  const double speed = blob.mach * std::sqrt(blob.gamma * blob.P / blob.rho);
  InitialConditions gas;
  gas.source = "set-up blob";
  gas.dimension = blob.dimension;
  gas.box = {4.0 * tunnel_width * blob.radius, tunnel_width * blob.radius, tunnel_width * blob.radius};
  const Rows rows = share.of(particle_count(blob));
  reserve(gas, rows.size());
  std::uint64_t row = 0;
  for_each_in_wind(blob, [&](const base::Vec3& at) {
    if (!rows.contains(row++)) return;
    add_particle(gas, row - 1, at, wind);
    gas.vx.back() = speed;
  });
  const base::Vec3 centre = centre_of(blob);
  for_each_in_ball(blob.radius, cell_side_in_cloud(blob), blob.dimension, [&](const base::Vec3& d) {
    if (rows.contains(row++)) add_particle(gas, row - 1, centre + d, cloud);
  });
  return gas;
}

}  // namespace tacit::sph
