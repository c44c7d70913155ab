// Budgets of scalars, buoyancy and forcing.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/physics_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "tacit/solvers/dns/statistics.hpp"

namespace tacit::dns {

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
      const std::array<double, 3> k{flow.wave_number(0, x), flow.wave_number(1, y), flow.wave_number(2, z)};
      const double square = std::norm(theta[at]);
      column[0] += square;
      column[1] += (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * square;
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
  const ScalarMeans& lift = means.scalar(flow.scalars() - 1);
  columns.push_back({"potential_dissipation", 0.5 * lift.dissipation});
  columns.push_back({"buoyancy_flux", physics.stratification * lift.flux.z});
}

double potential_energy(StateMeans& means) {
  if (!(means.flow().parameters().physics.stratification > 0.0)) return 0.0;
  return 0.5 * means.scalar(means.flow().scalars() - 1).variance;
}

/// Constant power is dissipated in the mean. Of random accelerations of N modes,
///
///     eps = 4 N e / (1 + T N^(1/3) / beta),   e = variance T,   T = memory e^(1/3) k0^(2/3),   beta = 0.8
///
/// with k0 the smallest wave number.
double expected_dissipation(const Flow& flow) {
  const ForcingParameters& forcing = flow.parameters().physics.forcing;
  if (forcing.kind == ForcingKind::constant) return forcing.power;
  if (forcing.kind != ForcingKind::eswaran_pope) return 0.0;
  const base::Vec3& box = flow.parameters().box;
  const double k0 = 2.0 * std::numbers::pi / std::max({box.x, box.y, box.z});
  const auto modes = static_cast<double>(flow.forcing().modes());
  const double memory = forcing.memory * std::cbrt(forcing.power * k0 * k0);
  return 4.0 * modes * forcing.power / (1.0 + memory * std::cbrt(modes) / 0.8);
}

std::string resolution_warning(const Flow& flow, double dissipation) {
  constexpr double least = 1.0;
  constexpr double good = 1.5;
  if (flow.parameters().viscosity == 0.0) return {};  // nothing is resolved, on purpose
  const Scales scales = scales_of({.energy = 1.0, .dissipation = dissipation}, flow);
  if (!(scales.k_max_eta > 0.0) || scales.k_max_eta >= least) return {};
  const double more = good / scales.k_max_eta;
  // eta goes with nu^(3/4).
  return fmt::format(
      "warning: k_max eta = {:.3g}, below {}: the smallest eddies, of eta = {:.3g}, are not resolved at a "
      "dissipation of {:.3g}. For k_max eta = {} take {:.2g} times as many points along each side, or a viscosity of "
      "{:.3g}",
      scales.k_max_eta, least, scales.kolmogorov, dissipation, good, more,
      flow.parameters().viscosity * std::pow(more, 4.0 / 3.0));
}

}  // namespace tacit::dns
