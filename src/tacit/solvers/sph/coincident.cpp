// Finds the particles at the place of another one.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/coincident.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit::sph {
namespace {

constexpr std::size_t most_named = 5;

/// Shortest distance along an axis between two places, or an image of one and the other.
double distance(double a, double b, const particles::Domain& domain, std::size_t axis) {
  const double apart = std::abs(a - b);
  const double length = domain.size[axis];
  if (domain.periodic) return std::min(apart, std::abs(length - apart));
  if (!domain.mirrored) return apart;
  const double by_lower = a + b - 2.0 * domain.origin[axis];
  return std::min({apart, std::abs(by_lower), std::abs(2.0 * length - by_lower)});
}

/// How often a particle lies at its own place, all its images in mirrors counted.
int copies_of(const std::array<double, 3>& at, double near, const particles::Domain& domain) {
  int copies = 1;
  for (std::size_t axis = 0; domain.mirrored && axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    const double from_lower = at[axis] - domain.origin[axis];
    if (2.0 * std::min(from_lower, domain.size[axis] - from_lower) < near) copies *= 2;
  }
  return copies;
}

std::string named(const std::vector<std::uint64_t>& ids) {
  if (ids.empty()) return "";
  const auto shown = std::span(ids).first(std::min(ids.size(), most_named));
  const std::string more = ids.size() > most_named ? fmt::format(" and {} more", ids.size() - most_named) : "";
  return fmt::format(" particle{} {}{}", ids.size() == 1 ? "" : "s", fmt::join(shown, ", "), more);
}

}  // namespace

std::string describe_coincident(const Gas& gas, std::size_t i, double kernel_gamma, const particles::Domain& domain) {
  const double near = kernel_gamma * gas.h[i];
  const std::array<double, 3> at{gas.x[i], gas.y[i], gas.z[i]};
  const auto axes = static_cast<std::size_t>(domain.dimension);
  std::vector<std::uint64_t> others;
  for (std::size_t j = 0; j < gas.size(); ++j) {
    const std::array<double, 3> place{gas.x[j], gas.y[j], gas.z[j]};
    bool is_here = j != i;
    for (std::size_t axis = 0; is_here && axis < axes; ++axis) {
      is_here = distance(at[axis], place[axis], domain, axis) < near;
    }
    if (is_here) others.push_back(gas.id[j]);
  }
  std::ranges::sort(others);
  const int copies = copies_of(at, near, domain);
  const std::string who = fmt::format("particle {} at ({:.6g}, {:.6g}, {:.6g})", gas.id[i], at[0], at[1], at[2]);
  if (others.empty() && copies == 1) {
    return fmt::format(
        "{} needs a smoothing length below {:.3g}, which cannot be told from none in a region of {:.3g}\n"
        "  Are particles far away, or the box far too large? Leave them out, or make it smaller.",
        who, gas.h[i], std::max({domain.size.x, domain.size.y, domain.size.z}));
  }
  const std::string mirrors = copies > 1
                                  ? fmt::format("{} its {}mirror image{} in the walls", others.empty() ? "" : " and",
                                                copies > 2 ? fmt::format("{} ", copies - 1) : "", copies > 2 ? "s" : "")
                                  : "";
  return fmt::format(
      "{} lies within {:.3g} of{}{}: too near, but not at one place, for any smoothing length\n"
      "  Move {} by a part of the particles' distance{}.",
      who, near, named(others), mirrors, others.empty() ? "it off the walls" : "them apart",
      others.empty() ? "" : ", or to one place");
}

}  // namespace tacit::sph
