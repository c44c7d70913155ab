// The sums over pairs and angles of Stillinger and Weber.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/stillinger_weber.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::md::kernels {
namespace {

/// x^-n, by products where n is a small whole number.
double inverse_power(double inverse, double n) {
  if (n == 4.0) return (inverse * inverse) * (inverse * inverse);
  if (n == 0.0) return 1.0;
  return std::pow(inverse, n);
}

/// Where exp(sigma / (r - a sigma)), or with gamma < 1 its power, is as small as the tolerance.
double end_of(const StillingerWeberTriple& of) {
  constexpr double largest_tolerance = 0.01;
  const double pole = of.a * of.sigma;
  if (!(of.tolerance > 0.0)) return pole;
  const double decay = of.sigma / std::log(std::min(of.tolerance, largest_tolerance));
  return pole + (of.gamma < 1.0 ? of.gamma : 1.0) * decay;
}

}  // namespace

StillingerWeber::StillingerWeber(std::size_t types, std::span<const StillingerWeberTriple> triples)
    : types_(types), reaches_(types * types, 0.0), cutoffs_(types, 0.0) {
  TACIT_EXPECT(triples.size() == types * types * types);
  const auto triple = [&](std::size_t i, std::size_t j, std::size_t k) -> const StillingerWeberTriple& {
    return triples[(i * types + j) * types + k];
  };
  for (std::size_t i = 0; i < types; ++i) {
    for (std::size_t j = 0; j < types; ++j) {
      const StillingerWeberTriple& of = triple(i, j, j);
      pairs_.push_back({.ends = end_of(of),
                        .pole = of.a * of.sigma,
                        .sigma = of.sigma,
                        .gamma_sigma = of.gamma * of.sigma,
                        .repulsion = of.A * of.epsilon * of.B * std::pow(of.sigma, of.p),
                        .attraction = of.A * of.epsilon * std::pow(of.sigma, of.q),
                        .p = of.p,
                        .q = of.q});
      for (double* reach : {&reaches_[i * types + j], &reaches_[j * types + i]}) {
        *reach = std::max(*reach, pairs_.back().ends);
      }
      for (std::size_t k = 0; k < types; ++k) {
        const StillingerWeberTriple& one = triple(i, j, k);
        const StillingerWeberTriple& other = triple(i, k, j);
        const double s1 = 0.5 * one.lambda * one.epsilon;
        const double s2 = 0.5 * other.lambda * other.epsilon;
        Angle angle{.strength = s1 + s2, .cosine = one.costheta};
        if (one.costheta != other.costheta && angle.strength != 0.0) {
          angle.cosine = (s1 * one.costheta + s2 * other.costheta) / angle.strength;
          angle.rest = s1 * one.costheta * one.costheta + s2 * other.costheta * other.costheta -
                       angle.strength * angle.cosine * angle.cosine;
        }
        angles_.push_back(angle);
      }
    }
  }
  for (std::size_t i = 0; i < types; ++i) {
    cutoffs_[i] = *std::max_element(&reaches_[i * types], &reaches_[i * types] + types);
  }
}

double StillingerWeber::cutoff() const noexcept { return *std::ranges::max_element(cutoffs_); }

/// Half of phi2.
WithSlope StillingerWeber::two_body(double r, const Pair& of) noexcept {
  const double inverse = 1.0 / r;
  const double to_pole = 1.0 / (r - of.pole);
  const double repulsion = of.repulsion * inverse_power(inverse, of.p);
  const double attraction = of.attraction * inverse_power(inverse, of.q);
  const double half = 0.5 * std::exp(of.sigma * to_pole);
  const double inside = repulsion - attraction;
  const double slope = -(of.p * repulsion - of.q * attraction) * inverse - inside * of.sigma * to_pole * to_pole;
  return {half * inside, half * slope};
}

double StillingerWeber::bond(std::uint32_t type, std::span<Bonds::Neighbour> neighbours,
                             std::span<base::Vec3> forces) const {
  double energy = 0.0;
  for (std::size_t j = 0; j < neighbours.size(); ++j) {
    Bonds::Neighbour& to = neighbours[j];
    const Pair& of = pairs_[type * types_ + to.type];
    to.cutoff = {};
    forces[j] = {};
    if (!(to.r < of.ends)) continue;  // the slot is there for what the other one as a centre does
    const WithSlope pair = two_body(to.r, of);
    energy += pair.value;
    forces[j] = -pair.slope * to.direction;
    const double to_pole = 1.0 / (to.r - of.pole);
    const double g = std::exp(of.gamma_sigma * to_pole);
    to.cutoff = {g, -g * of.gamma_sigma * to_pole * to_pole};
  }
  for (std::size_t j = 0; j + 1 < neighbours.size(); ++j) {
    const Bonds::Neighbour& to = neighbours[j];
    if (to.cutoff.value == 0.0) continue;
    const double inverse_j = 1.0 / to.r;
    for (std::size_t k = j + 1; k < neighbours.size(); ++k) {
      const Bonds::Neighbour& third = neighbours[k];
      if (third.cutoff.value == 0.0) continue;
      const Angle& of = angles_[(type * types_ + to.type) * types_ + third.type];
      const double cosine = base::dot(to.direction, third.direction);
      const double away = cosine - of.cosine;
      const double angle = of.strength * away * away + of.rest;
      const double both = to.cutoff.value * third.cutoff.value;
      const double by_cosine = 2.0 * of.strength * away * both;
      energy += angle * both;
      // The derivative of the cosine by the place of j is (direction of k - cosine * direction of j) / r_ij.
      const double turn_j = by_cosine * inverse_j;
      const double turn_k = by_cosine / third.r;
      const double along_j = angle * to.cutoff.slope * third.cutoff.value - turn_j * cosine;
      const double along_k = angle * to.cutoff.value * third.cutoff.slope - turn_k * cosine;
      forces[j] = forces[j] - turn_j * third.direction - along_j * to.direction;
      forces[k] = forces[k] - turn_k * to.direction - along_k * third.direction;
    }
  }
  return energy;
}

}  // namespace tacit::md::kernels
