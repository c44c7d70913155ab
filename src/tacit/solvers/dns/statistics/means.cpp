// Sums over the modes of a flow.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/statistics/means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace tacit::dns {
namespace {

/// The energy of each mode over its |k|, all of them together.
double energy_over_k(const Flow& flow) {
  const fft::Pencils& pencils = flow.pencils();
  const auto sums = flow.sum_over_columns(1, [&](std::size_t x, std::size_t y, std::span<double> sum) {
    const double weight = x == 0 ? 0.5 : 1.0;  // the other half of the modes is not stored
    for (std::size_t z = 0; z < pencils.modes().count(2); ++z) {
      const double k2 = square(flow.wave_vector(x, y, z));
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

ScalarMeans scalar_means(const Flow& flow, std::size_t scalar) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  const std::span<const Complex> theta = flow.scalar(scalar);
  const std::array<std::span<const Complex>, 3> u{flow.modes(0), flow.modes(1), flow.modes(2)};
  // Square, square of the gradient, flux.
  const auto sums = flow.sum_over_columns(5, [&](std::size_t x, std::size_t y, std::span<double> column) {
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      if (x == 0 && y == 0 && z == 0) continue;
      const std::size_t at = pencils.spectral_place(x, y, z);
      const double theta2 = std::norm(theta[at]);
      column[0] += theta2;
      column[1] += square(flow.wave_vector(x, y, z)) * theta2;
      for (std::size_t c = 0; c < 3; ++c) column[2 + c] += (std::conj(u[c][at]) * theta[at]).real();
    }
    const double weight = x == 0 ? 1.0 : 2.0;  // the other half of the modes is not stored
    for (double& sum : column) sum *= weight;
  });
  const double diffusivity = flow.parameters().physics.all_scalars()[scalar].diffusivity;
  return {.variance = sums[0], .dissipation = 2.0 * diffusivity * sums[1], .flux = {sums[2], sums[3], sums[4]}};
}

const Flow::Energetics& StateMeans::energetics() {
  if (!energetics_) energetics_ = flow_.energetics();
  return *energetics_;
}

const ScalarMeans& StateMeans::scalar(std::size_t number) {
  std::optional<ScalarMeans>& means = scalars_[number];
  if (!means) means = scalar_means(flow_, number);
  return *means;
}

void StateMeans::forget() noexcept {
  energetics_.reset();
  for (auto& means : scalars_) means.reset();
}

PhysicsStatistics::PhysicsStatistics(const PhysicsParameters& physics) {
  for (std::size_t s = 1; s <= physics.scalars.size(); ++s) {
    names_.push_back({.variance = fmt::format("scalar{}_variance", s),
                      .dissipation = fmt::format("scalar{}_dissipation", s),
                      .production = fmt::format("scalar{}_production", s)});
  }
}

void PhysicsStatistics::append(StateMeans& means, std::vector<engine::Statistic>& columns) const {
  const Flow& flow = means.flow();
  const PhysicsParameters& physics = flow.parameters().physics;
  if (physics.forcing.kind != ForcingKind::none) columns.push_back({"forcing_power", flow.power()});
  for (std::size_t s = 0; s < names_.size(); ++s) {
    const ScalarMeans& now = means.scalar(s);
    const base::Vec3& gradient = physics.scalars[s].gradient;
    columns.push_back({names_[s].variance, now.variance});
    columns.push_back({names_[s].dissipation, now.dissipation});
    columns.push_back({names_[s].production,
                       0.0 - 2.0 * (gradient.x * now.flux.x + gradient.y * now.flux.y + gradient.z * now.flux.z)});
  }
  if (!(physics.stratification > 0.0)) return;
  const ScalarMeans& buoyancy = means.scalar(flow.scalars() - 1);
  columns.push_back({"potential_dissipation", 0.5 * buoyancy.dissipation});
  columns.push_back({"buoyancy_flux", physics.stratification * buoyancy.flux.z});
}

double potential_energy(StateMeans& means) {
  if (!(means.flow().parameters().physics.stratification > 0.0)) return 0.0;
  return 0.5 * means.scalar(means.flow().scalars() - 1).variance;
}

}  // namespace tacit::dns
