// The least error of the velocity by the energy, and the resolution of the smallest eddies.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/statistics/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tacit/solvers/dns/statistics/means.hpp"

namespace tacit::dns {

EnergyWatch::EnergyWatch(const FlowParameters& flow) noexcept
    : is_on_(flow.physics.forcing.kind == ForcingKind::none),
      may_fall_(flow.viscosity > 0.0),
      lowest_(std::numeric_limits<double>::infinity()) {}

double EnergyWatch::error(double energy) noexcept {
  if (!is_on_ || !(energy > 0.0)) return 0.0;
  lowest_ = std::min(lowest_, energy);
  highest_ = std::max(highest_, energy);
  const double gained = std::sqrt(energy / lowest_) - 1.0;
  const double lost = may_fall_ ? 0.0 : 1.0 - std::sqrt(energy / highest_);
  return gained >= lost ? gained : -lost;
}

std::string energy_warning(const FlowParameters& flow, double error, const std::string& step) {
  const double change = (1.0 + error) * (1.0 + error) - 1.0;
  const bool has_grown = error > 0.0;
  const bool has_aliases = flow.truncation == fft::Truncation::spherical && flow.form == Form::divergence;
  std::string text = fmt::format(
      "warning: the energy has {} by {:.2g} %, but nothing {} any: the velocity is wrong by at least {:.2g} %. ",
      has_grown ? "grown" : "fallen", 100.0 * std::abs(change), has_grown ? "brings" : "takes",
      100.0 * std::abs(error));
  text += flow.scheme == Scheme::rk4 ? fmt::format("Steps are too long, even for dns.scheme = \"rk4\": lower {}", step)
                                     : fmt::format("Steps are too long: lower {}, or set dns.scheme = \"rk4\"", step);
  if (has_aliases) {
    text += "; or it is the aliases of dns.truncation = \"spherical\": dns.form = \"rotational\" keeps the energy";
  }
  return text;
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
