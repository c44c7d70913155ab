// The Sedov explosion: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tacit/base/random.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {
namespace {

constexpr std::array sedov_keys{
    Key::integer("sedov.resolution", {4, 2048}, "Particles along each side of the box.", "32"),
    Key::positive("sedov.box", dim::length, "Side of the box.", "1"),
    Key::positive("sedov.density", dim::density, "Density of the gas.", "1"),
    Key::positive("sedov.pressure", dim::pressure, "Pressure outside the explosion.", "1e-6"),
    Key::positive("sedov.energy", dim::energy, "Energy of the explosion.", "1"),
    Key::real("sedov.jitter", {0.0, 1.0},
              "Random displacement from the lattice, peak to peak, in units of its spacing.", "0.1"),
};

Setup read_sedov(const config::Parameters& p, const SphParameters& sph) {
  return Sedov{.resolution = p.integer("sedov.resolution"),
               .box = p.real("sedov.box"),
               .rho = p.real("sedov.density"),
               .P = p.real("sedov.pressure"),
               .energy = p.real("sedov.energy"),
               .jitter = p.real("sedov.jitter"),
               .gamma = sph.gamma,
               .eta = sph.smoothing.eta,
               .dimension = sph.dimension};
}

CubicLattice lattice_of(const Sedov& sedov) {
  const std::int64_t n = sedov.resolution;
  return {.corner = {},
          .shape = {n, sedov.dimension > 1 ? n : 1, sedov.dimension > 2 ? n : 1},
          .a = sedov.box / static_cast<double>(n),
          .dimension = sedov.dimension};
}

/// Where a particle is: moved from the lattice by up to half of the jitter along each axis, keyed by its ID.
base::Vec3 place_of(const Sedov& sedov, const CubicLattice& lattice, std::uint64_t row) {
  constexpr std::uint64_t seed = 1;
  base::Vec3 at = lattice.at(row);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(sedov.dimension); ++axis) {
    const double moved = at[axis] + sedov.jitter * lattice.a * (base::uniform(seed, row + 1, axis) - 0.5);
    at[axis] = particles::wrap(moved, 0.0, sedov.box);
  }
  return at;
}

/// The blob is so many spacings wide to each side.
constexpr double blob_radius = 2.0;

/// The share of a particle there in the energy, as a weight.
double weight_at(const Sedov& sedov, const CubicLattice& lattice, const base::Vec3& at) {
  base::Vec3 d{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(sedov.dimension); ++axis) {
    d[axis] = at[axis] - 0.5 * sedov.box;
  }
  return kernels::CubicSpline::w(norm(d) / (blob_radius * lattice.a));
}

/// Of all particles, of which those beyond the blob have none.
double sum_of_weights(const Sedov& sedov, const CubicLattice& lattice) {
  constexpr std::int64_t reach = 4;  // the blob, half of the largest jitter, and half a spacing
  std::array<std::int64_t, 3> lower{};
  std::array<std::int64_t, 3> upper{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lower[axis] = std::max<std::int64_t>(lattice.shape[axis] / 2 - reach, 0);
    upper[axis] = std::min(lattice.shape[axis] / 2 + reach + 1, lattice.shape[axis]);
  }
  double sum = 0.0;
  for (std::int64_t i = lower[0]; i < upper[0]; ++i) {
    for (std::int64_t j = lower[1]; j < upper[1]; ++j) {
      for (std::int64_t k = lower[2]; k < upper[2]; ++k) {
        const auto row = static_cast<std::uint64_t>((i * lattice.shape[1] + j) * lattice.shape[2] + k);
        sum += weight_at(sedov, lattice, place_of(sedov, lattice, row));
      }
    }
  }
  return sum;
}

}  // namespace

const SetupEntry& sedov_entry() {
  static constexpr SetupEntry entry{{"sedov", "a point explosion in a uniform gas (table [sedov])"},
                                    "Set-up: Sedov explosion",
                                    sedov_keys,
                                    &read_sedov};
  return entry;
}

std::uint64_t particle_count(const Sedov& sedov) {
  const auto n = static_cast<std::uint64_t>(sedov.resolution);
  return n * (sedov.dimension > 1 ? n : 1) * (sedov.dimension > 2 ? n : 1);
}

InitialConditions make(const Sedov& sedov, const Share& share) {
  const CubicLattice lattice = lattice_of(sedov);
  InitialConditions gas;
  gas.source = "set-up sedov";
  gas.dimension = sedov.dimension;
  gas.box = {sedov.box, sedov.box, sedov.box};
  const LatticeGas common{.m = sedov.rho * std::pow(lattice.a, sedov.dimension),
                          .u = sedov.P / ((sedov.gamma - 1.0) * sedov.rho),
                          .h = sedov.eta * lattice.a};
  const double sum = sum_of_weights(sedov, lattice);
  const Rows rows = share.of(lattice.size());
  reserve(gas, rows.size());
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const base::Vec3 at = place_of(sedov, lattice, row);
    add_particle(gas, row, at, common);
    gas.u.back() += sedov.energy * weight_at(sedov, lattice, at) / (sum * common.m);
  }
  return gas;
}

}  // namespace tacit::sph
