// Gas at the places of the domain, out of an equilibrium in its own units.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/binaries/placed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit::amr {
namespace {

/// Cells in the radius of a star that show its shape.
constexpr double cells_that_show = 4.0;

void require_inside(const config::Parameters& p, const Equilibrium& stars, double length, const Domain& domain,
                    const char* key) {
  for (std::size_t number = 0; number < stars.stars().size(); ++number) {
    const Equilibrium::Star& star = stars.stars()[number];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double reach = length * (star.radius + (axis == 0 ? std::abs(star.origin) : 0.0));
      if (reach < 0.5 * domain.box[axis]) continue;
      throw config::Error(
          p.where(key), key,
          fmt::format("star {} reaches {:.4g} from the middle of the domain along {}, and the side is at "
                      "{:.4g}",
                      number + 1, reach, "xyz"[axis], 0.5 * domain.box[axis]),
          "a larger amr.box");
    }
  }
}

}  // namespace

void require_gravity(const config::Parameters& p, const char* setup, double gamma) {
  if (!p.flag("gravity.self")) {
    throw config::Error(p.where("initial.setup"), "initial.setup",
                        fmt::format("'{}' has stars, which gravity holds together", setup), "gravity.self = true");
  }
  if (gamma <= 4.0 / 3.0) {
    throw config::Error(p.where("amr.gamma"), "amr.gamma", "of 4/3 or less lets stars collapse", "amr.gamma = 1.6667");
  }
}

Initial initial_of(const config::Parameters& p, const std::shared_ptr<const Equilibrium>& stars,
                   const StarScales& scales, const Domain& domain, const char* length_key) {
  const auto& [G, M, L, thin] = scales;
  require_inside(p, *stars, L, domain, length_key);
  const double of_rho = M / (L * L * L);
  const double of_P = G * M * of_rho / L;
  double rho_c = 0.0;
  double P_c = 0.0;
  for (const Equilibrium::Star& star : stars->stars()) {
    rho_c = std::max(rho_c, of_rho * star.largest_rho);
    P_c = std::max(P_c, of_P * stars->at({star.origin, 0.0, 0.0}).P);
  }
  const double Omega = stars->Omega() * std::sqrt(G * M / (L * L * L));
  const auto gas_at = [stars, L = L, box = domain.box](const Point& x) {
    return stars->at({(x[0] - 0.5 * box[0]) / L, (x[1] - 0.5 * box[1]) / L, (x[2] - 0.5 * box[2]) / L});
  };
  Initial initial{.state = [=, thin = thin, box = domain.box](const Point& x) -> GasState {
    const Equilibrium::Gas gas = gas_at(x);
    return {std::max(of_rho * gas.rho, thin * rho_c),
            {-Omega * (x[1] - 0.5 * box[1]), Omega * (x[0] - 0.5 * box[0]), 0.0},
            std::max(of_P * gas.P, thin * P_c)};
  }};
  const std::size_t around = stars->stars().size();
  initial.fractions = [=, thin = thin](const Point& x) {
    const Equilibrium::Gas gas = gas_at(x);
    return all_of(gas.star && of_rho * gas.rho > thin * rho_c ? *gas.star : around);
  };
  for (std::size_t number = 0; number < around; ++number) {
    const Equilibrium::Star& star = stars->stars()[number];
    Feature feature{.name = around == 1 ? "the star" : fmt::format("star {}", number + 1),
                    .spacing = L * star.radius / cells_that_show,
                    .density = thin * rho_c};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double centre = 0.5 * domain.box[axis] + (axis == 0 ? L * star.origin : 0.0);
      feature.low[axis] = centre - L * star.radius;
      feature.high[axis] = centre + L * star.radius;
    }
    const double volume = star.grid.integral([](std::size_t, std::size_t) { return 1.0; });
    feature.mass = M * star.mass - feature.density * L * L * L * volume;
    initial.features.push_back(std::move(feature));
  }
  initial.species = around + 1;
  initial.stars = around;
  initial.rotation = Omega;
  return initial;
}

}  // namespace tacit::amr
