// A star that turns as a rigid body, in equilibrium.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "tacit/solvers/amr/binaries/placed.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array turning_star_keys{
    Key::real("rotating_star.index", {.lower = 0.5, .upper = 3.0},
              "Index n: the pressure of the star goes as rho^(1 + 1/n).", "1.5"),
    Key::positive("rotating_star.mass", dim::mass, "Of the star.", "1"),
    Key::positive("rotating_star.radius", dim::length, "At the equator; the star is in the middle of the domain.", "1"),
    Key::real(
        "rotating_star.axis_ratio", {.lower = 0.0, .upper = 1.0, .lower_open = true},
        "Radius at the poles over that at the equator: it says how fast the star turns around z. Below some ratio "
        "(0.63 for n = 1.5) gas at the equator would leave it.",
        "0.8"),
    Key::fraction("rotating_star.ambient",
                  "Density and pressure of the gas around, which turns with the star, over those in its centre.",
                  "1e-5"),
};

}  // namespace

std::span<const config::Key> rotating_star_keys() { return turning_star_keys; }

Initial make_rotating_star(const config::Parameters& p, const Domain& domain, double gamma) {
  require_gravity(p, "rotating_star", gamma);
  std::shared_ptr<const Equilibrium> star;
  try {
    star = std::make_shared<const Equilibrium>(
        RotatingStarSpec{.index = p.real("rotating_star.index"), .axis_ratio = p.real("rotating_star.axis_ratio")});
  } catch (const NoEquilibrium& error) {
    throw config::Error(p.where("rotating_star.axis_ratio"), "rotating_star.axis_ratio", error.what(),
                        "an axis ratio nearer 1");
  }
  Initial initial = initial_of(p, star,
                               {.G = p.real("gravity.constant"),
                                .mass = p.real("rotating_star.mass"),
                                .length = p.real("rotating_star.radius"),
                                .ambient = p.real("rotating_star.ambient")},
                               domain, "rotating_star.radius");
  initial.from = fmt::format("set-up rotating_star: angular velocity {:.8g}, virial error {:.2g}", initial.rotation,
                             star->energies().virial_error());
  return initial;
}

}  // namespace tacit::amr
