// A Plummer sphere of bodies in equilibrium: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"

namespace tacit::sph {
namespace {

constexpr std::array plummer_keys{
    Key::integer("plummer.resolution", {2, 2048}, "As many particles as its cube.", "16"),
    Key::positive("plummer.radius", dim::length,
                  "Scale radius a: rho = 3 M / (4 pi a^3) (1 + r^2 / a^2)^(-5/2); half of the mass lies within 1.3 a.",
                  "1"),
    Key::positive("plummer.mass", dim::mass, "Mass M of the whole sphere.", "1"),
    Key::real("plummer.cut", config::above(1.0, 1000.0),
              "Radius beyond which there is nothing, in units of a: at 20, 0.4 % of M is missing.", "20"),
    Key::integer("plummer.seed", {0, 1000000}, "Of the random numbers.", "1"),
};

Setup read_plummer(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "plummer");
  return Plummer{.resolution = p.integer("plummer.resolution"),
                 .radius = p.real("plummer.radius"),
                 .mass = p.real("plummer.mass"),
                 .cut = p.real("plummer.cut"),
                 .seed = static_cast<std::uint64_t>(p.integer("plummer.seed")),
                 .G = sph.gravity.G};
}

/// Uniform numbers of one body, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t body) noexcept : seed_(seed), body_(body) {}
  double operator()() noexcept { return base::uniform(seed_, body_, next_++); }
  /// A vector of this length in any direction.
  base::Vec3 direction(double length) noexcept {
    const double z = 2.0 * (*this)() - 1.0;
    const double angle = 2.0 * std::numbers::pi * (*this)();
    const double across = std::sqrt(1.0 - z * z);
    return length * base::Vec3{across * std::cos(angle), across * std::sin(angle), z};
  }

 private:
  std::uint64_t seed_, body_, next_ = 0;
};

/// Speed over that of escape, from the distribution q^2 (1 - q^2)^(7/2), whose maximum is below 0.1.
double part_of_escape(Draws& draws) {
  while (true) {
    const double q = draws();
    const double g = q * q * std::pow(1.0 - q * q, 3.5);
    if (0.1 * draws() < g) return q;
  }
}

}  // namespace

const SetupEntry& plummer_entry() {
  static constexpr SetupEntry entry{
      .choice = {"plummer", "a star cluster at rest: bodies of a Plummer sphere in equilibrium (table [plummer])"},
      .title = "Set-up: Plummer sphere",
      .keys = plummer_keys,
      .read = &read_plummer,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const Plummer& plummer) {
  const auto n = static_cast<std::uint64_t>(plummer.resolution);
  return n * n * n;
}

/// Two bodies after each other are opposite: the centre of mass rests.
InitialConditions make(const Plummer& plummer, const Share& share) {
  const double a = plummer.radius;
  const double R = plummer.cut * a;
  InitialConditions bodies = empty_space("set-up plummer", 2.0 * R);
  const std::uint64_t n = particle_count(plummer);
  const double within = std::pow(1.0 + 1.0 / (plummer.cut * plummer.cut), -1.5);  // part of M
  const double m = plummer.mass * within / static_cast<double>(n);
  const Rows rows = share.of(n);
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    Draws draws(plummer.seed, row / 2);
    // M(r) / M = (1 + a^2 / r^2)^(-3/2)
    const double part = within * (1.0 - draws());
    const double r = a / std::sqrt(std::pow(part, -2.0 / 3.0) - 1.0);
    const base::Vec3 x = draws.direction(r);
    const double escape = std::sqrt(2.0 * plummer.G * plummer.mass) / std::pow(r * r + a * a, 0.25);
    const base::Vec3 v = draws.direction(part_of_escape(draws) * escape);
    const double sign = row % 2 == 0 ? 1.0 : -1.0;
    add_body(bodies, row, base::Vec3{R, R, R} + sign * x, sign * v, m);
  }
  return bodies;
}

}  // namespace tacit::sph
