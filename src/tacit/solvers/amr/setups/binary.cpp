// Two stars that go around each other, in equilibrium: apart, or touching.
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

constexpr std::array pair_keys{
    Key::real("binary.index", {.lower = 0.5, .upper = 3.0}, "Index n: the pressure of each star goes as rho^(1 + 1/n).",
              "1.5"),
    Key::positive("binary.mass", dim::mass, "Of both stars together.", "1"),
    Key::real("binary.mass_ratio", {.lower = 0.05, .upper = 1.0}, "Of star 2, which is at larger x, to star 1.", "1"),
    Key::positive("binary.separation", dim::length,
                  "Of the centres of mass; the common one is in the middle of the domain, and both are along x.", "1"),
    Key::real(
        "binary.filling_1", {.lower = 0.2, .upper = 2.0},
        "How far star 1 fills its Roche lobe. Up to 1: the distance of its surface from its centre, on the line to "
        "star 2, over that of the inner Lagrange point. Beyond 1, for both stars alike: they have an envelope in "
        "common, and the rest is its part of the way of the potential to the outer Lagrange point.",
        "0.8"),
    Key::real("binary.filling_2", {.lower = 0.2, .upper = 2.0}, "The same of star 2. Without it: as filling_1."),
    Key::fraction("binary.ambient",
                  "Density and pressure of the gas around, which turns with the stars, over the largest in them.",
                  "1e-5"),
};

}  // namespace

std::span<const config::Key> binary_keys() { return pair_keys; }

Initial make_binary(const config::Parameters& p, const Domain& domain, double gamma) {
  require_gravity(p, "binary", gamma);
  const double filling = p.real("binary.filling_1");
  const std::array fillings{filling, p.real_or("binary.filling_2", filling)};
  if ((fillings[0] > 1.0 || fillings[1] > 1.0) && fillings[0] != fillings[1]) {
    const char* const key = p.has("binary.filling_2") ? "binary.filling_2" : "binary.filling_1";
    throw config::Error(
        p.where(key), key,
        fmt::format("fillings {} and {}: the star beyond 1 would flow over to the other one", fillings[0], fillings[1]),
        "at most 1 for each, or for both the same number between 1 and 2");
  }
  std::shared_ptr<const Equilibrium> stars;
  try {
    stars = std::make_shared<const Equilibrium>(
        BinarySpec{.index = p.real("binary.index"), .mass_ratio = p.real("binary.mass_ratio"), .fillings = fillings});
  } catch (const NoEquilibrium& error) {
    throw config::Error(p.where("binary.filling_1"), "binary.filling_1", error.what(),
                        "smaller fillings, or a mass ratio nearer 1");
  }
  const double length = p.real("binary.separation");
  Initial initial = initial_of(p, stars,
                               {.G = p.real("gravity.constant"),
                                .mass = p.real("binary.mass"),
                                .length = length,
                                .ambient = p.real("binary.ambient")},
                               domain, "binary.separation");
  initial.separation = length;
  initial.from =
      fmt::format("set-up binary: angular velocity {:.8g}, virial error {:.2g}, inner Lagrange point at x = {:.6g}",
                  initial.rotation, stars->energies().virial_error(), 0.5 * domain.box[0] + length * stars->L1());
  return initial;
}

}  // namespace tacit::amr
