// Makes flows and runs them.
// SPDX-License-Identifier: Apache-2.0
#include "dns/turbulence.hpp"

#include <cmath>
#include <numbers>

namespace tacit::bench {
namespace {

constexpr double side = 2.0 * std::numbers::pi;
constexpr double dt = 1e-4;  // far from any limit of stability; no work depends on it

base::Vec3 vortices(const base::Vec3& x) {
  return {std::sin(x.x) * std::cos(x.y) * std::cos(x.z), -std::cos(x.x) * std::sin(x.y) * std::cos(x.z), 0.0};
}

}  // namespace

Turbulence::Turbulence(Crew& crew, std::size_t n, std::size_t threads, const fft::PassAlgorithm& algorithm)
    : crew_(crew),
      recorder_(threads),
      scheduler_(threads, recorder_),
      flow_({.points = {n, n, n},
             .box = {side, side, side},
             .viscosity = 1.0 / 1600.0,
             .scheme = dns::Scheme::rk2,
             .algorithm = algorithm,
             .tuning = fft::Tuning::measured},
            scheduler_, crew.world()) {
  flow_.set(vortices);
}

void Turbulence::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) flow_.step(dt);
}

double Turbulence::exposed_s() {
  scheduler_.settle();
  return recorder_.exposure().exposed_s;
}

double Turbulence::words_per_point() {
  const fft::Shape& n = flow_.parameters().points;
  const auto words = static_cast<double>(flow_.bytes()) / sizeof(double);
  return crew_.sum(words) / static_cast<double>(n[0] * n[1] * n[2]);
}

}  // namespace tacit::bench
