// Zel'dovich's pancake, a plane wave that steepens until it collapses: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array pancake_directions{
    config::Choice{"x", Pancake::Direction::x, "one wave along x"},
    config::Choice{"diagonal", Pancake::Direction::diagonal, "along x = y, with one wave along each of both"},
};
constexpr std::array pancake_contents{
    config::Choice{"bodies", Pancake::Content::bodies, "bodies of GADGET's type 1, as of a halo"},
    config::Choice{"gas", Pancake::Content::gas, "gas"},
    config::Choice{"both", Pancake::Content::both, "gas, of cosmology.omega_b, and bodies"},
};
constexpr std::array pancake_keys{
    Key::integer("pancake.resolution", {4, 2048}, "Particles along each side, on a cubic lattice that is displaced.",
                 "32"),
    Key::positive("pancake.box", dim::length, "Side of the box, comoving.", "1"),
    Key::real("pancake.crossing", config::above(1e-4, 1e6),
              "Scale factor at which particles cross: before that the set-up knows where they are.", "1"),
    Key::choice("pancake.direction", pancake_directions, Pancake::Direction::x, "Where it goes."),
    Key::choice("pancake.content", pancake_contents, Pancake::Content::bodies, "What it consists of."),
    Key::non_negative("pancake.sound_speed", dim::velocity,
                      "Sound speed of the gas at the begin, where its density is the mean one; elsewhere it is that of "
                      "the same entropy.",
                      "0"),
};

Setup read_pancake(const config::Parameters& p, const SphParameters& sph) {
  if (!sph.cosmology) {
    throw config::Error(p.where(p.is_given("cosmology.expanding") ? "cosmology.expanding" : "initial.setup"),
                        "cosmology.expanding", "pancake is a wave in a box that expands",
                        "set cosmology.expanding = true, cosmology.h and cosmology.omega_m");
  }
  const double crossing = p.real("pancake.crossing");
  if (!(crossing > sph.begin)) {
    throw config::Error(p.where("pancake.crossing"), "pancake.crossing", "must come after time.begin",
                        "write a larger scale factor");
  }
  const auto content = p.choice("pancake.content", pancake_contents);
  const double omega_b = sph.cosmology->omega_b;
  if (content == Pancake::Content::both && !(omega_b > 0.0 && omega_b < sph.cosmology->omega_m)) {
    throw config::Error(p.where("pancake.content"), "pancake.content",
                        "is gas and bodies, so cosmology.omega_b must be more than 0 and less than omega_m",
                        "write cosmology.omega_b = 0.05, for example");
  }
  const double cs = p.real("pancake.sound_speed");
  return Pancake{.resolution = p.integer("pancake.resolution"),
                 .box = p.real("pancake.box"),
                 .content = content,
                 .u = cs * cs / (sph.gamma * (sph.gamma - 1.0)),
                 .crossing = crossing,
                 .direction = p.choice("pancake.direction", pancake_directions),
                 .begin = sph.begin,
                 .cosmology = *sph.cosmology,
                 .G = sph.gravity.G};
}

}  // namespace

const SetupEntry& pancake_entry() {
  static constexpr SetupEntry entry{
      .choice = {"pancake", "a plane wave in a box that expands, which collapses to a sheet (table [pancake])"},
      .title = "Set-up: Zel'dovich's pancake",
      .keys = pancake_keys,
      .read = &read_pancake,
      .least_dimension = 3,
      .boundary = Boundary::periodic};
  return entry;
}

Pancake::Wave Pancake::wave(double a) const {
  const double once = 2.0 * std::numbers::pi / box;
  const base::Vec3 k{once, direction == Direction::diagonal ? once : 0.0, 0.0};
  const LinearGrowth now = linear_growth(cosmology, a);
  const double growth = now.D / linear_growth(cosmology, crossing).D;
  const base::Vec3 longest = growth / dot(k, k) * k;
  return {k, longest, a * a * cosmology.hubble(a) * now.f * longest};
}

std::uint64_t particle_count(const Pancake& pancake) {
  const auto n = static_cast<std::uint64_t>(pancake.resolution);
  return (pancake.content == Pancake::Content::both ? 2 : 1) * n * n * n;
}

/// The gas first; beside bodies it stands in the middle between them.
InitialConditions make(const Pancake& pancake, const Share& share) {
  InitialConditions all = empty_space("set-up pancake", pancake.box);
  all.time = pancake.begin;
  const bool is_mixed = pancake.content == Pancake::Content::both;
  const std::int64_t n = pancake.resolution;
  const double a = pancake.box / static_cast<double>(n);
  const Cosmology& cosmology = pancake.cosmology;
  const double mean = cosmology.critical_density(pancake.G) * a * a * a;  // mass of a cell of the critical density
  const Pancake::Wave wave = pancake.wave(pancake.begin);
  const Rows rows = share.of(particle_count(pancake));
  const auto add = [&](std::uint64_t first, const CubicLattice& lattice, double mass, bool is_gas) {
    const Rows held = rows.among(first, lattice.size());
    for (std::uint64_t row = held.first; row < held.end; ++row) {
      const base::Vec3 q = lattice.at(row - first);
      base::Vec3 x = wave.place(q);
      for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = particles::wrap(x[axis], 0.0, pancake.box);
      add_body(all, row, x, wave.velocity(q), mass, is_gas ? std::uint8_t{0} : halo_type);
      if (is_gas) all.u.back() = pancake.begin * pancake.begin * pancake.u * std::pow(wave.density(q), 2.0 / 3.0);
    }
  };
  const CubicLattice lattice{.corner = {}, .shape = {n, n, n}, .a = a};
  CubicLattice between = lattice;
  if (is_mixed) between.offset = 0.0;
  const double gas = is_mixed ? cosmology.omega_b : cosmology.omega_m;
  if (pancake.content != Pancake::Content::bodies) add(0, between, gas * mean, true);
  const double bodies = is_mixed ? cosmology.omega_m - cosmology.omega_b : cosmology.omega_m;
  if (pancake.content != Pancake::Content::gas) add(is_mixed ? lattice.size() : 0, lattice, bodies * mean, false);
  return all;
}

}  // namespace tacit::sph
