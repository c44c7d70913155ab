// A sound wave in any direction, so weak that it keeps its shape.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array sound_keys{
    Key::numbers("wave.waves", "Waves along each axis: whole numbers, as many as in amr.root. Without it: one along x.",
                 {-1024.0, 1024.0})
        .excludes("wave.pulse"),
    Key::positive("wave.pulse", dim::length,
                  "Length of a single pulse along x in place of waves, a quarter of the box away from its low side."),
    Key::fraction("wave.amplitude", "Of the density, over its mean.", "1e-6"),
    Key::positive("wave.density", dim::density, "Mean density.", "1"),
    Key::positive("wave.pressure", dim::pressure, "Mean pressure.", "0.6"),
};

/// The wave vector [1/length].
Point vector_of(const config::Parameters& p, const Domain& domain) {
  const std::vector<double> waves = p.has("wave.waves") ? p.vector("wave.waves") : std::vector{1.0};
  const auto is_whole = [](double n) { return n == std::floor(n); };
  const bool fits = waves.size() <= domain.dimensions && std::ranges::all_of(waves, is_whole) &&
                    !std::ranges::all_of(waves, [](double n) { return n == 0.0; });
  if (!fits) {
    throw config::Error(p.where("wave.waves"), "wave.waves",
                        "expected a whole number for each axis of amr.root, not all of them 0", "wave.waves = [1]");
  }
  Point k{};
  for (std::size_t axis = 0; axis < waves.size(); ++axis) {
    k[axis] = 2.0 * std::numbers::pi * waves[axis] / domain.box[axis];
    if (waves[axis] != 0.0 && domain.sides[axis][0] != Wall::periodic) {
      throw config::Error(p.where("amr.low"), "amr.low", "a wave runs along periodic axes only",
                          "amr.low = \"periodic\"");
    }
  }
  return k;
}

}  // namespace

std::span<const config::Key> wave_keys() { return sound_keys; }

/// With a shape s of the phase, sin(k x - |k| c t) or cos^2 within a pulse, and c^2 = gamma P / rho,
///
///     rho = rho0 (1 + a s)     v = a c s k / |k|     P = P0 (1 + gamma a s)
///
/// which is the solution up to terms of a^2; that of a pulse until it meets a side.
Initial make_wave(const config::Parameters& p, const Domain& domain, double gamma) {
  const bool is_pulse = p.has("wave.pulse");
  const double length = is_pulse ? p.real("wave.pulse") : 0.0;
  const Point k = is_pulse ? Point{std::numbers::pi / length, 0.0, 0.0} : vector_of(p, domain);
  const double size = std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
  const double rho = p.real("wave.density");
  const double P = p.real("wave.pressure");
  const double a = p.real("wave.amplitude");
  if (a * gamma >= 1.0) {
    throw config::Error(p.where("wave.amplitude"), "wave.amplitude", "is so large that the pressure would vanish",
                        "less than 1 / amr.gamma");
  }
  const double c = std::sqrt(gamma * P / rho);
  const double middle = 0.25 * domain.box[0];
  const auto shape = [=](const Point& x, double time) {
    if (!is_pulse) return std::sin(k[0] * x[0] + k[1] * x[1] + k[2] * x[2] - size * c * time);
    const double phase = size * (x[0] - middle - c * time);
    return std::abs(phase) < 0.5 * std::numbers::pi ? std::cos(phase) * std::cos(phase) : 0.0;
  };
  const auto exact = [=](double time) -> GasAt {
    return [=](const Point& x) {
      const double s = shape(x, time);
      const double v = a * c * s / size;
      return GasState{rho * (1.0 + a * s), {v * k[0], v * k[1], v * k[2]}, P * (1.0 + gamma * a * s)};
    };
  };
  Initial initial{.state = exact(0.0), .exact = exact, .from = "set-up wave"};
  // A pulse that reaches beyond the domain has less mass in it.
  if (is_pulse && 0.5 * length <= middle) {
    Feature pulse{.name = "the pulse",
                  .low = {middle - 0.5 * length, 0.0, 0.0},
                  .high = domain.box,
                  .spacing = length / 4.0,
                  .density = rho,
                  .mass = 0.5 * rho * a * length * domain.box[1] * domain.box[2]};
    pulse.high[0] = middle + 0.5 * length;
    initial.features.push_back(std::move(pulse));
  }
  return initial;
}

}  // namespace tacit::amr
