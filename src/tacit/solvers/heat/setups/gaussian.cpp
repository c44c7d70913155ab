// A warm spot in the middle of the domain, which spreads: Gaussians, with their images beyond the walls.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {
namespace {

using config::Key;

constexpr std::array spot_keys{
    Key::positive("gaussian.width", base::dimension::length, "Standard deviation at the begin.", "0.1"),
    Key::quantity("gaussian.amplitude", base::dimension::temperature, "Height at the begin.", "1"),
    Key::quantity("gaussian.mean", base::dimension::temperature,
                  "Temperature far from it; between fixed walls, theirs is taken.", "0"),
};

/// (s / w) sum_n exp(-(x - x_n)^2 / 2 w^2) along one axis of the length L, w^2 = s^2 + 2 kappa t, over the images x_n
/// of L/2: at L/2 + n L, the odd ones cold between fixed walls. For w > 2 L, where ever more images count, the first
/// term of their Fourier series, beyond which terms are less than 1e-33 of it.
double spread(double x, double length, double width, double now, Wall wall) {
  if (now > 2.0 * length) {
    const double mean = std::sqrt(2.0 * std::numbers::pi) * width / length;
    if (wall != Wall::fixed) return mean;
    const double k = std::numbers::pi / length;
    return 2.0 * mean * std::exp(-0.5 * (k * now) * (k * now)) * std::sin(k * x);
  }
  constexpr double reach = 9.0;  // beyond as many widths a Gaussian is less than 1e-17
  const int most = static_cast<int>(std::ceil(reach * now / length + 0.5));
  double sum = 0.0;
  for (int n = -most; n <= most; ++n) {
    const double distance = x - (n + 0.5) * length;
    const double sign = wall == Wall::fixed && n % 2 != 0 ? -1.0 : 1.0;
    sum += sign * std::exp(-0.5 * distance * distance / (now * now));
  }
  return width / now * sum;
}

}  // namespace

std::span<const config::Key> gaussian_keys() { return spot_keys; }

Initial make_gaussian(const config::Parameters& p, const Domain& domain) {
  const double width = p.real("gaussian.width");
  const double mean = p.real("gaussian.mean");
  const double amplitude = p.real("gaussian.amplitude");
  const double kappa = p.real_or("heat.diffusivity", 0.0);
  Exact exact = between_walls(domain, mean);
  exact.factor = [=](std::size_t axis, double x, double t) {
    const double now = std::sqrt(width * width + 2.0 * kappa * t);
    const double along = axis < domain.dimensions ? spread(x, domain.box[axis], width, now, domain.walls[axis]) : 1.0;
    return (axis == 0 ? amplitude : 1.0) * along;
  };
  return {.temperature = ExactAt(exact, domain, 0.0), .exact = exact, .origin = {.input = "set-up gaussian"}};
}

}  // namespace tacit::heat
