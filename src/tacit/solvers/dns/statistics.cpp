// Scales and spectra of a flow.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace tacit::dns {
namespace {

double length2(const std::array<double, 3>& k) { return k[0] * k[0] + k[1] * k[1] + k[2] * k[2]; }

/// The energy of each mode over its |k|, all of them together.
double energy_over_k(const Flow& flow) {
  const fft::Pencils& pencils = flow.pencils();
  const auto sums = flow.sum_over_columns(1, [&](std::size_t x, std::size_t y, std::span<double> sum) {
    const double weight = x == 0 ? 0.5 : 1.0;  // the other half of the modes is not stored
    for (std::size_t z = 0; z < pencils.modes().count(2); ++z) {
      const double k2 = length2({flow.wave_number(0, x), flow.wave_number(1, y), flow.wave_number(2, z)});
      if (k2 == 0.0) continue;
      const std::size_t at = pencils.spectral_place(x, y, z);
      const double u2 = std::norm(flow.modes(0)[at]) + std::norm(flow.modes(1)[at]) + std::norm(flow.modes(2)[at]);
      sum[0] += weight * u2 / std::sqrt(k2);
    }
  });
  return sums.front();
}

}  // namespace

Scales scales_of(const Flow::Energetics& now, const Flow& flow) {
  Scales scales;
  const double nu = flow.parameters().viscosity;
  if (now.energy > 0.0) {
    scales.integral = 0.75 * std::numbers::pi * energy_over_k(flow) / now.energy;
    scales.turnover_time = scales.integral / std::sqrt(2.0 / 3.0 * now.energy);
  }
  if (!(now.dissipation > 0.0)) return scales;
  scales.taylor = std::sqrt(10.0 * nu * now.energy / now.dissipation);
  scales.taylor_reynolds_number = std::sqrt(2.0 / 3.0 * now.energy) * scales.taylor / nu;
  scales.kolmogorov = std::pow(nu * nu * nu / now.dissipation, 0.25);
  scales.kolmogorov_time = std::sqrt(nu / now.dissipation);
  // The largest wave number that is kept in every direction.
  const fft::Modes& modes = flow.pencils().modes();
  double k_max = flow.wave_number(0, static_cast<std::size_t>(modes.highest(0)));
  for (std::size_t axis = 1; axis < 3; ++axis) {
    k_max = std::min(k_max, flow.wave_number(axis, static_cast<std::size_t>(modes.highest(axis))));
  }
  scales.k_max_eta = k_max * scales.kolmogorov;
  return scales;
}

std::vector<double> spectrum(const Flow& flow) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  const base::Vec3 box = flow.parameters().box;
  const double unit = 2.0 * std::numbers::pi / std::max({box.x, box.y, box.z});
  const auto shell_of = [&](std::size_t x, std::size_t y, std::size_t z) {
    const double k2 = length2({flow.wave_number(0, x), flow.wave_number(1, y), flow.wave_number(2, z)});
    return static_cast<std::size_t>(std::lround(std::sqrt(k2) / unit));
  };
  const auto top = [&](std::size_t axis) { return static_cast<std::size_t>(modes.highest(axis)); };
  const std::size_t shells = shell_of(top(0), top(1), top(2)) + 1;
  return flow.sum_over_columns(shells, [&](std::size_t x, std::size_t y, std::span<double> energy) {
    const double weight = x == 0 ? 0.5 : 1.0;  // the other half of the modes is not stored
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      const std::size_t at = pencils.spectral_place(x, y, z);
      double& shell = energy[shell_of(x, y, z)];
      for (std::size_t c = 0; c < 3; ++c) shell += weight * std::norm(flow.modes(c)[at]);
    }
  });
}

}  // namespace tacit::dns
