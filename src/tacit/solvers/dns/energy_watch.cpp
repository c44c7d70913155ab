// The least error that energy out of nothing tells of.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/energy_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace tacit::dns
