// The initial fields of scalars.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/setups/scalar_fields.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/modes.hpp"

namespace tacit::dns {
namespace {

void make_wave(std::size_t axis, std::size_t number, Flow& flow) {
  const base::Vec3 box = flow.parameters().box;
  flow.set_scalar(number, [axis, box](const base::Vec3& x) {
    const std::array<double, 3> parts{x.x / box.x, x.y / box.y, x.z / box.z};
    return std::numbers::sqrt2 * std::sin(2.0 * std::numbers::pi * parts[axis]);
  });
}

void make_isotropic(const ScalarFields& setup, std::size_t number, Flow& flow) {
  const fft::Modes& modes = flow.pencils().modes();
  const std::span<Complex> theta = flow.scalar(number);
  std::array<base::ExactSum, 1> total;
  for_each_mode(flow.pencils(), [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    const Waves k = waves_of(modes, x, y, z);
    const auto k2 = static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    if (k2 == 0.0 || !modes.holds(k[0], k[1], k[2])) return;
    // The spectrum over the 4 pi k^2 modes of a shell is |theta|^2: what is left of k^4 is k^2.
    const double size = std::sqrt(k2 * std::exp(-2.0 * k2 / (setup.peak * setup.peak)));
    theta[at] = size * normal(k, setup.seed, 100 + number);
    total[0].add((k[0] == 0 ? 1.0 : 2.0) * std::norm(theta[at]));
  });
  flow.reduce(total);
  const double sum = total[0].value();
  for (Complex& mode : theta) mode *= sum > 0.0 ? 1.0 / std::sqrt(sum) : 0.0;
}

}  // namespace

void make_scalars(const ScalarFields& setup, Flow& flow) {
  for (std::size_t s = 0; s < setup.fields.size(); ++s) {
    switch (setup.fields[s]) {
      case ScalarField::zero:
        break;
      case ScalarField::wave_x:
      case ScalarField::wave_y:
      case ScalarField::wave_z:
        make_wave(static_cast<std::size_t>(setup.fields[s]) - static_cast<std::size_t>(ScalarField::wave_x), s, flow);
        break;
      case ScalarField::isotropic:
        make_isotropic(setup, s, flow);
        break;
    }
  }
}

}  // namespace tacit::dns
